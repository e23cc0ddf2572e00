"""stats.py against independent computations: enumeration, scipy, simulation."""

import itertools
import random
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tablecoder.stats import (
    Interval,
    mcnemar_exact,
    mean_interval,
    paired_difference,
    pass_at_k,
    wilson,
)

RESAMPLES = 4000


@pytest.mark.parametrize(("n", "c"), [(1, 0), (1, 1), (4, 1), (5, 2), (6, 6), (7, 0), (8, 3)])
def test_pass_at_k_is_the_mean_over_all_draws(n, c):
    pool = [True] * c + [False] * (n - c)
    for k in range(1, n + 1):
        draws = [any(draw) for draw in itertools.combinations(pool, k)]
        assert pass_at_k(n, c, k) == pytest.approx(sum(draws) / len(draws))


@pytest.mark.parametrize(("n", "c", "k"), [(4, 5, 1), (4, -1, 1), (4, 1, 5), (4, 1, 0), (0, 0, 1)])
def test_pass_at_k_refuses_impossible_counts(n, c, k):
    with pytest.raises(ValueError, match=f"n={n}, c={c}, k={k}"):
        pass_at_k(n, c, k)


@pytest.mark.parametrize("n", [1, 2, 7, 30, 400])
def test_wilson_is_scipys(n):
    for successes in {0, 1, n // 2, n - 1, n}:
        theirs = binomtest(successes, n).proportion_ci(0.95, method="wilson")
        ours = wilson(successes, n)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
        assert ours.value == successes / n


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_contains_its_estimate_and_stays_a_share(counts):
    interval = wilson(*counts)
    assert 0 <= interval.low <= interval.value <= interval.high <= 1
    assert interval.low < interval.high


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_impossible_counts(successes, n):
    with pytest.raises(ValueError, match="successes"):
        wilson(successes, n)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_exact_sign_test(b, c):
    expected = binomtest(b, b + c, 0.5).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(expected)


def test_mcnemar_is_the_share_of_all_coin_sequences_as_extreme():
    b, c = 2, 7
    heads = [sum(coins) for coins in itertools.product([0, 1], repeat=b + c)]
    extreme = [min(h, b + c - h) <= min(b, c) for h in heads]
    assert mcnemar_exact(b, c) == pytest.approx(sum(extreme) / len(extreme))


def test_mcnemar_refuses_negative_counts():
    with pytest.raises(ValueError, match="b=-1"):
        mcnemar_exact(-1, 3)


def test_the_interval_of_right_and_wrong_is_wilsons():
    assert mean_interval([1, 0, 1, 1], 0, RESAMPLES, "x") == wilson(3, 4)


def test_the_interval_of_a_mean_is_the_plain_bootstrap():
    values = random.Random(0).choices([0, 0.25, 0.5, 1], k=60)
    draws = np.random.default_rng(1).choice(values, size=(20_000, len(values))).mean(axis=1)
    ours = mean_interval(values, 0, 20_000, "x")
    assert ours.value == pytest.approx(np.mean(values))
    assert (ours.low, ours.high) == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.01)


def test_the_interval_of_a_mean_matches_all_resamples_of_a_tiny_set():
    values = [0.0, 0.25, 0.5, 1.0]
    means = [sum(draw) / 4 for draw in itertools.product(values, repeat=4)]
    ours = mean_interval(values, 0, 40_000, "x")
    expected = np.quantile(means, [0.025, 0.975])
    assert (ours.low, ours.high) == pytest.approx(expected, abs=1 / 16)  # one step of the grid


def test_intervals_are_deterministic_named_and_free_of_order():
    values = [0.1, 0.9, 0.4, 0.4, 0.7, 0.2]
    interval = mean_interval(values, 0, 200, "a")
    assert interval == mean_interval(values, 0, 200, "a")
    assert interval == mean_interval(values[::-1], 0, 200, "a")
    assert interval != mean_interval(values, 0, 200, "b")
    assert interval != mean_interval(values, 1, 200, "a")


def test_about_95_of_100_intervals_hold_the_truth():
    generator = random.Random(0)
    held = 0
    for trial in range(300):
        values = [sum(generator.random() < 0.6 for _ in range(4)) / 4 for _ in range(50)]
        interval = mean_interval(values, trial, 500, "coverage")
        held += interval.low <= 0.6 <= interval.high
    assert 0.90 <= held / 300 <= 0.99


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_equal_values_are_not_certain(value):
    few, many = (mean_interval([value] * n, 0, RESAMPLES, "x") for n in (5, 500))
    assert few.low <= value <= few.high
    assert few.high - few.low > many.high - many.low > 0
    assert few.low >= 0
    assert few.high <= 1


def test_equal_values_leave_room_for_the_questions_not_seen():
    """None of 5 differs: up to wilson(0, 5).high of all may, each anywhere in [0, 1]."""
    hidden = wilson(0, 5).high
    interval = mean_interval([0.25] * 5, 0, RESAMPLES, "x")
    assert interval.low == pytest.approx((1 - hidden) * 0.25)
    assert interval.high == pytest.approx((1 - hidden) * 0.25 + hidden)
    difference = paired_difference([1] * 5, [0] * 5, 0, RESAMPLES)
    assert difference.low == pytest.approx((1 - hidden) - hidden)


@pytest.mark.parametrize(
    ("values", "message"),
    [([], "at least one question"), ([0.5, 1.5], "1.5"), ([float("nan")], "nan")],
)
def test_an_interval_refuses_what_is_no_share(values, message):
    with pytest.raises(ValueError, match=message):
        mean_interval(values, 0, RESAMPLES, "x")
    with pytest.raises(ValueError, match=message):
        paired_difference(values, values, 0, RESAMPLES)


def test_no_resamples_are_refused():
    with pytest.raises(ValueError, match="resamples"):
        mean_interval([0.5], 0, 0, "x")


def test_a_paired_difference_of_right_and_wrong_is_exact():
    a = [1, 1, 1, 1, 1, 1, 0, 0, 1, 0]
    b = [0, 0, 0, 0, 0, 1, 1, 0, 1, 0]
    result = paired_difference(a, b, 0, RESAMPLES)
    assert result.difference == pytest.approx(0.4)  # 5 gained, 1 lost, of 10
    assert result.p == pytest.approx(binomtest(1, 6, 0.5).pvalue)
    assert result.n == 10
    assert result.low < 0.4 < result.high


def test_the_interval_of_a_difference_resamples_questions_not_models():
    generator = random.Random(0)
    a = [float(generator.random() < 0.7) for _ in range(80)]
    b = [x if generator.random() < 0.9 else 1 - x for x in a]  # strongly paired
    where = np.random.default_rng(1).integers(0, 80, size=(20_000, 80))
    draws = (np.array(a) - np.array(b))[where].mean(axis=1)
    ours = paired_difference(a, b, 0, 20_000)
    assert (ours.low, ours.high) == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.015)


def test_swapping_the_models_flips_the_sign_only():
    a, b = [1, 1, 0, 1, 1, 0], [0, 1, 0, 0, 1, 1]
    forth, back = paired_difference(a, b, 0, RESAMPLES), paired_difference(b, a, 0, RESAMPLES)
    assert forth.difference == -back.difference
    assert forth.p == back.p


def test_shares_are_compared_by_all_sign_flips():
    a, b = [0.5, 0.75, 1.0, 0.25, 1.0, 0.5], [0.25, 0.25, 0.5, 0.5, 0.25, 0.5]
    differences = [x - y for x, y in zip(a, b, strict=True)]
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in itertools.product([-1, 1], repeat=6)
    ]
    expected = np.mean([total >= abs(sum(differences)) - 1e-9 for total in sums])
    assert paired_difference(a, b, 0, 20_000).p == pytest.approx(expected, abs=0.01)


def test_equal_models_are_not_certain_to_be_equal():
    result = paired_difference([1, 0, 1], [1, 0, 1], 0, RESAMPLES)
    assert result.difference == 0
    assert result.p == 1
    assert -1 <= result.low < 0 < result.high <= 1


def test_a_clean_sweep_has_an_interval_within_reach():
    result = paired_difference([1] * 20, [0] * 20, 0, RESAMPLES)
    assert (result.difference, result.high) == (1, 1)
    assert 0 < result.low < 1
    assert result.p == pytest.approx(2 / 2**20)


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="2 and 1"):
        paired_difference([1, 0], [1], 0, RESAMPLES)


def test_results_are_plain_numbers():
    result = paired_difference([0.5, 1.0], [0.0, 1.0], 0, 50)
    assert all(type(value) in (float, int) for value in vars(result).values())
    interval = mean_interval([0.5, 1.0], 0, 50, "x")
    assert isinstance(interval, Interval)
    assert all(type(value) is float and not isnan(value) for value in vars(interval).values())
