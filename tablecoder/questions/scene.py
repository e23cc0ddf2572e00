"""What a family draws from: the tables, the language, and the random stream."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import TypeVar

from tablecoder.questions.schema import NUMBERS, Column, Domain, Role, Row, Table

T = TypeVar("T")
Number = Fraction | int


class Unfit(Exception):
    """These draws make no good question (an empty filter, a tie ...): draw again."""


@dataclass(frozen=True)
class Scene:
    """Two drawn tables and how to talk about them."""

    domain: Domain
    fact: Table
    dim: Table
    lang: str
    by_name: bool  # questions call columns by their names in the table, not by their nouns
    random: Random

    def pick(self, options: Sequence[T]) -> T:
        """Return one of `options`; Unfit when there is none."""
        if not options:
            raise Unfit("nothing to choose from")
        return self.random.choice(options)

    def say(self, en: str, zh: str) -> str:
        """Return the one of two wordings that the language asks for."""
        return en if self.lang == "en" else zh

    def noun(self, column: Column) -> str:
        """Return what the question calls `column`."""
        return column.name if self.by_name else self.say(column.en, column.zh)

    def rows(self, table: Table) -> str:
        """Return what the question calls the rows of `table`."""
        return self.say(table.spec.en, table.spec.zh)

    def table(self) -> Table:
        """Return one of the tables, mostly the facts."""
        return self.dim if self.random.random() < 0.15 else self.fact

    def measure(self, table: Table, *roles: Role) -> Column:
        """Return a numeric column of `table`, of any role unless `roles` are given."""
        return self.pick(table.having(*(roles or NUMBERS)))

    def additive(self, table: Table) -> Column:
        """Return a numeric column of which a total makes sense."""
        return self.pick([c for c in table.having(*NUMBERS) if c.additive])

    def category(self, table: Table) -> Column:
        """Return a category column of `table`."""
        return self.pick(table.having(Role.CATEGORY))

    def one(self, table: Table, role: Role) -> Column:
        """Return the first column with `role`; Unfit when there is none."""
        return (table.having(role) or [self.pick([])])[0]

    def decimals(self) -> int:
        """Return to how many decimals an answer is rounded."""
        return self.random.choice((1, 2, 2))


@dataclass(frozen=True)
class Problem:
    """What a family has drawn: the words of a phrasing, the program and the gold answer.

    `gold` is exact and not rounded; plain Python computes it from the clean rows, the program
    from the tables as they are shown, so the two are independent paths to one number.
    """

    words: dict[str, str]
    solution: str
    gold: Number
    decimals: int
    unit: str
    tables: dict[str, list[Row]] = field(default_factory=dict)  # shown instead of the clean rows


@dataclass(frozen=True)
class Family:
    """One kind of question: its wordings and how it is drawn from a scene."""

    name: str
    level: str
    en: tuple[str, ...]
    zh: tuple[str, ...]
    draw: Callable[[Scene], Problem]
