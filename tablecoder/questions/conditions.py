"""Conditions on the rows of one table: in words, in pandas, and in plain Python."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from tablecoder.questions.scene import Scene, Unfit
from tablecoder.questions.schema import NUMBERS, Column, Role, Row, Table, number, text

MONTHS = (
    "January February March April May June July August September October November December"
).split()


@dataclass(frozen=True)
class Condition:
    """What a row must meet."""

    words: str  # a clause: "city is Beijing"
    code: str  # a pandas mask over the frame `{t}`
    holds: Callable[[Row], bool]

    def mask(self, frame: str) -> str:
        """Return the mask over the frame called `frame`."""
        return self.code.replace("{t}", frame)


def select(rows: list[Row], *conditions: Condition) -> list[Row]:
    """Return the rows that meet all conditions; Unfit for fewer than two or for all of them.

    Without conditions that is `rows`.
    """
    if not conditions:
        return rows
    chosen = [row for row in rows if all(condition.holds(row) for condition in conditions)]
    if not 2 <= len(chosen) < len(rows):
        raise Unfit("a filter that keeps one row or all of them is no filter")
    return chosen


def draw(scene: Scene, table: Table, avoid: Column | None = None) -> Condition:
    """Return a condition on `table` that says nothing about the column `avoid`."""
    kinds: list[Callable[[], Condition]] = [lambda: category(scene, table)] * 3
    kinds.append(lambda: threshold(scene, table, avoid))
    if table.having(Role.DATE) and avoid not in table.having(Role.DATE):
        kinds += [lambda: month(scene, table), lambda: since(scene, table)]
    return scene.pick(kinds)()


def category(scene: Scene, table: Table) -> Condition:
    """Return a condition on a drawn category: it has a value that the table has."""
    column = scene.category(table)
    return equals(scene, column, text(scene.pick(table.rows), column))


def equals(scene: Scene, column: Column, value: str) -> Condition:
    """Return the condition that `column` has `value`."""
    noun = scene.noun(column)
    en = (f"{noun} is {value}", f"{noun} equals {value}", f"{noun} = {value}")
    zh = (f"{noun}为{value}", f"{noun}是{value}", f"{noun}等于{value}")
    return Condition(
        words=scene.pick(en if scene.lang == "en" else zh),
        code=f"{{t}}.{column.name} == '{value}'",
        holds=lambda row: row[column.name] == value,
    )


def threshold(scene: Scene, table: Table, avoid: Column | None = None) -> Condition:
    """Return a condition on a number: it lies on one side of a whole number."""
    column = scene.pick([c for c in table.having(*NUMBERS) if c != avoid])
    limit = int(number(scene.pick(table.rows), column))
    noun = scene.noun(column)
    if scene.random.random() < 0.5:
        en = (f"{noun} is at least {limit}", f"{noun} >= {limit}")
        zh = (f"{noun}不小于{limit}", f"{noun}至少为{limit}")
        words = scene.pick(en if scene.lang == "en" else zh)
        return Condition(
            words, f"{{t}}.{column.name} >= {limit}", lambda row: number(row, column) >= limit
        )
    en = (f"{noun} is below {limit}", f"{noun} < {limit}")
    zh = (f"{noun}小于{limit}", f"{noun}低于{limit}")
    words = scene.pick(en if scene.lang == "en" else zh)
    return Condition(
        words, f"{{t}}.{column.name} < {limit}", lambda row: number(row, column) < limit
    )


def month(scene: Scene, table: Table) -> Condition:
    """Return a condition on the date: it lies in a month of the table."""
    column = scene.one(table, Role.DATE)
    label = text(scene.pick(table.rows), column)[:7]
    noun, spoken = scene.noun(column), month_words(scene, label)
    return Condition(
        words=scene.say(f"{noun} is in {spoken}", f"{noun}在{spoken}"),
        code=f"{{t}}.{column.name}.str.startswith('{label}')",
        holds=lambda row: text(row, column).startswith(label),
    )


def since(scene: Scene, table: Table) -> Condition:
    """Return a condition on the date: it lies on one side of a day."""
    column = scene.one(table, Role.DATE)
    day = text(scene.pick(table.rows), column)
    noun = scene.noun(column)
    if scene.random.random() < 0.5:
        return Condition(
            words=scene.say(f"{noun} is {day} or later", f"{noun}不早于{day}"),
            code=f"{{t}}.{column.name} >= '{day}'",
            holds=lambda row: date.fromisoformat(text(row, column)) >= date.fromisoformat(day),
        )
    return Condition(
        words=scene.say(f"{noun} is before {day}", f"{noun}早于{day}"),
        code=f"{{t}}.{column.name} < '{day}'",
        holds=lambda row: date.fromisoformat(text(row, column)) < date.fromisoformat(day),
    )


def month_words(scene: Scene, label: str) -> str:
    """Return how the question names the month "2024-03"."""
    year, month_number = label.split("-")
    return scene.say(f"{MONTHS[int(month_number) - 1]} {year}", f"{year}年{int(month_number)}月")
