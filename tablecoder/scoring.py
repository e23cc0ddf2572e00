"""Prediction rows to metrics: what one model scored, and how two models compare.

A prediction row holds one question's greedy completion and its pool of samples, already executed
and marked. Everything here is a pure function of such rows; nothing is sampled or executed again.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from tablecoder.select import verifier_choice
from tablecoder.stats import Difference, Interval, mean_interval, paired_difference, pass_at_k

Row = Mapping[str, Any]
Figures = dict[str, float]  # of one question, each in [0, 1]

SPLITS = ("test", "test_ood")
SIGNIFICANCE = 0.05
DIGITS = 6  # significant ones of the numbers in metrics files


def evaluate(
    rows: Sequence[Row],
    ks: Sequence[int],
    seed: int,
    resamples: int,
    splits: Sequence[str] = SPLITS,
) -> dict[str, dict[str, Any]]:
    """Return the metrics of one model: {split: {"n", figure: {"value", "low", "high"}, …}}.

    Figures are greedy pass@1 and execution_rate; sampled_pass@1, unbiased pass@k, verifier@k and
    oracle@k for each k from the samples; "by_level", "by_lang" and "by_family" repeat the chief
    ones on parts of the split. ValueError for a split without rows, a repeated question, pools of
    different sizes or a k larger than the pool.
    """
    pool = pool_size(rows)
    _check_ks(ks, pool)
    chief = ["pass@1", "execution_rate", f"verifier@{max(ks)}", f"oracle@{max(ks)}"]
    metrics = {}
    for split, members in _by_split(rows, splits).items():
        figures = [question_figures(row, ks) for row in members]
        summary = _summary(figures, list(figures[0]), seed, resamples, split)
        for field, names in (("level", chief), ("lang", chief), ("family", chief[:2])):
            summary[f"by_{field}"] = {
                part: _summary([figures[i] for i in where], names, seed, resamples, split, part)
                for part, where in _positions(members, field).items()
            }
        metrics[split] = summary
    return metrics


def question_figures(row: Row, ks: Sequence[int]) -> Figures:
    """Return every figure of one question; their means over questions are the metrics.

    oracle@k is the unbiased pass@k under its second name: the bound of any choice among k.
    """
    right = [bool(sample["correct"]) for sample in row["samples"]]
    reachable = {k: pass_at_k(len(right), sum(right), k) for k in ks}
    figures = {
        "pass@1": float(row["greedy"]["correct"]),
        "execution_rate": float(row["greedy"]["status"] == "ok"),
        "sampled_pass@1": fmean(right),
    }
    # pass@1 is greedy everywhere in this project; the sampled one has its own name.
    figures |= {f"pass@{k}": share for k, share in reachable.items() if k > 1}
    figures |= {f"verifier@{k}": verifier_at(row, k) for k in ks}
    return figures | {f"oracle@{k}": share for k, share in reachable.items()}


def verifier_at(row: Row, n: int) -> float:
    """Share of the pool's disjoint blocks of n consecutive samples where the verifier is right.

    A pool of 8 has 8, 4, 2 and 1 blocks of 1, 2, 4 and 8: the average over blocks uses every
    sample once (a remainder smaller than n is left out) and needs no random draw. The verifier
    sees values only, never which of them are right.
    """
    samples = row["samples"]
    blocks = [samples[i : i + n] for i in range(0, len(samples) - n + 1, n)]
    return fmean(_chosen_is_right(block, row["decimals"]) for block in blocks)


def compare(
    rows_a: Sequence[Row],
    rows_b: Sequence[Row],
    seed: int,
    resamples: int,
    splits: Sequence[str] = SPLITS,
) -> dict[str, Difference]:
    """Return per split how much greedy pass@1 of model a exceeds that of b on the same questions.

    ValueError where the two do not hold the same question ids.
    """
    parts_a, parts_b = _by_split(rows_a, splits), _by_split(rows_b, splits)
    return {
        split: paired_difference(
            *_paired(parts_a[split], parts_b[split], split), seed, resamples, "compare", split
        )
        for split in splits
    }


def verifier_gain(
    rows: Sequence[Row], n: int, seed: int, resamples: int, splits: Sequence[str] = SPLITS
) -> dict[str, Difference]:
    """Return per split how much the verifier's choice among n exceeds the greedy completion.

    Both answer the same questions, so this is a paired comparison of one model with itself.
    """
    return {
        split: paired_difference(
            [verifier_at(row, n) for row in members],
            [float(row["greedy"]["correct"]) for row in members],
            seed,
            resamples,
            "verifier",
            split,
        )
        for split, members in _by_split(rows, splits).items()
    }


def verdict(difference: Difference) -> str:
    """Say in a word what the paired test resolves at the 5 % level.

    >>> verdict(Difference(difference=0.2, low=0.1, high=0.3, p=0.001, n=100))
    'better'
    >>> verdict(Difference(difference=0.02, low=-0.1, high=0.14, p=0.8, n=50))
    'not resolvable with n=50'
    """
    if difference.p >= SIGNIFICANCE:
        return f"not resolvable with n={difference.n}"
    return "better" if difference.difference > 0 else "worse"


def rounded(result: Interval | Difference) -> dict[str, float]:
    """Return the fields as metrics files hold them: that many significant digits, n whole.

    >>> rounded(Interval(value=2 / 3, low=1e-9 / 3, high=1.0))
    {'value': 0.666667, 'low': 3.33333e-10, 'high': 1.0}
    """
    return {
        key: value if isinstance(value, int) else float(f"{value:.{DIGITS}g}")
        for key, value in vars(result).items()
    }


def pool_size(rows: Sequence[Row]) -> int:
    """Return the number of samples that every question has; ValueError where they differ."""
    sizes = sorted({len(row["samples"]) for row in rows})
    if not sizes:
        raise ValueError("no prediction rows")
    if len(sizes) > 1:
        raise ValueError(f"questions have different numbers of samples: {sizes}")
    return sizes[0]


def status_counts(rows: Iterable[Row], split: str, kind: str) -> dict[str, int]:
    """Count the sandbox statuses of a split's "greedy" or "samples" completions, sorted by name."""
    counts: dict[str, int] = {}
    for row in rows:
        if row["split"] == split:
            for candidate in [row["greedy"]] if kind == "greedy" else row["samples"]:
                counts[candidate["status"]] = counts.get(candidate["status"], 0) + 1
    return dict(sorted(counts.items()))


def _chosen_is_right(candidates: Sequence[Row], decimals: int) -> float:
    choice = verifier_choice([candidate["value"] for candidate in candidates], decimals)
    return 0.0 if choice is None else float(candidates[choice]["correct"])


def _summary(
    figures: Sequence[Figures], names: Sequence[str], seed: int, resamples: int, *path: str
) -> dict[str, Any]:
    """Return n and the mean of each named figure over the questions, with its interval."""
    summary: dict[str, Any] = {"n": len(figures)}
    for name in names:
        values = [question[name] for question in figures]
        # One stream for all figures of a part, so that equal figures (pass@4 and oracle@4) get
        # equal intervals.
        summary[name] = rounded(mean_interval(values, seed, resamples, *path))
    return summary


def _by_split(rows: Sequence[Row], splits: Sequence[str]) -> dict[str, list[Row]]:
    """Group rows by split, each question once; ValueError names what is wrong."""
    parts: dict[str, list[Row]] = {split: [] for split in splits}
    seen = set()
    for row in rows:
        if row["split"] not in parts:
            raise ValueError(f"question {row['id']}: split {row['split']!r} is not in {splits}")
        if row["id"] in seen:
            raise ValueError(f"question {row['id']} has more than one prediction row")
        seen.add(row["id"])
        parts[row["split"]].append(row)
    empty = [split for split, members in parts.items() if not members]
    if empty:
        raise ValueError(f"no prediction rows for split {', '.join(empty)}")
    return parts


def _positions(rows: Sequence[Row], field: str) -> dict[str, list[int]]:
    """Return for each value of `field`, sorted, where in `rows` it stands."""
    positions: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        positions.setdefault(str(row[field]), []).append(i)
    return dict(sorted(positions.items()))


def _paired(
    rows_a: Sequence[Row], rows_b: Sequence[Row], split: str
) -> tuple[list[float], list[float]]:
    a, b = _greedy(rows_a), _greedy(rows_b)
    alone = sorted(a.keys() ^ b.keys())
    if alone:
        shown = ", ".join(alone[:3])
        raise ValueError(f"split {split}: {len(alone)} questions have one model only, e.g. {shown}")
    return list(a.values()), [b[question_id] for question_id in a]


def _greedy(rows: Sequence[Row]) -> dict[str, float]:
    return {row["id"]: float(row["greedy"]["correct"]) for row in rows}


def _check_ks(ks: Sequence[int], pool: int) -> None:
    if not ks or len(set(ks)) != len(ks) or not all(1 <= k <= pool for k in ks):
        raise ValueError(f"k must be distinct numbers from 1 to the {pool} samples, got {list(ks)}")
