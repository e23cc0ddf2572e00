"""The question, as it travels from datagen through every other stage: one JSON line."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Question:
    """One question about a few tables, with its gold answer and a program that finds it."""

    id: str  # "test-000123"
    split: str  # train, rl, dev, test, test_ood
    family: str
    level: str  # L1 ... L4
    lang: str  # en, zh
    schema: str  # name of the domain, e.g. "orders"
    tables: dict[str, str]  # name -> CSV text
    question: str
    answer: float  # already rounded to `decimals`
    decimals: int
    unit: str  # what the number counts: "count", "percent", "days", "money" ...
    solution: str  # reference program, pandas
    stream: list[str | int]  # seed and path of the random stream that it was drawn from

    def to_row(self) -> dict[str, Any]:
        """Return the question as a JSON object."""
        return asdict(self)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Question":
        """Return the question in `row`; ValueError names a missing, unknown or mistyped key."""
        name = row.get("id", "?")
        known = {field.name for field in fields(cls)}
        for key in sorted(known ^ set(row)):
            state = "is missing" if key in known else "is unknown"
            raise ValueError(f"question {name}: key '{key}' {state}")
        for key, value in row.items():
            if not _FORMS[key](value):
                raise ValueError(f"question {name}: key '{key}' has the wrong type: {value!r:.80}")
        return cls(**{**row, "answer": float(row["answer"])})


def _text(value: object) -> bool:
    return isinstance(value, str)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: object) -> bool:
    return isinstance(value, float) or _whole(value)


def _tables(value: object) -> bool:
    return isinstance(value, dict) and bool(value) and all(map(_text, value.values()))


def _path(value: object) -> bool:
    return isinstance(value, list) and all(_text(part) or _whole(part) for part in value)


_FORMS = {field.name: _text for field in fields(Question)} | {
    "tables": _tables,
    "answer": _number,
    "decimals": _whole,
    "stream": _path,
}
