"""L1: the difference between the highest and the lowest value of a measure."""

from tablecoder.questions import asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import numbers

EN = (
    "What is the difference between the highest and the lowest {measure} of {subject}?",
    "For {subject}, how far apart are the maximum and the minimum {measure}?",
    "Find the range (maximum minus minimum) of {measure} over {subject}.",
)
ZH = (
    "{subject}中，{measure}的最大值与最小值之差是多少？",
    "求{subject}的{measure}极差（最大值减最小值）。",
    "{subject}的{measure}最高与最低相差多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure and, more often than not, a condition."""
    table = scene.table()
    measure = scene.measure(table)
    chosen = asks.maybe(scene, table, measure)
    values = numbers(conditions.select(table.rows, *chosen), measure)
    decimals = scene.decimals() if measure.places else 0
    return Problem(
        words={
            "measure": scene.noun(measure),
            "subject": asks.subject(scene, scene.rows(table), *chosen),
        },
        solution=f"x = {code.keep(table.name, *chosen)}.{measure.name}\n"
        + code.show("x.max() - x.min()", decimals),
        gold=max(values) - min(values),
        decimals=decimals,
        unit=measure.unit,
    )


FAMILY = Family("value_range", "L1", EN, ZH, draw)
