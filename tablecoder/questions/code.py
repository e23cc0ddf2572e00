"""Pieces of the reference programs."""

from tablecoder.questions.conditions import Condition


def keep(frame: str, *conditions: Condition) -> str:
    """Return the rows of `frame` that meet all conditions, in pandas."""
    masks = [condition.mask(frame) for condition in conditions]
    if len(masks) < 2:
        return f"{frame}[{masks[0]}]" if masks else frame
    return f"{frame}[{' & '.join(map(_bound, masks))}]"


def show(expression: str, decimals: int, whole: bool = True) -> str:
    """Return the last line: print `expression`, rounded when the question says so.

    `whole` is False for a float that stands for a whole number: it is printed as one.
    """
    if decimals == 0:
        return f"print({expression})" if whole else f"print(int({expression}))"
    return f"print(round({expression}, {decimals}))"


def _bound(mask: str) -> str:
    """Return `mask` so that `&` can follow: a comparison binds less tightly than that."""
    return mask if mask.endswith(")") else f"({mask})"
