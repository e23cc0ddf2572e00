"""Stage report: compare the models, draw the curves and write the pages of results.

reads   predictions/{base,sft,grpo}.jsonl, metrics/eval/{base,sft,grpo}.json, metrics/data.json,
        plots/sft.csv, plots/grpo.csv, and params.yaml as a whole but `runtime`
writes  metrics/compare.json, plots/test_time_compute.csv, plots/by_level.csv,
        plots/{test_time_compute,by_level,sft,grpo}.png, reports/results.md, reports/model_card.md
"""

import json
from dataclasses import dataclass
from pathlib import Path

from tablecoder import jsonl, model_card, outputs, params, plots, results
from tablecoder.stage import run


@dataclass(frozen=True)
class Report:
    """Section `report` of params.yaml."""

    seed: int
    resamples: int  # of each bootstrap


def main() -> None:
    settings = params.load("report", Report)
    predictions = {name: jsonl.read(Path(f"predictions/{name}.jsonl")) for name in results.MODELS}
    metrics = {
        name: json.loads(Path(f"metrics/eval/{name}.json").read_text(encoding="utf-8"))
        for name in results.MODELS
    }
    data = json.loads(Path("metrics/data.json").read_text(encoding="utf-8"))

    against = results.compare_models(predictions, settings.seed, settings.resamples)
    gains = results.verifier_gains(
        predictions, results.largest(metrics), settings.seed, settings.resamples
    )
    outputs.write_json(Path("metrics/compare.json"), results.compare_json(against))

    levels, choices = results.level_rows(metrics), results.compute_rows(metrics)
    outputs.write_csv(Path("plots/by_level.csv"), levels)
    outputs.write_csv(Path("plots/test_time_compute.csv"), choices)
    plots.by_level(levels, Path("plots/by_level.png"))
    plots.compute_curve(choices, Path("plots/test_time_compute.png"))
    sft_log = plots.read_csv(Path("plots/sft.csv"), plots.SFT_COLUMNS)
    grpo_log = plots.read_csv(Path("plots/grpo.csv"), plots.GRPO_COLUMNS)
    plots.sft_curve(sft_log, Path("plots/sft.png"))
    plots.grpo_curves(grpo_log, Path("plots/grpo.png"))

    page = results.page(metrics, against | gains, predictions)
    card = model_card.model_card(params.sections(), data, metrics, against | gains)
    outputs.write_text(Path("reports/results.md"), page)
    outputs.write_text(Path("reports/model_card.md"), card)


if __name__ == "__main__":
    run("report", main)
