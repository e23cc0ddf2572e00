"""Draws the two tables of a domain and writes them as CSV."""

import csv
import io
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from random import Random

from tablecoder.questions.schema import Column, Domain, Role, Row, Table, TableSpec

FACT_ROWS = (12, 30)
DIM_ROWS = (4, 7)
_KEEP = 0.6  # chance that an optional column is there
_CENT = Decimal("0.01")


def draw(domain: Domain, random: Random) -> tuple[Table, Table]:
    """Return a new fact table and a new dimension table of `domain`."""
    dim = _dimension(domain, random)
    return _facts(domain, dim, random), dim


def to_csv(columns: Sequence[Column], rows: Sequence[Row]) -> str:
    """Return `rows` as CSV text with a header; cells that hold a comma are quoted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows([row[column.name] for column in columns] for row in rows)
    return text.getvalue()


def _dimension(domain: Domain, random: Random) -> Table:
    columns = _columns(domain.dim, random)
    draws = {column.name: _pool(column, random) for column in columns}
    rows = []
    for n in range(1, random.randint(*DIM_ROWS) + 1):
        row: Row = {c.name: _cell(c, draws[c.name], random) for c in columns}
        row[columns[0].name] = f"{domain.prefix}{n:02d}"
        rows.append(row)
    return Table(domain.dim, columns, rows)


def _facts(domain: Domain, dim: Table, random: Random) -> Table:
    columns = _columns(domain.fact, random)
    draws = {column.name: _pool(column, random) for column in columns}
    # Some rows of the dimension stay without facts, as in life.
    used = random.sample(dim.rows, random.randint(max(3, len(dim.rows) - 2), len(dim.rows)))
    first_id = random.randint(10, 90) * 100
    dates = _dates(random, random.randint(*FACT_ROWS))
    rows = [
        _fact(columns, draws, random.choice(used), dim, first_id + n, day, random)
        for n, day in enumerate(dates, start=1)
    ]
    return Table(domain.fact, columns, rows)


def _fact(
    columns: Sequence[Column],
    draws: dict[str, Sequence[str]],
    parent: Row,
    dim: Table,
    key: int,
    day: str,
    random: Random,
) -> Row:
    row: Row = {c.name: _cell(c, draws[c.name], random) for c in columns}
    for column in columns:
        if column.role is Role.KEY:
            row[column.name] = Decimal(key)
        elif column.role is Role.FOREIGN:
            row[column.name] = parent[column.name]
        elif column.role is Role.DATE:
            row[column.name] = day
        elif column.role is Role.PRICE:
            # Between 5 % and 130 % above cost, so that profits look like profits.
            cost = Decimal(parent[dim.having(Role.COST)[0].name])
            row[column.name] = (cost * random.randint(105, 230) / 100).quantize(_CENT)
    return row


def _columns(spec: TableSpec, random: Random) -> tuple[Column, ...]:
    """The key first, then the others in drawn order, without some of the optional ones."""
    key, *others = spec.columns
    kept = [c for c in others if not c.optional or random.random() < _KEEP]
    random.shuffle(kept)
    return (key, *kept)


def _pool(column: Column, random: Random) -> Sequence[str]:
    """A few of a category's values: groups of one table need several rows each."""
    return random.sample(column.values, min(len(column.values), random.randint(3, 4)))


def _cell(column: Column, pool: Sequence[str], random: Random) -> Decimal | str:
    if column.role is Role.CATEGORY:
        return random.choice(pool)
    scale = 10**column.places
    return Decimal(random.randint(column.low * scale, column.high * scale)).scaleb(-column.places)


def _dates(random: Random, count: int) -> list[str]:
    """Days within three or four months of one year, in order half of the time."""
    months = random.randint(3, 4)
    start = date(random.randint(2021, 2025), random.randint(1, 13 - months), 1)
    days = [start + timedelta(random.randrange(30 * months)) for _ in range(count)]
    return [str(day) for day in (sorted(days) if random.random() < 0.5 else days)]
