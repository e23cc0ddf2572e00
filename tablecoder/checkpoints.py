"""Checkpoints of a stage that was interrupted, found again only under the same circumstances.

They lie outside what DVC tracks, in `.ckpt/<stage>/<fingerprint>` of the repository (also for
experiments that run in a temporary copy: DVC_ROOT names the original), because DVC deletes a
stage's outputs before it runs it. The fingerprint covers the parameters, the inputs and the code
that is loaded, so other parameters never pick up these checkpoints.
"""

import ctypes
import fcntl
import hashlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from tablecoder.stage import StageError

COMPLETE = "complete"  # written into a checkpoint as the last file


def fingerprint(sections: dict[str, Any], inputs: Sequence[Path]) -> str:
    """Return a hash of parameter sections, of input files or folders, and of the loaded code.

    StageError where an input is missing.
    """
    digest = hashlib.sha256(json.dumps(sections, sort_keys=True, default=vars).encode())
    for path in [*_files(inputs), *_code()]:
        with path.open("rb") as stream:
            digest.update(path.name.encode() + hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:16]


def _files(inputs: Sequence[Path]) -> Iterator[Path]:
    for path in inputs:
        if not path.exists():
            raise StageError(f"{path} is missing: run `dvc repro` (or `dvc checkout`) to make it")
        yield from sorted(path.rglob("*")) if path.is_dir() else [path]


def _code() -> list[Path]:
    """Return the files of this project that are loaded now."""
    loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    root = Path(__file__).parent.parent
    files = (Path(name) for name in loaded if name)
    return sorted(file for file in files if file.is_relative_to(root) and ".venv" not in file.parts)


@contextmanager
def workspace(stage: str, name: str) -> Iterator[Path]:
    """Give the checkpoint folder of this stage and fingerprint to one process at a time.

    It is deleted when the stage ends well and stays when it does not.
    """
    root = Path(os.environ.get("DVC_ROOT", ".")) / ".ckpt" / stage
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    _die_with_parent()
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"{stage}: another process works in {folder}; stop it first") from None
        yield folder
    shutil.rmtree(folder)


def _die_with_parent() -> None:
    """Ask for SIGTERM when the parent ends: a killed `dvc` must not leave a trainer behind."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1  # prctl.h
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


def latest(folder: Path) -> Path | None:
    """Return the last complete checkpoint in `folder`; delete those cut short by a kill."""
    found = sorted(folder.glob("checkpoint-*"), key=lambda path: int(path.name.split("-")[1]))
    for path in found:
        if not (path / COMPLETE).exists():
            shutil.rmtree(path)
    return next((path for path in reversed(found) if path.exists()), None)


class Interruptible(TrainerCallback):
    """Marks checkpoints as complete; on Ctrl-C or SIGTERM ends the training at the next step.

    The step in work is finished and saved. A second signal ends the process at once.
    """

    def __init__(self) -> None:
        self.stopped = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)

    def _stop(self, number: int, frame: object) -> None:
        if self.stopped:
            raise SystemExit(128 + number)
        self.stopped = True
        print("\nsaving after this step; once more to stop at once", file=sys.stderr)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.stopped:
            control.should_save = control.should_training_stop = True

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        (Path(args.output_dir) / f"checkpoint-{state.global_step}" / COMPLETE).touch()

    def leave_if_stopped(self, stage: str, step: int) -> None:
        """End the process with an error if the training was stopped before its end."""
        if self.stopped:
            # Ending well would let DVC record a half-trained model as the stage's result.
            raise SystemExit(f"{stage}: stopped after step {step}; `dvc repro` goes on from there")
