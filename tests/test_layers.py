"""Imports point one way, and what needs no model starts without torch."""

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tablecoder/**/*.py")) + sorted(
    str(path.relative_to(ROOT)) for path in ROOT.glob("stages/*.py")
)
# The only modules that may import these libraries, which take seconds to start.
HEAVY = {"accelerate", "datasets", "peft", "torch", "transformers", "trl"}
MODEL_SIDE = {
    "tablecoder/adapters.py",
    "tablecoder/base_model.py",
    "tablecoder/checkpoints.py",
    "tablecoder/models.py",
    "tablecoder/packing.py",
    "tablecoder/sampling.py",
    "tablecoder/trainer.py",
    "tablecoder/trl_cpu.py",
    "stages/base.py",
    "stages/sft.py",
    "stages/grpo.py",
    "stages/eval.py",
}
LIGHT = [name for name in MODULES if name not in MODEL_SIDE and not name.endswith("__init__.py")]


def imports(file: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(Path(ROOT, file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def modules(files: list[str]) -> list[str]:
    return [file.removesuffix(".py").replace("/", ".") for file in files]


@pytest.mark.parametrize("file", [file for file in MODULES if file.startswith("tablecoder/")])
def test_the_library_imports_no_stage(file: str) -> None:
    assert not [
        name for name in imports(file) if name.split(".")[0] in {"stages", "tests", "tools"}
    ]


@pytest.mark.parametrize("file", [file for file in MODULES if file.startswith("stages/")])
def test_no_stage_imports_another(file: str) -> None:
    assert not [
        name for name in imports(file) if name.split(".")[0] in {"stages", "tests", "tools"}
    ]


@pytest.mark.parametrize("file", MODULES)
def test_only_the_model_side_imports_torch(file: str) -> None:
    assert file in MODEL_SIDE or not HEAVY & {name.split(".")[0] for name in imports(file)}


def test_what_needs_no_model_loads_no_torch() -> None:
    """In one process for all: the closure of each light module, as Python really imports it."""
    program = (
        f"import sys\nfor name in {modules(LIGHT)!r}:\n"
        "    __import__(name)\n"
        f"    assert not {HEAVY!r} & set(sys.modules), name"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr


def test_parameters_are_read_in_no_time(
    python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """params.py is on the way of every stage; pandas or torch there would cost each of them."""
    ended = python("-c", "import sys, tablecoder.params; print(*sys.modules)")
    assert not {"numpy", "pandas", "torch", "ruamel"} & set(ended.stdout.split())
