"""L1: an aggregate of one measure over the rows that meet a condition."""

from tablecoder.questions import asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene

EN = (
    "What is the {agg} {measure} of {subject}?",
    "Find the {agg} {measure} over {subject}.",
    "Looking only at {subject}, what is the {agg} {measure}?",
)
ZH = (
    "{subject}中，{measure}的{agg}是多少？",
    "求{subject}的{measure}的{agg}。",
    "只看{subject}，{measure}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the table, the measure, the aggregate and the condition."""
    table = scene.table()
    measure = scene.measure(table)
    ask = asks.draw(scene, table, measure, table.rows, [conditions.draw(scene, table, measure)])
    return Problem(
        words=ask.words,
        solution=code.show(ask.code, ask.decimals),
        gold=ask.gold,
        decimals=ask.decimals,
        unit=measure.unit,
    )


FAMILY = Family("filter_aggregate", "L1", EN, ZH, draw)
