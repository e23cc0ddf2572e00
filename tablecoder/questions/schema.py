"""What a domain is made of: two related tables whose columns have roles.

Families ask for roles ("a category", "the price"), never for names, so each family works over
every domain that has the roles it needs.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

Cell = Decimal | str  # a Decimal knows how many places the CSV shows
Row = dict[str, Cell]


class Role(StrEnum):
    """What a column is for."""

    KEY = "key"  # names the row
    FOREIGN = "foreign"  # names a row of the dimension table
    CATEGORY = "category"
    DATE = "date"  # ISO text
    QUANTITY = "quantity"  # how many units the fact is about
    PRICE = "price"  # what one unit brings
    COST = "cost"  # what one unit costs, in the dimension table
    MEASURE = "measure"  # any other number
    RATE = "rate"  # a percentage, 15 for 15 %


NUMBERS = (Role.QUANTITY, Role.PRICE, Role.COST, Role.MEASURE, Role.RATE)


@dataclass(frozen=True)
class Column:
    """One column: its name in the table, its nouns in questions and how its cells are drawn."""

    name: str
    role: Role
    en: str
    zh: str
    values: tuple[str, ...] = ()  # pool of a category
    low: int = 0
    high: int = 0
    places: int = 0  # decimals of a number
    additive: bool = False  # a total of it means something
    optional: bool = False  # some tables of the domain lack it
    unit: str = "number"


@dataclass(frozen=True)
class TableSpec:
    """One table of a domain."""

    name: str
    en: str  # plural noun of its rows
    zh: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Domain:
    """A fact table whose rows refer to rows of a dimension table.

    `income` names quantity x price, which every fact table supports.
    """

    fact: TableSpec
    dim: TableSpec
    prefix: str  # of the dimension's keys: "P" gives P01, P02 ...
    income_en: str
    income_zh: str

    @property
    def name(self) -> str:
        """The fact table's name, which also names the domain."""
        return self.fact.name


@dataclass(frozen=True)
class Table:
    """A drawn table: a choice of its columns, in drawn order, and its rows."""

    spec: TableSpec
    columns: tuple[Column, ...]
    rows: list[Row] = field(repr=False)

    @property
    def name(self) -> str:
        """The table's name, also in programs."""
        return self.spec.name

    def having(self, *roles: Role) -> list[Column]:
        """Return the columns with one of `roles`."""
        return [column for column in self.columns if column.role in roles]


def number(row: Row, column: Column) -> Fraction:
    """Return the number in a cell, exact under all arithmetic: gold answers know no float noise.

    TypeError when the cell holds text.
    """
    cell = row[column.name]
    if isinstance(cell, str):
        raise TypeError(f"column {column.name} holds text here: {cell!r}")
    return Fraction(cell)


def numbers(rows: list[Row], column: Column) -> list[Fraction]:
    """Return the numbers of a column."""
    return [number(row, column) for row in rows]


def total(rows: list[Row], column: Column) -> Fraction:
    """Return the sum of a column; 0 for no rows."""
    return sum(numbers(rows, column), Fraction(0))


def text(row: Row, column: Column) -> str:
    """Return a cell as it is written in the CSV."""
    return str(row[column.name])
