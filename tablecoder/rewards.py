"""The reward of one completion, and the gate over a group of them. Pure functions.

Parts are kept apart until `total`, so that each can be logged and none can hide another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tablecoder.process import process_score
from tablecoder.sandbox.execution import Execution, Status

GATES = ("outcome", "off")


@dataclass(frozen=True)
class Reward:
    """Section `reward` of params.yaml: the tiers, and how the process score is blended in."""

    no_code: float
    error: float  # there is code, and it did not run to its end
    wrong: float  # it ran, and its answer is not right
    correct: float
    process_weight: float  # share of the process score in the reward of what is not right
    gate: str  # outcome: a group in which nothing is right teaches nothing; off

    def __post_init__(self) -> None:
        if not self.no_code <= self.error <= self.wrong < self.correct:
            raise ValueError("reward: need no_code <= error <= wrong < correct")
        if not 0 <= self.process_weight < 1:
            raise ValueError(f"reward.process_weight: need 0 <= w < 1, got {self.process_weight}")
        if self.gate not in GATES:
            raise ValueError(f"reward.gate: {self.gate!r} is none of {', '.join(GATES)}")


def components(execution: Execution, correct: bool) -> dict[str, float]:
    """Return each part of the reward, unweighted and in [0, 1].

    `correct` is the verdict on the answer. It is all or nothing (a credit for a near answer pays
    for guessing) and counts only where the program ran to its end: one that prints a guess and
    then leaves by `exit` is not right.
    """
    ran = execution.status is Status.OK
    return {
        "format": float(execution.status is not Status.NO_CODE),
        "ran": float(ran),
        "correct": float(ran and correct),
        "process": process_score(execution),
    }


def total(parts: Mapping[str, float], reward: Reward) -> float:
    """Return the reward of one completion from its parts.

    A right answer gets `correct`. Anything else gets its tier blended with the process score,
    (1 - w) * tier + w * process, where the process score counts in units of `correct`; as w < 1
    and the tier is below `correct`, so is the blend.
    """
    if parts["correct"]:
        return reward.correct
    weight = reward.process_weight
    return (1 - weight) * _tier(parts, reward) + weight * parts["process"] * reward.correct


def _tier(parts: Mapping[str, float], reward: Reward) -> float:
    if parts["ran"]:
        return reward.wrong
    return reward.error if parts["format"] else reward.no_code


def gate(totals: Sequence[float | None], correct: Sequence[bool], mode: str) -> list[float | None]:
    """Return the rewards of one group, its completions being for the same prompt.

    With "outcome", a group in which nothing is right gets equal rewards and so no advantage.
    Without that, a policy that is rarely right learns what separates the wrong ones: to write
    shorter programs that run and answer nothing. The equal reward is 0, whose mean and spread are
    exact in any float type. None, a fault of the sandbox, stays None.

    >>> gate([0.1, 0.3, None], [False, False, False], "outcome")
    [0.0, 0.0, None]
    """
    if mode not in GATES:
        raise ValueError(f"gate: {mode!r} is none of {', '.join(GATES)}")
    if len(totals) != len(correct):
        raise ValueError(f"gate: {len(totals)} rewards and {len(correct)} verdicts")
    judged = [right for value, right in zip(totals, correct, strict=True) if value is not None]
    if mode == "off" or any(judged):
        return list(totals)
    return [None if value is None else 0.0 for value in totals]
