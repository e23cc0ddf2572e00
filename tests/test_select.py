"""The verifier's choice."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecoder.answers import matches
from tablecoder.select import canonical, verifier_choice

VALUES = st.lists(st.one_of(st.none(), st.sampled_from([0.0, 1.0, 2.0, 2.5, -1.0])), max_size=9)


@pytest.mark.parametrize(
    ("values", "choice"),
    [
        ([], None),
        ([None, None], None),
        ([None, 3.0], 1),
        ([1.0, 2.0, 2.0], 1),
        ([2.0, 1.0, 1.0, 2.0], 0),  # a tie: what came first
        ([1.0, None, None, None], 0),  # a failed run has no vote
        ([5.0, 0.1 + 0.2, 0.3], 1),
        ([0.0, 1.0, -0.0], 0),
    ],
)
def test_the_majority_of_what_ran_wins(values: list[float | None], choice: int | None) -> None:
    assert verifier_choice(values, decimals=2) == choice


@given(VALUES, st.integers(0, 4))
def test_the_choice_is_the_first_with_a_most_frequent_value(
    values: list[float | None], decimals: int
) -> None:
    choice = verifier_choice(values, decimals)
    votes = [v for v in values if v is not None]
    if not votes:
        assert choice is None
        return
    assert choice is not None
    winner = values[choice]
    assert winner is not None
    key = canonical(winner, decimals)
    counts = Counter(canonical(v, decimals) for v in votes)
    assert counts[key] == max(counts.values())
    assert all(v is None or canonical(v, decimals) != key for v in values[:choice])


def test_a_fraction_is_no_vote_for_a_whole_number() -> None:
    values = [2.4, 2.0, 2.0]
    choice = verifier_choice(values, decimals=0)
    assert choice is not None and matches(values[choice], 2.0, 0)


@given(st.floats(-1e9, 1e9), st.integers(1, 6))
def test_a_canonical_value_still_matches_what_it_came_from(value: float, decimals: int) -> None:
    assert matches(value, canonical(value, decimals), decimals)
    assert canonical(canonical(value, decimals), decimals) == canonical(value, decimals)
