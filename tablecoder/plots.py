"""Figures of a run as PNG files that are the same bytes for the same numbers.

Each function takes rows (as read from the CSV files under plots/) and a path. Colours are from the
palette of Okabe and Ito, which colour-blind readers can tell apart; models also differ in marker.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

Row = Mapping[str, Any]

COLOURS = {"base": "#555555", "sft": "#D55E00", "grpo": "#0072B2"}
MARKERS = {"base": "o", "sft": "s", "grpo": "^"}
LABELS = {"base": "base", "sft": "+ SFT", "grpo": "+ SFT + GRPO"}
GRPO_PANELS = {
    "reward": "mean reward",
    "correct": "share right",
    "ran": "share that ran",
    "length": "completion length (tokens)",
    "zero_variance": "groups with equal rewards (share)",
    "gated": "groups with nothing right (share)",
}
GRPO_SHARES = {"correct", "ran", "zero_variance", "gated"}  # drawn from 0 to 1
SFT_COLUMNS = ["step", "loss", "eval_loss"]
GRPO_COLUMNS = ["step", *GRPO_PANELS]
WINDOW = 5  # steps of the trailing mean


def read_csv(path: Path, columns: Sequence[str]) -> list[dict[str, float]]:
    """Read these columns of a table of numbers; an empty cell is NaN.

    ValueError names the file and the column that it lacks, or says that it has no rows.
    """
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        missing = [name for name in columns if name not in (reader.fieldnames or [])]
        if missing:
            raise ValueError(f"{path} has no column {', '.join(missing)}")
        rows = [{name: float(row[name] or "nan") for name in columns} for row in reader]
    if not rows:
        raise ValueError(f"{path} has no rows")
    return rows


def compute_curve(rows: Sequence[Row], path: Path) -> None:
    """Draw accuracy over the number of samples n, one panel a split.

    Rows: model, split, n, and verifier and oracle each with _low and _high.
    """
    splits = list(dict.fromkeys(row["split"] for row in rows))

    def draw(axes: Sequence[Axes]) -> None:
        for ax, split in zip(axes, splits, strict=True):
            for model in COLOURS:
                _choice_curves(
                    ax, [r for r in rows if (r["split"], r["model"]) == (split, model)], model
                )
            _share_axis(ax, split, "samples per question, n")
            ax.set_xscale("log", base=2)
            ticks = sorted({row["n"] for row in rows})
            ax.set_xticks(ticks, labels=[str(n) for n in ticks], minor=False)
        axes[0].set_ylabel("share of questions right")

    handles = [*_model_handles(), *_choice_handles()]
    _save(path, len(splits), draw, handles)


def by_level(rows: Sequence[Row], path: Path) -> None:
    """Draw greedy pass@1 of each level with its interval, one panel a split.

    Rows: model, split, level, pass@1, low, high.
    """
    splits = list(dict.fromkeys(row["split"] for row in rows))

    def draw(axes: Sequence[Axes]) -> None:
        for ax, split in zip(axes, splits, strict=True):
            members = [row for row in rows if row["split"] == split]
            levels = sorted({row["level"] for row in members})
            for shift, model in zip((-0.2, 0.0, 0.2), COLOURS, strict=True):
                _level_points(ax, [r for r in members if r["model"] == model], levels, shift, model)
            _share_axis(ax, split, "level")
            ax.set_xticks(range(len(levels)), labels=levels)
            ax.set_xlim(-0.5, len(levels) - 0.5)
        axes[0].set_ylabel("greedy pass@1")

    _save(path, len(splits), draw, _model_handles())


def sft_curve(rows: Sequence[Row], path: Path) -> None:
    """Draw the SFT loss with the loss on held-out questions. Rows: SFT_COLUMNS."""

    def draw(axes: Sequence[Axes]) -> None:
        ax = axes[0]
        _series(ax, rows, "loss", COLOURS["sft"], label="training", marker=".")
        _series(ax, rows, "eval_loss", COLOURS["grpo"], label="held out", marker="o")
        ax.set(xlabel="step", ylabel="loss per token", title="SFT")
        ax.set_ylim(bottom=0)
        ax.legend(frameon=False)

    _save(path, 1, draw, [])


def grpo_curves(rows: Sequence[Row], path: Path) -> None:
    """Draw what GRPO logs at each step, with a trailing mean. Rows: GRPO_COLUMNS."""

    def draw(axes: Sequence[Axes]) -> None:
        for ax, (name, title) in zip(axes, GRPO_PANELS.items(), strict=True):
            values = [row[name] for row in rows]
            _series(ax, rows, name, COLOURS["grpo"], alpha=0.35, marker=".")
            smooth = trailing_mean(values, WINDOW)
            ax.plot([row["step"] for row in rows], smooth, color=COLOURS["grpo"], linewidth=2)
            ax.set(xlabel="step", title=title)
            ax.set_ylim(0, 1.02 if name in GRPO_SHARES else None)

    _save(path, len(GRPO_PANELS), draw, [])


def trailing_mean(values: Sequence[float], window: int) -> list[float]:
    """Return for each value the mean of it and of up to window - 1 values before it.

    >>> trailing_mean([2.0, 4.0, 6.0], window=2)
    [2.0, 3.0, 5.0]
    """
    parts = [values[max(0, i + 1 - window) : i + 1] for i in range(len(values))]
    return [sum(part) / len(part) for part in parts]


def _choice_curves(ax: Axes, rows: Sequence[Row], model: str) -> None:
    """Draw one model: the verifier's choice as a solid line, the oracle's as a dashed one."""
    rows = sorted(rows, key=lambda row: int(row["n"]))
    n = [row["n"] for row in rows]
    for kind, line, shade in (("verifier", "-", 0.18), ("oracle", "--", 0.08)):
        ax.plot(
            n,
            [row[kind] for row in rows],
            line,
            color=COLOURS[model],
            marker=MARKERS[model],
            markersize=5,
        )
        low, high = ([row[f"{kind}_{end}"] for row in rows] for end in ("low", "high"))
        ax.fill_between(n, low, high, color=COLOURS[model], alpha=shade, linewidth=0)


def _level_points(
    ax: Axes, rows: Sequence[Row], levels: Sequence[str], shift: float, model: str
) -> None:
    values = [row["pass@1"] for row in rows]
    # A bootstrap or score interval need not contain its estimate to the last digit.
    down = [max(0.0, row["pass@1"] - row["low"]) for row in rows]
    up = [max(0.0, row["high"] - row["pass@1"]) for row in rows]
    ax.errorbar(
        [levels.index(row["level"]) + shift for row in rows],
        values,
        yerr=[down, up],
        fmt=MARKERS[model],
        color=COLOURS[model],
        capsize=3,
    )


def _series(ax: Axes, rows: Sequence[Row], name: str, colour: str, **options: Any) -> None:
    """Plot the rows that have the value; empty cells are no gaps in the line."""
    points = [(row["step"], row[name]) for row in rows if row[name] == row[name]]
    ax.plot([x for x, _ in points], [y for _, y in points], color=colour, **options)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(alpha=0.3)


def _share_axis(ax: Axes, title: str, xlabel: str) -> None:
    ax.set(title=title, xlabel=xlabel, ylim=(-0.02, 1.02))
    ax.grid(alpha=0.3)


def _model_handles() -> list[Line2D]:
    return [
        Line2D([], [], color=COLOURS[model], marker=MARKERS[model], label=LABELS[model])
        for model in COLOURS
    ]


def _choice_handles() -> list[Line2D]:
    return [
        Line2D([], [], color="black", linestyle="-", label="verifier's choice"),
        Line2D([], [], color="black", linestyle="--", label="oracle"),
    ]


def _save(
    path: Path, panels: int, draw: Callable[[Sequence[Axes]], None], handles: Sequence[Line2D]
) -> None:
    """Lay out panels in rows of three at most, draw, and write the PNG.

    A matplotlibrc of the reader's and the version that savefig would note must not reach the file.
    """
    columns = min(panels, 3)
    lines = -(-panels // columns)
    with style.context("default", after_reset=True):
        figure = Figure(figsize=(4.2 * max(columns, 1.4), 3.3 * lines + 0.4), layout="constrained")
        axes = figure.subplots(lines, columns, squeeze=False)
        draw(list(axes.flat))
        if handles:
            figure.legend(
                handles=list(handles),
                loc="outside lower center",
                ncols=len(handles),
                frameon=False,
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120, format="png", metadata={"Software": None})
