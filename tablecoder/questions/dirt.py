"""Dirt: the ways in which a table's cells go wrong, one small function each.

A kind of dirt that loses nothing has a way back, in `CLEANERS`; the tests hold the two together.
"""

from collections.abc import Callable
from decimal import Decimal
from random import Random

from tablecoder.questions.schema import Column, Row

MISSING = ("N/A", "-", "?", "unknown", "none")
CURRENCIES = ("$", "USD ", "RMB ", "EUR ")


def thousands(cell: str) -> str:
    """Write a number with thousands separators.

    >>> thousands("1250.50")
    '1,250.50'
    """
    return f"{Decimal(cell):,}"


def currency(cell: str, sign: str = "$") -> str:
    """Write a currency before a number."""
    return f"{sign}{cell}"


def percent(cell: str) -> str:
    """Write a percentage with its sign."""
    return f"{cell}%"


def brackets(cell: str) -> str:
    """Write a negative number in brackets, as accountants do.

    >>> brackets("-35"), brackets("35")
    ('(35)', '35')
    """
    return f"({cell[1:]})" if cell.startswith("-") else cell


def blanks(cell: str, random: Random) -> str:
    """Put blanks around a text."""
    return random.choice((f" {cell}", f"{cell} ", f" {cell} "))


def case(cell: str, random: Random) -> str:
    """Change the case of a text's letters."""
    return random.choice((cell.upper(), cell.lower(), cell.swapcase()))


def slashes(cell: str) -> str:
    """Write an ISO date with slashes."""
    return cell.replace("-", "/")


def month_first(cell: str) -> str:
    """Write an ISO date as month/day/year.

    >>> month_first("2024-03-25")
    '03/25/2024'
    """
    year, month, day = cell.split("-")
    return f"{month}/{day}/{year}"


def unit(cell: str, name: str) -> str:
    """Write a unit behind a number."""
    return f"{cell} {name}"


# The way back for each kind that can be undone; blanks and case are undone up to case.
CLEANERS: dict[str, Callable[[str], str]] = {
    "thousands": lambda cell: cell.replace(",", ""),
    "currency": lambda cell: cell.lstrip("".join(CURRENCIES)),
    "percent": lambda cell: cell.rstrip("%"),
    "brackets": lambda cell: f"-{cell[1:-1]}" if cell.startswith("(") else cell,
    "blanks": lambda cell: cell.strip(),
    "case": lambda cell: cell.casefold(),
    "slashes": lambda cell: cell.replace("/", "-"),
    "month_first": lambda cell: f"{cell[6:]}-{cell[:2]}-{cell[3:5]}",
    "unit": lambda cell: cell.split(" ")[0],
}


def every(rows: list[Row], column: Column, spoil: Callable[[str], str]) -> list[Row]:
    """Return a copy of `rows` with `spoil` applied to each cell of `column`."""
    return [{**row, column.name: spoil(str(row[column.name]))} for row in rows]


def some(
    rows: list[Row], column: Column, spoil: Callable[[str], str], random: Random
) -> tuple[list[Row], list[int]]:
    """Spoil a quarter to a half of the cells of `column`; return the rows and which were hit."""
    share = random.uniform(0.25, 0.5)
    hit = sorted(random.sample(range(len(rows)), max(2, round(len(rows) * share))))
    spoiled = [
        {**row, column.name: spoil(str(row[column.name]))} if n in set(hit) else row
        for n, row in enumerate(rows)
    ]
    return spoiled, hit


def missing(
    rows: list[Row], column: Column, marker: str, random: Random
) -> tuple[list[Row], list[int]]:
    """Put `marker` into 2 to 4 cells of `column`; return the rows and which were hit."""
    hit = sorted(random.sample(range(len(rows)), random.randint(2, 4)))
    return [{**row, column.name: marker} if n in hit else row for n, row in enumerate(rows)], hit


def duplicates(rows: list[Row], random: Random) -> list[Row]:
    """Return `rows` with 2 to 5 of them repeated, each copy somewhere after its original."""
    spoiled = list(rows)
    for _ in range(random.randint(2, 5)):
        first = random.randrange(len(spoiled))
        spoiled.insert(random.randint(first + 1, len(spoiled)), spoiled[first])
    return spoiled
