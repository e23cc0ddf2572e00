"""The verifier's choice among several completions: what ran, then the majority of answers.

It sees no gold answer: it is what best-of-n would do in use.
"""

from collections import Counter
from collections.abc import Sequence


def canonical(value: float, decimals: int) -> float:
    """Return `value` as it counts in a vote on an answer asked for to `decimals` decimals.

    Where a whole number is asked for, 2.4 is not a vote for 2 (nor is it right); only float noise
    is taken off. There is one zero.

    >>> canonical(3.14159, 2), canonical(2.4, 0), canonical(2.9999999999999996, 0)
    (3.14, 2.4, 3.0)
    """
    return round(value, decimals if decimals else 9) + 0.0


def verifier_choice(values: Sequence[float | None], decimals: int) -> int | None:
    """Return the index of the first completion that gave the most frequent answer.

    `values` holds the answer of each completion, None where it failed or gave no number. A tie
    goes to the answer that came first. None where there is no answer at all.

    >>> verifier_choice([None, 7.0, 5.0, 5.0], decimals=0)
    2
    """
    votes = [None if value is None else canonical(value, decimals) for value in values]
    counts = Counter(vote for vote in votes if vote is not None)
    if not counts:
        return None
    winner, _ = counts.most_common(1)[0]  # equal counts stay in the order of first appearance
    return votes.index(winner)
