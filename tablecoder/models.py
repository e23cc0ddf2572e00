"""Loading models and tokenizers, and what the machine means for them."""

import ctypes
import os
import platform
import sys
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from tablecoder.stage import StageError

# All that is loaded here is local; PEFT asks the hub about the base model at each save otherwise.
os.environ.setdefault("HF_HUB_OFFLINE", "1")


def keep_memory() -> None:
    """Let the C allocator keep freed memory instead of giving it back to the kernel.

    glibc maps every large tensor anew and unmaps it when it is freed, so that each operation
    pays for fresh, zeroed pages: element-wise operations run two to three times slower.
    """
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        m_trim_threshold, m_top_pad, m_mmap_max = -1, -2, -4  # malloc.h
        libc.mallopt(m_mmap_max, 0)
        libc.mallopt(m_trim_threshold, 2**31 - 1)
        libc.mallopt(m_top_pad, 256 * 2**20)


def device() -> torch.device:
    """Return the device that models run on: the first GPU if there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load_tokenizer(base: Path) -> Any:
    """Return the tokenizer of the base model, with a padding token."""
    tokenizer = AutoTokenizer.from_pretrained(existing(base), local_files_only=True)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def prompt_ids(tokenizer: Any, conversation: list[dict[str, str]]) -> list[int]:
    """Return the token ids of a conversation, up to where the model's reply begins."""
    encoded = tokenizer.apply_chat_template(
        conversation, add_generation_prompt=True, tokenize=True, return_dict=True
    )
    return list(encoded["input_ids"])


def training_arguments() -> dict[str, Any]:
    """Return the arguments of transformers' trainers that follow from the machine."""
    cuda = torch.cuda.is_available()
    return {
        "use_cpu": not cuda,
        "bf16": compute_dtype() is torch.bfloat16,
        "dataloader_pin_memory": cuda,
        "activation_checkpointing": False,  # memory is not what is short
        "report_to": "none",
    }


def compute_dtype() -> torch.dtype:
    """Return the type to compute in here: bfloat16 where the hardware multiplies it, else float32.

    A CPU without AMX tiles converts bfloat16 on the way: slower than float32 (LOG.md).
    """
    amx = torch.cpu._is_amx_tile_supported()
    return torch.bfloat16 if torch.cuda.is_available() or amx else torch.float32


def load_base(base: Path, *, attention: str = "sdpa") -> Any:
    """Return the base model in `compute_dtype()`, in eval mode, on `device()`."""
    keep_memory()
    model = AutoModelForCausalLM.from_pretrained(
        existing(base),
        dtype=compute_dtype(),
        attn_implementation=attention,
        local_files_only=True,
    )
    return model.to(device()).eval()


def existing(folder: Path) -> Path:
    """Return `folder`; StageError if it holds neither a model nor an adapter."""
    if not (folder / "config.json").is_file() and not (folder / "adapter_config.json").is_file():
        raise StageError(f"{folder} holds no model: run `dvc repro` (or `dvc checkout`) to make it")
    return folder
