"""L4: some rows are repeated and count once."""

from tablecoder.questions import asks, code, dirt
from tablecoder.questions.aggregates import MEAN, MEDIAN, TOTAL
from tablecoder.questions.scene import Family, Problem, Scene

EN = (
    "Count repeated rows of {table} once. What is the {agg} {measure} of {subject}?",
    "After removing repeated rows from {table}, find the {agg} {measure} of {subject}.",
    "Drop duplicate rows of {table} first. What is the {agg} {measure} over {subject}?",
)
ZH = (
    "{table}中有完全重复的行，每行只算一次。{subject}的{measure}{agg}是多少？",
    "先删除{table}里的重复行，再求{subject}的{measure}的{agg}。",
    "对{table}去重后，{subject}的{measure}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw an aggregate that repeated rows change, and, more often than not, a condition."""
    table = scene.fact
    measure = scene.measure(table)
    chosen = asks.maybe(scene, table, measure)
    aggregate = scene.pick([MEAN, MEDIAN] + [TOTAL] * 3 * measure.additive)
    ask = asks.draw(scene, table, measure, table.rows, chosen, aggregate)
    return Problem(
        words={**ask.words, "table": table.name},
        solution=f"{table.name} = {table.name}.drop_duplicates()\n"
        + code.show(ask.code, ask.decimals),
        gold=ask.gold,
        decimals=ask.decimals,
        unit=measure.unit,
        tables={table.name: dirt.duplicates(table.rows, scene.random)},
    )


FAMILY = Family("dirty_duplicates", "L4", EN, ZH, draw)
