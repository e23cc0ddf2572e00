"""L1: an aggregate over the rows that meet two conditions at once."""

from tablecoder.questions import aggregates, asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import numbers

EN = (
    "What is the {agg} {measure} of {subject}?",
    "Among {subject}, find the {agg} {measure}.",
    "Give the {agg} {measure}, counting only {subject}.",
)
ZH = (
    "{subject}中，{measure}的{agg}是多少？",
    "请计算{subject}的{measure}的{agg}。",
    "只考虑{subject}，求{measure}的{agg}。",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, the aggregate and two conditions on different columns."""
    table = scene.fact
    measure = scene.measure(table)
    aggregate = aggregates.draw(scene, measure)
    first, second = conditions.category(scene, table), conditions.draw(scene, table, measure)
    if first.code.split()[0] == second.code.split()[0]:
        raise Unfit("two conditions on one column")
    rows = conditions.select(table.rows, first, second)
    decimals = aggregates.decimals(scene, measure, aggregate)
    expression = f"{code.keep(table.name, first, second)}.{measure.name}.{aggregate.method}()"
    return Problem(
        words={
            "agg": aggregate.word(scene),
            "measure": scene.noun(measure),
            "subject": asks.subject(scene, scene.rows(table), first, second),
        },
        solution=code.show(expression, decimals),
        gold=aggregate.of(numbers(rows, measure)),
        decimals=decimals,
        unit=measure.unit,
    )


FAMILY = Family("two_filters", "L1", EN, ZH, draw)
