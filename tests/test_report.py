"""The report stage on made-up prediction rows: its numbers, its pages, its bytes."""

import csv
import hashlib
import json
import random
import re
from pathlib import Path

import pytest
import yaml

from stages import report
from tablecoder import jsonl, model_card, outputs, plots, readme, results, scoring

ROOT = Path(__file__).parents[1]
GOLD = 5.0
KS = [1, 2, 4]
SKILL = {"base": 0.1, "sft": 0.5, "grpo": 0.9}
OUTPUTS = [
    "metrics/compare.json",
    "plots/by_level.csv",
    "plots/by_level.png",
    "plots/grpo.png",
    "plots/sft.png",
    "plots/test_time_compute.csv",
    "plots/test_time_compute.png",
    "reports/model_card.md",
    "reports/results.md",
]


def candidate(value):
    status = "error" if value is None else "ok"
    return {"value": value, "status": status, "correct": value == GOLD}


def prediction(split, number, greedy, samples):
    return {
        "id": f"{split}-{number}",
        "split": split,
        "family": f"f{number % 3}",
        "level": f"L{number % 2 + 1}",
        "lang": "en" if number % 2 else "zh",
        "decimals": 0,
        "greedy": candidate(greedy),
        "samples": [candidate(value) for value in samples],
    }


def drawn_rows(model, sizes):
    """Prediction rows of a model that is right with the probability SKILL[model]."""
    generator = random.Random(model)
    right, other = SKILL[model], (1 - SKILL[model]) / 2

    def draw():
        return generator.choices([GOLD, 7.0, None], [right, other, other])[0]

    return [
        prediction(split, number, draw(), [draw() for _ in range(KS[-1])])
        for split, n in sizes.items()
        for number in range(n)
    ]


def write_inputs(folder, sizes):
    """Everything that the stage reads, under `folder`."""
    sections = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    sections["report"] = {"seed": 0, "resamples": 100}
    outputs.write_text(folder / "params.yaml", yaml.safe_dump(sections, sort_keys=False))
    (folder / "predictions").mkdir()
    for model in SKILL:
        rows = drawn_rows(model, sizes)
        jsonl.write(folder / f"predictions/{model}.jsonl", rows)
        outputs.write_json(
            folder / f"metrics/eval/{model}.json", scoring.evaluate(rows, KS, 0, 100)
        )
    outputs.write_json(folder / "metrics/data.json", {"train": {"questions": 1600}})
    sft = [{"step": i, "loss": 2 / i, "eval_loss": 1 if i == 4 else ""} for i in range(1, 5)]
    outputs.write_csv(folder / "plots/sft.csv", sft)
    grpo = [dict.fromkeys(plots.GRPO_COLUMNS, 0.5) | {"step": i} for i in range(1, 8)]
    outputs.write_csv(folder / "plots/grpo.csv", grpo)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished run of the stage with 40 test and 20 test_ood questions."""
    folder = tmp_path_factory.mktemp("report")
    write_inputs(folder, {"test": 40, "test_ood": 20})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        report.main()
    return folder


def digests(folder):
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in OUTPUTS}


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_stage_writes_what_its_header_says(folder):
    inputs = {"params.yaml", "metrics/data.json", "plots/sft.csv", "plots/grpo.csv"}
    inputs |= {f"metrics/eval/{model}.json" for model in SKILL}
    inputs |= {f"predictions/{model}.jsonl" for model in SKILL}
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files - inputs == set(OUTPUTS)


def test_a_second_run_writes_the_same_bytes(folder, monkeypatch):
    first = digests(folder)
    for name in OUTPUTS:
        (folder / name).unlink()
    monkeypatch.chdir(folder)
    report.main()
    assert digests(folder) == first


def test_a_readers_matplotlib_settings_do_not_reach_the_figures(folder, tmp_path):
    rows = plots.read_csv(folder / "plots/sft.csv", plots.SFT_COLUMNS)
    with plots.style.context({"figure.dpi": 50, "lines.linewidth": 9, "font.size": 20}):
        plots.sft_curve(rows, tmp_path / "sft.png")
    assert (tmp_path / "sft.png").read_bytes() == (folder / "plots/sft.png").read_bytes()


def test_comparisons_have_the_fixed_shape(folder):
    compared = json.loads((folder / "metrics/compare.json").read_text(encoding="utf-8"))
    assert list(compared) == ["grpo_vs_sft", "sft_vs_base"]
    for splits in compared.values():
        assert {split: result["n"] for split, result in splits.items()} == {
            "test": 40,
            "test_ood": 20,
        }
        for result in splits.values():
            assert set(result) == {"difference", "low", "high", "p", "n"}


def test_a_comparison_is_the_difference_of_the_two_models_metrics(folder):
    compared = json.loads((folder / "metrics/compare.json").read_text(encoding="utf-8"))
    sft, base = (
        json.loads((folder / f"metrics/eval/{model}.json").read_text(encoding="utf-8"))
        for model in ("sft", "base")
    )
    expected = sft["test"]["pass@1"]["value"] - base["test"]["pass@1"]["value"]
    assert compared["sft_vs_base"]["test"]["difference"] == pytest.approx(expected)


def test_the_curve_has_every_model_split_and_n(folder):
    rows = read_csv(folder / "plots/test_time_compute.csv")
    keys = [(row["model"], row["split"], int(row["n"])) for row in rows]
    assert keys == [(m, s, n) for m in SKILL for s in ("test", "test_ood") for n in KS]
    for row in rows:
        assert float(row["verifier"]) <= float(row["oracle"]) + 1e-9
        assert float(row["verifier_low"]) <= float(row["verifier"]) <= float(row["verifier_high"])


def test_the_curve_ends_in_the_numbers_of_the_metrics(folder):
    metrics = json.loads((folder / "metrics/eval/sft.json").read_text(encoding="utf-8"))
    rows = read_csv(folder / "plots/test_time_compute.csv")
    row = next(r for r in rows if (r["model"], r["split"], r["n"]) == ("sft", "test_ood", "4"))
    assert float(row["verifier"]) == metrics["test_ood"]["verifier@4"]["value"]
    assert float(row["oracle_high"]) == metrics["test_ood"]["oracle@4"]["high"]


def test_the_levels_of_a_split_hold_all_its_questions(folder):
    rows = read_csv(folder / "plots/by_level.csv")
    held = [int(r["questions"]) for r in rows if (r["model"], r["split"]) == ("grpo", "test")]
    assert sum(held) == 40


def test_the_results_table_shows_the_metrics(folder):
    page = (folder / "reports/results.md").read_text(encoding="utf-8")
    grpo = json.loads((folder / "metrics/eval/grpo.json").read_text(encoding="utf-8"))["test"]
    names = ["pass@1", "execution_rate", "verifier@4", "oracle@4"]
    cells = " | ".join(results.cell(grpo[name]) for name in names)
    assert f"| + SFT + GRPO | {cells} |" in page
    assert "| test (n=40) | pass@1 greedy | execution rate | verifier@4 | oracle@4 |" in page
    assert "| test_ood (n=20) |" in page


def test_a_table_by_hand():
    """Four questions, three right: every number of the row can be counted."""
    rows = [prediction("test", i, GOLD if i else None, [GOLD, None]) for i in range(4)]
    metrics = scoring.evaluate(rows, [1, 2], 0, 100, splits=["test"])
    lines = results.results_table(dict.fromkeys(SKILL, metrics)).splitlines()
    # Wilson's interval of 3 of 4 and of 4 of 4
    three, four = "0.750 [0.301, 0.954]", "1.000 [0.510, 1.000]"
    assert lines[2] == f"| base | {three} | {three} | {four} | {four} |"


def test_the_page_says_what_n_cannot_resolve():
    rows = [prediction("test", i, GOLD if i % 2 else 7.0, [GOLD]) for i in range(4)]
    worse = [prediction("test", i, 7.0, [GOLD]) for i in range(4)]
    difference = scoring.compare(rows, worse, 0, 100, splits=["test"])
    line = results.comparison_table({"a_vs_b": difference}).splitlines()[-1]
    assert line.startswith("| a_vs_b | test | +0.500 [")
    assert line.endswith("| 0.500 | 4 | not resolvable with n=4 |")  # two gained: p = 2 / 2^2


def test_the_verifiers_gain_is_over_the_same_models_greedy_answer():
    # greedy always wrong; the vote of three is right on 7 of 8 questions
    rows = [prediction("test", i, 7.0, [GOLD, 7.0, GOLD]) for i in range(7)]
    rows.append(prediction("test", 7, 7.0, [None, None, None]))
    gain = scoring.verifier_gain(rows, 3, 0, 100, splits=["test"])["test"]
    assert gain.difference == 7 / 8
    assert gain.p == 2 / 2**7


def test_statuses_are_listed_per_model_and_add_up(folder):
    page = (folder / "reports/results.md").read_text(encoding="utf-8")
    header = "| model | split | completions | ok | error |"
    assert header in page
    lines = page.split(header)[1].strip().splitlines()[1:]
    assert len(lines) == 3 * 2 * 2
    first = [cell.strip() for cell in lines[0].strip("|").split("|")]
    assert first[:3] == ["base", "test", "greedy"]
    assert int(first[3]) + int(first[4]) == 40


def test_the_model_card_holds_parameters_results_and_data(folder):
    card = (folder / "reports/model_card.md").read_text(encoding="utf-8")
    block = card.split("```yaml\n")[1].split("```")[0]
    shown = yaml.safe_load(block)
    sections = yaml.safe_load((folder / "params.yaml").read_text(encoding="utf-8"))
    assert shown == {name: sections[name] for name in model_card.SECTIONS}
    assert readme.block(folder / "reports/results.md").strip() in card
    assert "- train: questions 1600" in card


def test_the_model_card_shows_all_but_the_runtime():
    sections = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    assert set(sections) - set(model_card.SECTIONS) == {"runtime"}


def test_one_question_a_split_is_enough(tmp_path, monkeypatch):
    write_inputs(tmp_path, {"test": 1, "test_ood": 1})
    monkeypatch.chdir(tmp_path)
    report.main()
    assert "not resolvable with n=1" in (tmp_path / "reports/results.md").read_text(
        encoding="utf-8"
    )


def test_models_evaluated_under_different_k_meet_at_the_largest_in_common():
    figures = {"n": 1, "verifier@1": {}, "verifier@2": {}}
    assert (
        results.largest({"base": {"test": figures | {"verifier@4": {}}}, "sft": {"test": figures}})
        == 2
    )
    with pytest.raises(ValueError, match="run eval for all again"):
        results.largest({"base": {"test": {"verifier@1": {}}}, "sft": {"test": {"verifier@2": {}}}})


def test_a_log_without_a_column_or_rows_is_named(tmp_path):
    outputs.write_csv(tmp_path / "log.csv", [{"step": 1, "loss": ""}])
    assert plots.read_csv(tmp_path / "log.csv", ["step"]) == [{"step": 1.0}]
    with pytest.raises(ValueError, match="log.csv has no column eval_loss"):
        plots.read_csv(tmp_path / "log.csv", plots.SFT_COLUMNS)
    outputs.write_text(tmp_path / "log.csv", "step,loss,eval_loss\n")
    with pytest.raises(ValueError, match="log.csv has no rows"):
        plots.read_csv(tmp_path / "log.csv", plots.SFT_COLUMNS)


def test_the_readme_takes_over_the_table_and_nothing_else(folder, tmp_path):
    path = tmp_path / "README.md"
    outputs.write_text(path, f"before\n{readme.BEGIN}\nold\n{readme.END}\nafter\n")
    assert readme.update(folder / "reports/results.md", path)
    assert readme.block(path) == readme.block(folder / "reports/results.md")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert not readme.update(folder / "reports/results.md", path)


@pytest.mark.parametrize("text", ["none", readme.BEGIN, readme.END + readme.BEGIN])
def test_a_readme_without_its_markers_is_refused(tmp_path, text):
    outputs.write_text(tmp_path / "README.md", text)
    with pytest.raises(ValueError, match="once each and in this order"):
        readme.block(tmp_path / "README.md")


def test_the_readme_shows_the_results_of_the_last_report():
    for path in (ROOT / readme.README, ROOT / readme.RESULTS):
        if not path.is_file():
            pytest.skip(f"{path.name} is not there: no run has been reported yet")
    assert readme.block(ROOT / readme.README) == readme.block(ROOT / readme.RESULTS)


def test_pages_hold_no_trace_of_where_they_were_written(folder):
    for name in OUTPUTS:
        assert str(folder).encode() not in (folder / name).read_bytes()


@pytest.mark.parametrize("name", ["test_time_compute", "by_level"])
def test_the_columns_that_dvcs_templates_draw_are_in_the_csv(folder, name):
    template = (ROOT / f".dvc/plots/{name}.json").read_text(encoding="utf-8")
    drawn = set(re.findall(r'"field": "(\w+)"', template))
    made = {"rev", "choice", "share", "low", "high"}  # by DVC and by the template itself
    columns = read_csv(folder / f"plots/{name}.csv")[0].keys()
    assert drawn - made <= columns
    assert '"domain": ["base", "sft", "grpo"]' in template
