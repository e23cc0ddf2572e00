"""What several tests share: the repository, its pipeline, a way to start a program in it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def stages() -> dict[str, dict[str, Any]]:
    """The stages of dvc.yaml, an item of `foreach` under the name of its stage."""
    pipeline = yaml.safe_load(ROOT.joinpath("dvc.yaml").read_text(encoding="utf-8"))
    return {name: stage.get("do", stage) for name, stage in pipeline["stages"].items()}


@pytest.fixture
def python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `python …` (from `cwd`, importing from the repository) and return what it printed."""

    def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)

    return run
