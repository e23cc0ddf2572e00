"""LoRA adapters: making, loading, merging, and saving them reproducibly."""

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from peft.tuners.lora import LoraLayer
from safetensors.torch import load_file, save_file

from tablecoder.models import existing


@dataclass(frozen=True)
class Lora:
    """Section `lora` of params.yaml, in PEFT's own words."""

    r: int
    lora_alpha: int
    lora_dropout: float
    target_modules: str


def add_adapter(model: Any, settings: Lora, seed: int) -> Any:
    """Return `model` with a fresh LoRA adapter whose initial weights depend on `seed` alone."""
    torch.manual_seed(seed)
    config = LoraConfig(
        r=settings.r,
        lora_alpha=settings.lora_alpha,
        lora_dropout=settings.lora_dropout,
        target_modules=settings.target_modules,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)


def load_adapter(model: Any, adapter: Path, *, trainable: bool = False) -> Any:
    """Return `model` with the adapter stored in the folder `adapter`."""
    # A path that does not exist would be asked of the hub, for half a minute.
    return PeftModel.from_pretrained(model, existing(adapter), is_trainable=trainable)


@torch.no_grad()
def merge_adapter(policy: Any, target: Any) -> None:
    """Set the weights of `target` to those of the base model of `policy` with its adapter added.

    `target` is another copy of the base model. The sum is taken anew from the base weights, not
    added and taken off again in place, which would drift.
    """
    weights = dict(target.named_parameters())
    for name, module in policy.get_base_model().named_modules():
        if isinstance(module, LoraLayer):
            merged = module.get_base_layer().weight + module.get_delta_weight("default")
            weights[f"{name}.weight"].copy_(merged)


def save_adapter(model: Any, target: Path) -> None:
    """Write the adapter of `model` to `target`, the same bytes for the same weights.

    PEFT writes lists in hash order and adds a model card; safetensors orders several metadata
    keys at random. Either would change the hash in dvc.lock from run to run.
    """
    with tempfile.TemporaryDirectory() as scratch:
        model.save_pretrained(scratch, selected_adapters=["default"])
        config = json.loads((Path(scratch) / "adapter_config.json").read_text())
        weights = load_file(Path(scratch) / "adapter_model.safetensors")
    config["target_modules"] = sorted(config["target_modules"])
    config["base_model_name_or_path"] = "models/base"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    text = json.dumps(config, indent=2, sort_keys=True) + "\n"
    (target / "adapter_config.json").write_text(text, encoding="utf-8")
    save_file(weights, target / "adapter_model.safetensors", metadata={"format": "pt"})
