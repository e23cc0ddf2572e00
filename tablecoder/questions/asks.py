"""The commonest thing to ask: an aggregate of one measure over some rows."""

from dataclasses import dataclass

from tablecoder.questions import aggregates, code, conditions
from tablecoder.questions.aggregates import Aggregate
from tablecoder.questions.conditions import Condition
from tablecoder.questions.scene import Number, Scene
from tablecoder.questions.schema import Column, Row, Table, numbers


@dataclass(frozen=True)
class Ask:
    """An aggregate in words, as a pandas expression, and as an exact number."""

    words: dict[str, str]  # agg, measure, subject
    code: str
    gold: Number
    decimals: int


def subject(scene: Scene, noun: str, *conditions: Condition) -> str:
    """Return which rows are meant: "orders where city is Beijing"."""
    if not conditions:
        return scene.say(f"all {noun}", f"全部{noun}")
    clause = scene.say(" and ", "且").join(condition.words for condition in conditions)
    return scene.say(f"{noun} where {clause}", f"{clause}的{noun}")


def draw(
    scene: Scene,
    table: Table,
    measure: Column,
    rows: list[Row],
    chosen: list[Condition],
    aggregate: Aggregate | None = None,
) -> Ask:
    """Return an aggregate of `measure` over the `rows` of `table` that meet all of `chosen`.

    `rows` are the clean ones. Draws the aggregate unless it is given.
    """
    kept = conditions.select(rows, *chosen)
    aggregate = aggregate or aggregates.draw(scene, measure)
    return Ask(
        words={
            "agg": aggregate.word(scene),
            "measure": scene.noun(measure),
            "subject": subject(scene, scene.rows(table), *chosen),
        },
        code=f"{code.keep(table.name, *chosen)}.{measure.name}.{aggregate.method}()",
        gold=aggregate.of(numbers(kept, measure)),
        decimals=aggregates.decimals(scene, measure, aggregate),
    )


def maybe(scene: Scene, table: Table, avoid: Column | None = None) -> list[Condition]:
    """Return a condition on `table` more often than not, else none."""
    return [conditions.draw(scene, table, avoid)] if scene.random.random() < 0.6 else []
