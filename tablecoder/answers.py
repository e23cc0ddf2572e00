"""From what a program printed to a number, and whether that number is the gold answer.

The text is read by one fixed form and is never evaluated. A policy names one way of comparing;
`strict` is the pipeline's own. A change of a policy's meaning raises its version.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

_MAX_CHARACTERS = 100  # of a line; no answer is longer, and float() is slow on a million digits

# Full-width letters, digits and marks as plain ones. Not Unicode NFKC: that reads 10² as 102.
_PLAIN = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0x2212: 0x2D}

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)"
    r"(?P<rest>(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*%?"
)
_PREFIX = re.compile(r"(?:answer|答案)\s*:\s*(?P<value>.*)", re.IGNORECASE)
_NUMPY = re.compile(r"(?:np|numpy)\.(?:float|int|uint)(?:16|32|64|8)\((?P<value>.*)\)")


def read_answer(stdout: str) -> float | None:
    """Return the number that is the last non-empty line of `stdout`; None where it is not one.

    The whole line is the number, with or without "Answer:" before it. Read are thousands
    separators, exponents, full-width digits, a numpy value's repr and a list of just one number.
    "12.5%" is 12.5: the question says whether it asks for percent, so the mark adds nothing.
    Not read are infinite and missing values, two numbers, units, and words. Two lines "Answer:"
    that differ are no answer, as the program did not decide.

    >>> read_answer("rows: 40\\nAnswer: 1,234.5\\n")
    1234.5
    >>> read_answer("1, 234") is None
    True
    """
    lines = [line.translate(_PLAIN).strip() for line in stdout.split("\n")]
    lines = [line for line in lines if line]
    if not lines:
        return None
    named = [_number(match["value"]) for line in lines if (match := _PREFIX.fullmatch(line))]
    last = _PREFIX.fullmatch(lines[-1])
    value = _number(last["value"] if last else lines[-1])
    return None if any(other != value for other in named) else value


def _number(text: str) -> float | None:
    if len(text) > _MAX_CHARACTERS:
        return None
    inner = text[1:-1].strip() if text[:1] == "[" and text[-1:] == "]" else text.strip()
    numpy = _NUMPY.fullmatch(inner)
    match = _NUMBER.fullmatch(numpy["value"] if numpy else inner)
    if match is None or not re.match(r"[0-9]|\.[0-9]", match["whole"] + match["rest"]):
        return None
    value = float(match["sign"] + match["whole"].replace(",", "") + match["rest"])
    return value if math.isfinite(value) else None


@dataclass(frozen=True)
class Policy:
    """One way of comparing: `equal(value, gold, decimals)` on finite numbers."""

    version: int
    equal: Callable[[float, float, int], bool]


def _noise(gold: float, decimals: int) -> float:
    """What float arithmetic may add (0.1 + 0.2 is 0.3), far below a unit in the last decimal.

    A share of gold alone would let a count of three thousand million be wrong by three.
    """
    return max(min(1e-9 * max(1.0, abs(gold)), 1e-3 * 10.0**-decimals), 4 * math.ulp(gold))


def _strict(value: float, gold: float, decimals: int) -> bool:
    """Half a unit in the last decimal asked for, for 1 or more; a count must be the count."""
    half = 0.5 * 10.0**-decimals if decimals else 0.0
    return abs(value - gold) <= half + _noise(gold, decimals)


def _relative(value: float, gold: float, decimals: int) -> bool:
    """Within a thousandth of the gold answer, whatever the decimals. For comparison only."""
    # The band is around gold alone: around the larger of the two a guess widens its own band.
    return abs(value - gold) <= 1e-3 * abs(gold) + _noise(gold, decimals)


POLICIES: dict[str, Policy] = {
    "strict": Policy(1, _strict),
    "relative_1e-3": Policy(1, _relative),
}


def matches(value: float | None, gold: float, decimals: int, policy: str = "strict") -> bool:
    """Whether `value` is the answer `gold`, which was asked for to `decimals` decimals.

    Raises ValueError for a gold answer that is not finite, negative `decimals`, or no such policy.

    >>> matches(3.14159, 3.14, decimals=2), matches(4.4, 4.0, decimals=0)
    (True, False)
    """
    if policy not in POLICIES:
        raise ValueError(f"no policy {policy!r}; there are {', '.join(POLICIES)}")
    if not math.isfinite(gold) or decimals < 0:
        raise ValueError(f"need a finite gold and decimals >= 0, got {gold} and {decimals}")
    if value is None or not math.isfinite(value):
        return False
    return POLICIES[policy].equal(value, gold, decimals)
