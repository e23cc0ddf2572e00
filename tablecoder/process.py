"""The process score: how far a program came before it broke."""

from tablecoder.sandbox.execution import Execution


def process_score(execution: Execution) -> float:
    """Return the share of the program's top-level statements that ran to their end, in [0, 1].

    A program that does not parse has 0, also where its first lines alone would run.

    The score can be padded: harmless statements before the one that fails raise the share. It is
    therefore only ever blended into the reward of a program that is not right, below what a right
    one gets (`rewards.total`), and a group in which nothing is right can be gated
    (`rewards.gate`). Padding a right program gains nothing, as its reward is fixed.
    """
    return execution.done / execution.total if execution.total else 0.0
