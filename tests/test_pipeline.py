"""dvc.yaml says what the code does: files, sections, outputs. DVC itself checks none of it."""

import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from tablecoder import params
from tools import deps

NAMES = ["base", "datagen", "validate", "sft_data", "sft", "grpo", "eval", "report"]
Stages = dict[str, dict[str, Any]]


def paths(entries: list[str | dict[str, Any]]) -> list[str]:
    return [entry if isinstance(entry, str) else next(iter(entry)) for entry in entries]


def options(entries: list[str | dict[str, Any]]) -> list[dict[str, Any]]:
    return [next(iter(entry.values())) for entry in entries if isinstance(entry, dict)]


def left(stage: dict[str, Any]) -> list[str]:
    return [path for kind in ("outs", "metrics", "plots") for path in paths(stage.get(kind, []))]


def test_the_stages_are_the_modules(stages: Stages, root: Path) -> None:
    assert list(stages) == NAMES
    found = {path.stem for path in root.glob("stages/*.py")} - {"__init__"}
    assert found == set(NAMES)


def test_deps_and_params_are_what_the_code_uses(root: Path) -> None:
    pipeline = yaml.safe_load((root / "dvc.yaml").read_text(encoding="utf-8"))
    assert deps.problems(pipeline) == []


def test_rewriting_changes_nothing_and_keeps_the_comments(root: Path, tmp_path: Path) -> None:
    for name in deps.PACKAGES:
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("*.pyc"))
    for name in ("params.yaml", "dvc.yaml"):
        shutil.copy(root / name, tmp_path)
    copy = tmp_path / "dvc.yaml"
    deps.rewrite(copy)
    assert copy.read_text(encoding="utf-8") == (root / "dvc.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_python_loads_no_file_that_is_not_listed(name: str, stages: Stages, root: Path) -> None:
    """An independent check of the tool: what is in sys.modules after the real import."""
    program = (
        f"import sys, stages.{name}\n"
        "for module in list(sys.modules.values()):\n"
        "    if module.__name__.split('.')[0] in ('stages', 'tablecoder'): print(module.__file__)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    loaded = {Path(line).relative_to(root) for line in ended.stdout.splitlines()}
    with_code = {str(path) for path in loaded if (root / path).read_text("utf-8").strip()}
    assert with_code <= set(stages[name]["deps"])


@pytest.mark.parametrize("name", NAMES)
def test_the_header_names_what_the_stage_reads_and_writes(
    name: str, stages: Stages, root: Path
) -> None:
    """Every folder or file of the stage appears in the docstring of its module."""
    header = (root / f"stages/{name}.py").read_text(encoding="utf-8").split('"""')[1]
    assert "reads" in header and "writes" in header
    for path in left(stages[name]):
        assert Path(path.replace("${key}", "")).parts[0] in header, path


def test_every_section_is_used_and_runtime_by_none(stages: Stages, root: Path) -> None:
    listed = {section for stage in stages.values() for section in stage.get("params", [])}
    assert listed == set(params.sections(root / "params.yaml")) - {"runtime"}


def test_a_section_that_nobody_declared_is_found(tmp_path: Path) -> None:
    pipeline = toy(tmp_path, "from tablecoder import a, params\nparams.load('grpo', a.Settings)\n")
    pipeline["stages"]["x"]["params"] = ["sft"]
    assert deps.problems(pipeline, tmp_path) == [
        "x: params lacks grpo",
        "x: params lists sft for nothing",
    ]


def test_runtime_is_never_a_dependency(tmp_path: Path) -> None:
    code = "from tablecoder import a, params\nparams.load('runtime', a.Settings)\n"
    pipeline = toy(tmp_path, code)
    assert deps.problems(pipeline, tmp_path) == []
    pipeline["stages"]["x"]["params"] = ["runtime"]
    assert deps.problems(pipeline, tmp_path) == ["x: params lists runtime for nothing"]


@pytest.mark.parametrize(
    "code",
    [
        "from tablecoder import b",
        "import tablecoder.b",
        "from tablecoder.b import thing",
        "def later():\n    from tablecoder import b",
        "COMMAND = ['python', '-m', 'tablecoder.b']",
        "from tablecoder import through",
    ],
)
def test_a_helper_that_is_not_listed_is_found(tmp_path: Path, code: str) -> None:
    pipeline = toy(tmp_path, f"from tablecoder import a, params\n{code}\n")
    (tmp_path / "tablecoder/b.py").write_text("thing = 1\n", encoding="utf-8")
    (tmp_path / "tablecoder/through.py").write_text("from . import b\n", encoding="utf-8")
    pipeline["stages"]["x"]["deps"] += ["tablecoder/through.py"] if "through" in code else []
    assert deps.problems(pipeline, tmp_path) == ["x: deps lacks tablecoder/b.py"]


def test_a_helper_that_is_listed_for_nothing_is_found(tmp_path: Path) -> None:
    pipeline = toy(tmp_path, "from tablecoder import params\n")
    assert deps.problems(pipeline, tmp_path) == ["x: deps lists tablecoder/a.py for nothing"]


def test_what_only_a_type_checker_reads_is_no_dependency(tmp_path: Path) -> None:
    (tmp_path / "tablecoder").mkdir()
    (tmp_path / "tablecoder/b.py").write_text("thing = 1\n", encoding="utf-8")
    code = (
        "from typing import TYPE_CHECKING\nfrom tablecoder import a, params\n"
        "if TYPE_CHECKING:\n    from tablecoder import b\n"
    )
    assert deps.problems(toy(tmp_path, code), tmp_path) == []


def toy(root: Path, stage: str) -> dict[str, Any]:
    """A stage `x` that lists tablecoder/a.py and tablecoder/params.py and no section."""
    for name, text in {
        "stages/x.py": stage,
        "tablecoder/__init__.py": "",
        "tablecoder/a.py": "Settings = 1\n",
        "tablecoder/params.py": "load = print\n",
    }.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    listed = ["stages/x.py", "tablecoder/a.py", "tablecoder/params.py", "data/rows.jsonl"]
    return {"stages": {"x": {"cmd": "python -m stages.x", "deps": listed, "params": []}}}


def test_what_a_stage_reads_another_one_leaves(stages: Stages) -> None:
    items = ("base", "sft", "grpo")
    made = {
        path.replace("${key}", item) for s in stages.values() for path in left(s) for item in items
    }
    for name, stage in stages.items():
        for dep in stage["deps"]:
            assert dep.endswith(".py") or dep == "${item.after}" or dep in made, f"{name}: {dep}"


def test_nothing_is_trained_or_sampled_before_the_gate(stages: Stages) -> None:
    """Every stage that loads a model, but for putting it in place, comes after `validate`."""
    pipeline = yaml.safe_load(Path(deps.ROOT, "dvc.yaml").read_text(encoding="utf-8"))
    items = pipeline["stages"]["eval"]["foreach"]
    needs = {name: set(stage["deps"]) for name, stage in stages.items() if name != "eval"}
    needs |= {f"eval@{item}": {values["after"]} for item, values in items.items()}

    def after_gate(wanted: set[str]) -> bool:
        if "metrics/data.json" in wanted:
            return True
        makers = [name for name, stage in stages.items() if wanted & set(left(stage))]
        return any(after_gate(needs[maker]) for maker in makers)

    for name in ("sft_data", "sft", "grpo", *(f"eval@{item}" for item in items)):
        assert after_gate(needs[name]), name


def test_every_stage_tells_what_it_does(stages: Stages) -> None:
    assert all(stage["desc"] for stage in stages.values())


def test_every_stage_runs_the_code_of_its_own_copy(stages: Stages) -> None:
    """`python -m` from the root: a queued experiment runs in a copy, and must import from there."""
    for name, stage in stages.items():
        assert stage["cmd"].removesuffix(" ${key}") == f"python -m stages.{name}"


def test_the_run_cache_is_on_for_every_stage_that_costs(stages: Stages) -> None:
    """`cache: false` or `persist` on an entry of `outs` would switch it off."""
    for name, stage in stages.items():
        for option in options(stage.get("outs", [])):
            assert "persist" not in option
            assert name == "report" or option.get("cache", True), name
        assert not {"always_changed", "frozen"} & set(stage)


def test_what_git_shows_is_not_in_the_cache_and_the_rest_is_not_in_git(
    stages: Stages, root: Path
) -> None:
    ignored = [
        line.strip("/") for line in (root / ".gitignore").read_text("utf-8").splitlines() if line
    ]
    for stage in stages.values():
        for kind in ("outs", "metrics", "plots"):
            for entry in stage.get(kind, []):
                (path,) = paths([entry])
                cached = isinstance(entry, str) or entry[path].get("cache", True)
                assert cached == any(fnmatch(Path(path).parts[0], line) for line in ignored), path


def test_metrics_and_plots_stand_under_their_own_heading(stages: Stages) -> None:
    for name, stage in stages.items():
        for kind in ("metrics", "plots"):
            assert all(path.startswith(f"{kind}/") for path in paths(stage.get(kind, [])))
            assert all(option["cache"] is False for option in options(stage.get(kind, []))), name


def test_dvc_reads_the_file_and_finds_the_ten_stages(root: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "dvc", "stage", "list", "--name-only"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    items = [f"eval@{item}" for item in ("base", "sft", "grpo")]
    expected = [name for name in NAMES if name != "eval"] + items
    assert sorted(ended.stdout.split()) == sorted(expected), ended.stderr


def test_byte_code_never_looks_like_a_change(root: Path) -> None:
    """DVC must not see __pycache__ (PYTHONDONTWRITEBYTECODE hides the matter where it is set)."""
    ignored = (root / ".dvcignore").read_text(encoding="utf-8").split()
    assert {"__pycache__/", "*.pyc", ".venv/", ".ckpt/"} <= set(ignored)
