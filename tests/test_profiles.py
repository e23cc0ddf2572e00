"""Profiles change the same keys of params.yaml, and cpu leads back to the committed values."""

import itertools
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from dvc.utils.hydra import apply_overrides

from tablecoder import params
from tools import profile

Run = Callable[..., subprocess.CompletedProcess[str]]
NAMES = profile.names()


@pytest.fixture
def copy(tmp_path: Path, root: Path) -> Path:
    """A folder with params.yaml, the profiles and the tool."""
    for name in ("params.yaml", "tools/profile.py", *(f"profiles/{name}.yaml" for name in NAMES)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((root / name).read_bytes())
    return tmp_path


def keys(name: str) -> list[tuple[str, str]]:
    return [(section, key) for section, values in profile.overlay(name).items() for key in values]


def test_there_are_the_three_that_the_readme_names() -> None:
    assert NAMES == ["cpu", "gpu-24gb", "tiny"]


@pytest.mark.parametrize("name", NAMES)
def test_all_profiles_change_the_same_keys(name: str) -> None:
    assert keys(name) == keys("cpu")


@pytest.mark.parametrize("name", NAMES)
def test_a_value_has_the_type_of_the_default(name: str, root: Path) -> None:
    defaults = params.sections(root / "params.yaml")
    values = params.sections(root / "profiles" / f"{name}.yaml")
    for section, key in keys(name):
        assert type(values[section][key]) is type(defaults[section][key]), f"{section}.{key}"


def test_cpu_is_what_is_committed(root: Path) -> None:
    text = (root / "params.yaml").read_text(encoding="utf-8")
    assert profile.applied(text, profile.overlay("cpu")) == text


@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(NAMES, 2)))
def test_any_way_there_and_back_is_byte_for_byte(first: str, second: str, root: Path) -> None:
    text = (root / "params.yaml").read_text(encoding="utf-8")
    for name in (first, second, "cpu"):
        text = profile.applied(text, profile.overlay(name))
    assert text == (root / "params.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_the_tool_changes_the_file_as_the_profile_says(name: str, copy: Path, python: Run) -> None:
    before = params.sections(copy / "params.yaml")
    assert python("tools/profile.py", name, cwd=copy).returncode == 0
    after = params.sections(copy / "params.yaml")
    for section, values in params.sections(copy / "profiles" / f"{name}.yaml").items():
        before[section].update(values)
    assert after == before


@pytest.mark.parametrize("name", NAMES)
def test_the_flags_mean_the_same_to_dvc(name: str, copy: Path, python: Run) -> None:
    printed = python("tools/profile.py", "--args", name, cwd=copy).stdout.split()
    assert printed[::2] == ["-S"] * len(keys(name))
    flagged = copy / "flagged.yaml"
    flagged.write_bytes((copy / "params.yaml").read_bytes())
    apply_overrides(flagged, printed[1::2])
    python("tools/profile.py", name, cwd=copy)
    assert params.sections(flagged) == params.sections(copy / "params.yaml")


def test_args_change_nothing(copy: Path, root: Path, python: Run) -> None:
    assert python("tools/profile.py", "--args", "tiny", cwd=copy).returncode == 0
    assert (copy / "params.yaml").read_bytes() == (root / "params.yaml").read_bytes()


def test_an_unknown_profile_is_refused_with_the_known_ones(copy: Path, python: Run) -> None:
    ended = python("tools/profile.py", "huge", cwd=copy)
    assert ended.returncode == 1
    assert ended.stderr == "no profile `huge`; there are cpu, gpu-24gb, tiny\n"


def test_an_unknown_key_is_refused_by_its_name(copy: Path, python: Run) -> None:
    before = (copy / "params.yaml").read_bytes()
    (copy / "profiles/tiny.yaml").write_text("grpo:\n  max_step: 3\n", encoding="utf-8")
    ended = python("tools/profile.py", "tiny", cwd=copy)
    assert ended.returncode == 1
    assert ended.stderr == "profiles/tiny.yaml: params.yaml has no grpo.max_step\n"
    assert (copy / "params.yaml").read_bytes() == before


def test_every_key_is_where_a_user_finds_it(root: Path) -> None:
    """A list is written in block style, which is what `dvc exp run -S` makes of it anyway."""
    text = (root / "params.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(text)
    assert not [line for line in text.splitlines() if ": [" in line.partition("#")[0]]
