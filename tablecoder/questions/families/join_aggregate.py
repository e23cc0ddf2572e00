"""L3: an aggregate of a fact measure over the facts whose dimension row meets a condition."""

from tablecoder.questions import aggregates, code, conditions, joins
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import numbers

EN = (
    "What is the {agg} {measure} of {subject}?",
    "Find the {agg} {measure} over {subject}.",
    "Using both tables, give the {agg} {measure} of {subject}.",
)
ZH = (
    "{subject}的{measure}{agg}是多少？",
    "求{subject}中{measure}的{agg}。",
    "结合两张表，{subject}的{measure}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, the aggregate and a condition on the dimension table."""
    measure = scene.measure(scene.fact)
    aggregate = aggregates.draw(scene, measure)
    condition = conditions.draw(scene, scene.dim)
    rows = conditions.select(joins.joined(scene), condition)
    decimals = aggregates.decimals(scene, measure, aggregate)
    return Problem(
        words={
            "agg": aggregate.word(scene),
            "measure": scene.noun(measure),
            "subject": joins.parents(scene, condition.words),
        },
        solution=f"m = {joins.merge(scene)}\n"
        + code.show(f"{code.keep('m', condition)}.{measure.name}.{aggregate.method}()", decimals),
        gold=aggregate.of(numbers(rows, measure)),
        decimals=decimals,
        unit=measure.unit,
    )


FAMILY = Family("join_aggregate", "L3", EN, ZH, draw)
