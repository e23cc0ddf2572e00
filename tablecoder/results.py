"""The page of results: tables in Markdown, and the rows behind the charts.

Metrics are those of `scoring.evaluate`, per model: {"base": {"test": {…}, …}, "sft": …, "grpo": …}.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tablecoder.scoring import compare, rounded, status_counts, verdict, verifier_gain
from tablecoder.stats import Difference

Metrics = Mapping[str, Mapping[str, Mapping[str, Any]]]  # model → split → figures
Compared = Mapping[str, Mapping[str, Difference]]  # comparison → split → difference
Row = Mapping[str, Any]

MODELS = {"base": "base", "sft": "+ SFT", "grpo": "+ SFT + GRPO"}
BEGIN, END = "<!-- results -->", "<!-- /results -->"

# Each step of training against the model that it started from.
PAIRS = {"sft_vs_base": ("sft", "base"), "grpo_vs_sft": ("grpo", "sft")}


def compare_models(
    predictions: Mapping[str, Sequence[Row]], seed: int, resamples: int
) -> dict[str, dict[str, Difference]]:
    """Return what each training step did to greedy pass@1, by split."""
    return {
        name: compare(predictions[after], predictions[before], seed, resamples)
        for name, (after, before) in PAIRS.items()
    }


def verifier_gains(
    predictions: Mapping[str, Sequence[Row]], n: int, seed: int, resamples: int
) -> dict[str, dict[str, Difference]]:
    """Return what the choice among n samples adds to each model's greedy answer, by split."""
    return {
        f"{model}_verifier@{n}": verifier_gain(rows, n, seed, resamples)
        for model, rows in predictions.items()
    }


def compare_json(compared: Compared) -> dict[str, dict[str, dict[str, float]]]:
    """Return the differences as metrics/compare.json holds them."""
    return {
        name: {split: rounded(result) for split, result in splits.items()}
        for name, splits in compared.items()
    }


def page(
    metrics: Metrics,
    compared: Compared,
    predictions: Mapping[str, Sequence[Row]],
) -> str:
    """Return reports/results.md. `compared` maps each comparison's name to its splits."""
    n = largest(metrics)
    parts = [
        "# Results",
        f"Brackets hold 95 % intervals, n is the number of questions. verifier@{n}: the answer "
        f"that most of {n} samples agree on, failed programs left out. oracle@{n}: at least one "
        "of them is right.",
        f"{BEGIN}\n\n{results_table(metrics)}\n\n{END}",
        "## Paired tests",
        "`x_vs_y` is greedy pass@1 of x minus that of y; `x_verifier` is the verifier's choice "
        "minus the greedy completion, both of x. The questions are the same on both sides. p is "
        "two-sided: McNemar's exact test of right and wrong, a sign-flip test of shares. Better "
        "and worse mean p < 0.05; the interval is a bootstrap over questions.",
        comparison_table(compared),
        "## Levels",
        level_table(metrics),
        "## How the programs ended",
        status_table(predictions),
    ]
    return "\n\n".join(parts) + "\n"


def results_table(metrics: Metrics) -> str:
    """Return one table a split: models against the four chief figures, n in the header."""
    n = largest(metrics)
    figures = {
        "pass@1 greedy": "pass@1",
        "execution rate": "execution_rate",
        f"verifier@{n}": f"verifier@{n}",
        f"oracle@{n}": f"oracle@{n}",
    }
    return "\n\n".join(
        table(
            [f"{split} (n={metrics['base'][split]['n']})", *figures],
            [
                [label, *(cell(metrics[model][split][name]) for name in figures.values())]
                for model, label in MODELS.items()
            ],
        )
        for split in metrics["base"]
    )


def comparison_table(compared: Compared) -> str:
    """Return the paired tests, one line a comparison and split."""
    lines = [
        [name, split, signed(result), p_value(result.p), str(result.n), verdict(result)]
        for name, splits in compared.items()
        for split, result in splits.items()
    ]
    return table(["comparison", "split", "difference", "p", "n", "verdict"], lines)


def level_table(metrics: Metrics) -> str:
    """Return greedy pass@1 by level, one line a split and level."""
    lines = [
        [split, level, str(part["n"])]
        + [cell(metrics[model][split]["by_level"][level]["pass@1"]) for model in MODELS]
        for split in metrics["base"]
        for level, part in metrics["base"][split]["by_level"].items()
    ]
    header = ["split", "level", "n", *(f"{label}: pass@1" for label in MODELS.values())]
    return table(header, lines)


def status_table(predictions: Mapping[str, Sequence[Row]]) -> str:
    """Return how many completions ended in each sandbox status, greedy ones and samples apart."""
    keys = [
        (model, split, kind)
        for model, rows in predictions.items()
        for split in dict.fromkeys(row["split"] for row in rows)
        for kind in ("greedy", "samples")
    ]
    counts = {key: status_counts(predictions[key[0]], key[1], key[2]) for key in keys}
    # "ok" first, then the ways to fail that were seen, by name.
    statuses = sorted({s for count in counts.values() for s in count}, key=lambda s: (s != "ok", s))
    lines = [
        [MODELS[model], split, kind, *(str(counts[model, split, kind].get(s, 0)) for s in statuses)]
        for model, split, kind in keys
    ]
    return table(["model", "split", "completions", *statuses], lines)


def compute_rows(metrics: Metrics) -> list[dict[str, Any]]:
    """Return the rows of plots/test_time_compute.csv: verifier and oracle by model, split, n."""
    return [
        {"model": model, "split": split, "n": n, "questions": figures["n"]}
        | _ends("verifier", figures[f"verifier@{n}"])
        | _ends("oracle", figures[f"oracle@{n}"])
        for model in MODELS
        for split, figures in metrics[model].items()
        for n in pool_counts(figures)
    ]


def level_rows(metrics: Metrics) -> list[dict[str, Any]]:
    """Return the rows of plots/by_level.csv: greedy pass@1 by model, split and level."""
    return [
        {"model": model, "split": split, "level": level, "questions": part["n"]}
        | {"pass@1": part["pass@1"]["value"]}
        | {end: part["pass@1"][end] for end in ("low", "high")}
        for model in MODELS
        for split, figures in metrics[model].items()
        for level, part in figures["by_level"].items()
    ]


def pool_counts(figures: Mapping[str, Any]) -> list[int]:
    """Return the numbers of samples n for which there is a verifier@n, ascending."""
    names = [name.partition("@") for name in figures]
    return sorted(int(n) for figure, _, n in names if figure == "verifier")


def largest(metrics: Metrics) -> int:
    """Return the largest n of verifier@n that every model and split has.

    ValueError where they have none in common: models evaluated under other settings.
    """
    counts = [
        set(pool_counts(figures)) for splits in metrics.values() for figures in splits.values()
    ]
    shared = set.intersection(*counts)
    if not shared:
        raise ValueError("the models' metrics have no verifier@n in common: run eval for all again")
    return max(shared)


def cell(figure: Mapping[str, float]) -> str:
    """Return a share with its interval.

    >>> cell({"value": 0.6123, "low": 0.564, "high": 0.6591})
    '0.612 [0.564, 0.659]'
    """
    return f"{figure['value']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]"


def signed(result: Difference) -> str:
    """Return a difference with its interval, signs shown.

    >>> signed(Difference(difference=0.25, low=-0.1, high=0.5, p=0.2, n=20))
    '+0.250 [-0.100, +0.500]'
    """
    return f"{result.difference:+.3f} [{result.low:+.3f}, {result.high:+.3f}]"


def p_value(p: float) -> str:
    """Return p with three decimals; below that it says only how small.

    >>> p_value(0.0314), p_value(3e-9)
    ('0.031', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; `|` inside a cell is escaped.

    >>> print(table(["a", "b"], [["1", "x|y"]]))
    | a | b |
    |---|---|
    | 1 | x\\|y |
    """
    rows = ["| " + " | ".join(c.replace("|", "\\|") for c in line) + " |" for line in lines]
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header), *rows])


def _ends(name: str, figure: Mapping[str, float]) -> dict[str, float]:
    return {name: figure["value"], f"{name}_low": figure["low"], f"{name}_high": figure["high"]}
