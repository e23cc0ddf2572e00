"""Estimates with their uncertainty: pass@k, 95 % intervals and paired tests.

A question is the unit of every interval and test here: the samples of one question are not
independent of each other, so they are averaged first and only questions are resampled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import NormalDist, fmean

import numpy as np

from tablecoder.streams import stream

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """A mean paired difference over n questions, its 95 % interval and two-sided p."""

    difference: float
    low: float
    high: float
    p: float
    n: int


def pass_at_k(n: int, c: int, k: int) -> float:
    """Chance that at least one of k samples is right, given c right among n drawn.

    Unbiased (Chen et al. 2021, arXiv 2107.03374): the share of all k-subsets with a right one.
    ValueError when k samples cannot be taken from n.

    >>> pass_at_k(n=4, c=1, k=1)
    0.25
    >>> pass_at_k(n=4, c=1, k=4)
    1.0
    """
    if not 0 <= c <= n or not 1 <= k <= n:
        raise ValueError(f"need 0 <= c <= n and 1 <= k <= n, got n={n}, c={c}, k={k}")
    return 1 - comb(n - c, k) / comb(n, k)


def wilson(successes: int, n: int) -> Interval:
    """Return the share of successes with its 95 % score interval (Wilson 1927).

    Unlike the textbook interval it stays inside [0, 1] and has a width at 0 and at n successes.

    >>> interval = wilson(0, 10)
    >>> interval.low, round(interval.high, 3)
    (0.0, 0.278)
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"need n >= 1 and 0 <= successes <= n, got {successes} of {n}")
    share, spread = successes / n, Z * Z / n
    centre = (share + spread / 2) / (1 + spread)
    half = sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    # At the ends the score interval touches the estimate exactly; float noise must not cross it.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Interval(share, low, high)


def mean_interval(values: Sequence[float], seed: int, resamples: int, *path: str) -> Interval:
    """Return the mean of per-question values in [0, 1] with its 95 % interval over questions.

    0/1 values get Wilson's interval, all others a percentile bootstrap with the random stream
    named by `path`. The order of the values does not matter.
    """
    _check(values, resamples)
    mean = fmean(values)
    if _is_binary(values):
        return wilson(int(sum(values)), len(values))
    low, high = _bounds(values, (0.0, 1.0), seed, resamples, path)
    return Interval(mean, low, high)


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided p of McNemar's exact test for b and c discordant pairs.

    Under the null hypothesis each discordant pair is a fair coin; p is twice the smaller tail.

    >>> mcnemar_exact(0, 5)
    0.0625
    >>> mcnemar_exact(3, 3)
    1.0
    """
    if b < 0 or c < 0:
        raise ValueError(f"counts of discordant pairs cannot be negative, got b={b}, c={c}")
    pairs = b + c
    tail = sum(comb(pairs, i) for i in range(min(b, c) + 1))
    return min(1.0, 2 * tail / (1 << pairs))


def paired_difference(
    a: Sequence[float], b: Sequence[float], seed: int, resamples: int, *path: str
) -> Difference:
    """Compare two models on the same questions: mean(a) - mean(b), value by value.

    The interval is a percentile bootstrap over questions. p is McNemar's exact test for 0/1
    values, otherwise a sign-flip test with `resamples` draws. ValueError for unequal lengths,
    no questions, or values outside [0, 1].
    """
    if len(a) != len(b):
        raise ValueError(f"paired values need equal lengths, got {len(a)} and {len(b)}")
    _check(a, resamples)
    _check(b, resamples)
    differences = [x - y for x, y in zip(a, b, strict=True)]
    low, high = _bounds(differences, (-1.0, 1.0), seed, resamples, path)
    if _is_binary(a) and _is_binary(b):
        p = mcnemar_exact(differences.count(1), differences.count(-1))
    else:
        p = _sign_flip(differences, seed, resamples, path)
    return Difference(fmean(differences), low, high, p, len(a))


def _check(values: Sequence[float], resamples: int) -> None:
    if len(values) == 0:
        raise ValueError("no values: an interval needs at least one question")
    strange = [value for value in values if not 0 <= value <= 1]  # NaN is one too
    if strange:
        raise ValueError(f"values of questions must lie in [0, 1], got {strange[0]}")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")


def _is_binary(values: Sequence[float]) -> bool:
    return all(value in (0, 1) for value in values)


def _bounds(
    values: Sequence[float],
    bounds: tuple[float, float],
    seed: int,
    resamples: int,
    path: tuple[str, ...],
) -> tuple[float, float]:
    """Ends of the 95 % interval of the mean of values that lie within `bounds`."""
    distinct, counts = np.unique(np.asarray(values, dtype=float), return_counts=True)
    if len(distinct) == 1:
        return _constant_bounds(float(distinct[0]), len(values), bounds)
    # Drawing n questions with replacement = drawing how often each distinct value comes up.
    # There are few of those (k + 1 for k samples), so this needs no n x resamples matrix.
    draws = _generator(seed, "bootstrap", *path).multinomial(
        len(values), counts / len(values), size=resamples
    )
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(draws @ distinct / len(values), [tail, 1 - tail])
    return float(low), float(high)


def _constant_bounds(value: float, n: int, bounds: tuple[float, float]) -> tuple[float, float]:
    """Interval of n equal values, which a bootstrap would call certain.

    Up to a share h of all questions may differ and still not show among n (Wilson's bound for
    0 of n); each of those may lie anywhere within `bounds`.
    """
    hidden = wilson(0, n).high
    lowest, highest = bounds
    return value - hidden * (value - lowest), value + hidden * (highest - value)


def _sign_flip(
    differences: Sequence[float], seed: int, resamples: int, path: tuple[str, ...]
) -> float:
    """Two-sided p: how often random signs give a mean at least as far from 0 as the observed."""
    sizes = np.abs(np.asarray(differences, dtype=float))
    observed = abs(sum(differences))
    generator = _generator(seed, "sign-flip", *path)
    sums = (generator.choice([-1.0, 1.0], size=(resamples, len(sizes)))) @ sizes
    extreme = int(np.count_nonzero(np.abs(sums) >= observed - 1e-9))
    # The observed signs are one of the possible draws: p is never 0 (Phipson and Smyth 2010).
    return (1 + extreme) / (1 + resamples)


def _generator(seed: int, *path: str) -> np.random.Generator:
    return np.random.default_rng(stream(seed, *path).getrandbits(128))
