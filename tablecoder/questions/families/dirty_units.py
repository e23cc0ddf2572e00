"""L4, held out for test_ood: a number is text with its unit behind it."""

from tablecoder.questions import asks, code, dirt
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import NUMBERS

EN = (
    "{column} is text with a unit, like 12 {unit}. What is the {agg} {measure} of {subject}?",
    "Values of {column} read like 12 {unit}. Find the {agg} {measure} of {subject}.",
    "Remove the unit from {column} (e.g. 12 {unit}). What is the {agg} {measure} of {subject}?",
)
ZH = (
    "{column}是带单位的文本，如12 {unit}。{subject}的{measure}{agg}是多少？",
    "{column}的值形如12 {unit}，求{subject}的{measure}的{agg}。",
    "去掉{column}中的单位（如12 {unit}），{subject}的{measure}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw a measure that has a unit of its own, the aggregate and perhaps a condition."""
    table = scene.pick((scene.fact, scene.fact, scene.dim))
    plain = ("number", "money", "percent")
    measure = scene.pick([c for c in table.having(*NUMBERS) if c.unit not in plain])
    ask = asks.draw(scene, table, measure, table.rows, asks.maybe(scene, table, measure))
    clean = f"{table.name}.{measure.name}.str.replace(' {measure.unit}', '').astype(int)"
    return Problem(
        words={**ask.words, "column": measure.name, "unit": measure.unit},
        solution=f"{table.name}['{measure.name}'] = {clean}\n" + code.show(ask.code, ask.decimals),
        gold=ask.gold,
        decimals=ask.decimals,
        unit=measure.unit,
        tables={table.name: dirt.every(table.rows, measure, lambda c: dirt.unit(c, measure.unit))},
    )


FAMILY = Family("dirty_units", "L4", EN, ZH, draw)
