"""Every stage for real, one after the other, on a base model of a few thousand random weights."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tiny_model
import yaml

from tablecoder import jsonl

ROOT = Path(__file__).resolve().parent.parent
ORDER = ["base", "datagen", "validate", "sft_data", "sft", "grpo"]
ORDER += ["eval base", "eval sft", "eval grpo", "report"]
CHANGES = {
    "base": {"source": "folder", "file": "", "revision": ""},
    "datagen": {"train": 48, "rl": 8, "dev": 8, "test": 8, "test_ood": 8},
    "sft": {"logging_steps": 1, "eval_steps": 4, "save_steps": 2},
    "grpo": {"max_steps": 4, "num_generations": 2, "prompts_per_step": 2, "save_steps": 1},
    "eval": {"num_samples": 2, "prompts_per_batch": 6, "resamples": 50, "k": [1, 2]},
    "report": {"resamples": 50},
}


def start(folder: Path, stage: str) -> subprocess.Popen[str]:
    name, *arguments = stage.split()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    environment.pop("DVC_ROOT", None)
    return subprocess.Popen(
        [sys.executable, "-m", f"stages.{name}", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(folder: Path, stage: str) -> tuple[int, str]:
    """Run a stage to its end; return its exit code and what it said."""
    process = start(folder, stage)
    out, err = process.communicate(timeout=300)
    return process.returncode, out + err


def digest(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the whole pipeline has run."""
    folder = tmp_path_factory.mktemp("project")
    source = folder / "source"
    tiny_model.write(source)
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    for section, values in CHANGES.items():
        params[section] |= values
    params["base"]["name"] = str(source)
    params["grpo"] |= {"max_completion_length": 12}
    params["eval"] |= {"max_completion_length": 12}
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    for stage in ORDER:
        code, said = run(folder, stage)
        assert code == 0, f"{stage}: {said[-3000:]}"
    return folder


def test_every_output_is_there_and_every_cell_is_a_number(project: Path) -> None:
    table = (project / "reports/results.md").read_text()
    assert "base" in table and "GRPO" in table and "nan" not in table.lower()
    for model in ("base", "sft", "grpo"):
        metrics = json.loads((project / f"metrics/eval/{model}.json").read_text())
        for split in ("test", "test_ood"):
            assert metrics[split]["n"] == 8
            assert 0 <= metrics[split]["pass@1"]["low"] <= metrics[split]["pass@1"]["value"]
        rows = jsonl.read(project / f"predictions/{model}.jsonl")
        assert len(rows) == 16 and all(len(row["samples"]) == 2 for row in rows)


def test_every_rollout_is_kept(project: Path) -> None:
    rows = jsonl.read(project / "rollouts/grpo.jsonl")
    assert [row["step"] for row in rows] == [step for step in range(1, 5) for _ in range(4)]


def test_curves_have_a_row_a_step(project: Path) -> None:
    lines = (project / "plots/grpo.csv").read_text().splitlines()
    assert lines[0].startswith("step,reward,") and len(lines) == 1 + 4


def test_an_adapter_holds_nothing_of_the_machine(project: Path) -> None:
    for adapter in ("sft", "grpo"):
        names = sorted(path.name for path in (project / "models" / adapter).iterdir())
        assert names == ["adapter_config.json", "adapter_model.safetensors"]
        config = json.loads((project / "models" / adapter / "adapter_config.json").read_text())
        assert config["target_modules"] == sorted(config["target_modules"])
        assert str(project) not in json.dumps(config)


def test_no_checkpoint_is_left_after_a_good_end(project: Path) -> None:
    assert not list(project.glob(".ckpt/*/*"))


def copy(project: Path, target: Path) -> Path:
    shutil.copytree(project, target, ignore=shutil.ignore_patterns(".ckpt"))
    shutil.rmtree(target / "models/grpo")
    shutil.rmtree(target / "rollouts")
    return target


def until(path: Path, pattern: str, process: subprocess.Popen[str]) -> None:
    """Wait until a file of that pattern is there."""
    while not list(path.glob(pattern)):
        assert process.poll() is None, "the stage ended before it could be interrupted"
        time.sleep(0.02)


def interrupt(
    folder: Path, stage: str, pattern: str, number: signal.Signals = signal.SIGKILL
) -> None:
    """Start a stage and send it a signal once a file of that pattern is there."""
    process = start(folder, stage)
    until(folder, pattern, process)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode != 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_training_goes_on_and_ends_in_the_same_bytes(
    project: Path, tmp_path: Path, number: signal.Signals
) -> None:
    folder = copy(project, tmp_path / "again")
    interrupt(folder, "grpo", ".ckpt/grpo/*/checkpoint-2/complete", number)
    assert not (folder / "models/grpo").exists()
    (kept,) = folder.glob(".ckpt/grpo/*/rollouts/000001.jsonl")
    jsonl.write(kept, [{**row, "kept": True} for row in jsonl.read(kept)])
    code, said = run(folder, "grpo")
    assert code == 0, said[-2000:]
    rollouts = jsonl.read(folder / "rollouts/grpo.jsonl")
    assert [row["step"] for row in rollouts if row.pop("kept", False)] == [
        1
    ] * 4  # not sampled anew
    assert digest(folder / "models/grpo") == digest(project / "models/grpo")
    jsonl.write(folder / "unmarked.jsonl", rollouts)
    whole = (project / "rollouts/grpo.jsonl").read_bytes()
    assert (folder / "unmarked.jsonl").read_bytes() == whole
    assert (folder / "plots/grpo.csv").read_bytes() == (project / "plots/grpo.csv").read_bytes()


def test_other_parameters_do_not_pick_up_the_checkpoint(project: Path, tmp_path: Path) -> None:
    folder = copy(project, tmp_path / "other")
    interrupt(folder, "grpo", ".ckpt/grpo/*/checkpoint-2/complete")
    params = yaml.safe_load((folder / "params.yaml").read_text())
    params["reward"]["wrong"] = 0.2
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    (old,) = folder.glob(".ckpt/grpo/*")
    old.rename(old.with_name("old"))
    interrupt(folder, "grpo", ".ckpt/grpo/[!o]*/rollouts/000001.jsonl")
    assert old.name not in {path.name for path in folder.glob(".ckpt/grpo/*")}


def test_an_interrupted_eval_redoes_only_what_is_missing(project: Path, tmp_path: Path) -> None:
    folder = copy(project, tmp_path / "eval")
    interrupt(folder, "eval sft", ".ckpt/eval-sft/*/000000.jsonl")
    (kept,) = folder.glob(".ckpt/eval-sft/*/000000.jsonl")
    rows = jsonl.read(kept)
    rows[0]["greedy"]["completion"] = "kept from before"
    jsonl.write(kept, rows)
    code, said = run(folder, "eval sft")
    assert code == 0, said[-2000:]
    text = (folder / "predictions/sft.jsonl").read_text()
    assert text.count("kept from before") == 1


@pytest.mark.parametrize(
    ("stage", "spoil", "sentence"),
    [
        ("grpo", "data/questions/rl.jsonl", "rl.jsonl, line 3: not JSON"),
        ("sft", "data/sft/train.jsonl", "train.jsonl, line 3: not JSON"),
        ("eval sft", "models/sft", "models/sft is missing"),
        ("eval base", "models/base", "models/base is missing"),
    ],
)
def test_a_bad_input_ends_in_one_sentence(
    project: Path, tmp_path: Path, stage: str, spoil: str, sentence: str
) -> None:
    folder = copy(project, tmp_path / "spoilt")
    target = folder / spoil
    if target.is_dir():
        shutil.rmtree(target)
    else:
        lines = target.read_text().splitlines()
        target.write_text("\n".join([*lines[:2], lines[2][:40], *lines[3:]]))
    code, said = run(folder, stage)
    assert code == 1
    assert sentence in said and "Traceback" not in said


def test_a_base_model_that_is_not_there_is_said_at_once(project: Path, tmp_path: Path) -> None:
    folder = copy(project, tmp_path / "base")
    params = yaml.safe_load((folder / "params.yaml").read_text())
    params["base"]["name"] = "no/such/folder"
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    code, said = run(folder, "base")
    assert code == 1
    assert "base: base.name: the folder no/such/folder has no config.json" in said
