"""Short ways to write down the columns of a domain; the English noun is the name unless given."""

from tablecoder.questions.schema import Column, Role


def key(name: str, zh: str) -> Column:
    """Return the column that names a table's rows."""
    return Column(name, Role.KEY, _noun(name), zh)


def foreign(column: Column) -> Column:
    """Return the fact table's reference to the dimension table's key `column`."""
    return Column(column.name, Role.FOREIGN, column.en, column.zh)


def category(name: str, zh: str, values: str, *, en: str = "", optional: bool = False) -> Column:
    """Return a column with a few values, given as words."""
    pool = tuple(values.split())
    return Column(name, Role.CATEGORY, en or _noun(name), zh, values=pool, optional=optional)


def day(name: str, zh: str, *, en: str = "") -> Column:
    """Return a column of dates."""
    return Column(name, Role.DATE, en or _noun(name), zh)


def quantity(name: str, zh: str, low: int, high: int, unit: str) -> Column:
    """Return the column that says how many units a fact is about."""
    return Column(
        name, Role.QUANTITY, _noun(name), zh, low=low, high=high, additive=True, unit=unit
    )


def price(name: str, zh: str, *, en: str = "") -> Column:
    """Return the price per unit; it is drawn from the cost in the dimension table."""
    return Column(name, Role.PRICE, en or _noun(name), zh, places=2, unit="money")


def cost(name: str, zh: str, low: int, high: int, *, en: str = "") -> Column:
    """Return the cost per unit."""
    return Column(
        name, Role.COST, en or _noun(name), zh, low=low, high=high, places=2, unit="money"
    )


def measure(
    name: str, zh: str, low: int, high: int, unit: str, *, en: str = "", optional: bool = False
) -> Column:
    """Return any other number that can be added up; money has two decimals."""
    return Column(
        name,
        Role.MEASURE,
        en or _noun(name),
        zh,
        low=low,
        high=high,
        places=2 * (unit == "money"),
        additive=True,
        optional=optional,
        unit=unit,
    )


def rate(name: str, zh: str, low: int, high: int, *, en: str = "") -> Column:
    """Return a percentage that some tables of the domain have."""
    noun = en or _noun(name)
    return Column(name, Role.RATE, noun, zh, low=low, high=high, optional=True, unit="percent")


def _noun(name: str) -> str:
    return name.replace("_", " ")
