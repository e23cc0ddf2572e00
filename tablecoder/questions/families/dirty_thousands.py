"""L4: a measure is written with thousands separators."""

from tablecoder.questions import asks, code, dirt
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import Role, numbers

EN = (
    "{column} uses thousands separators (like 1,250). What is the {agg} {measure} of {subject}?",
    "The {column} values contain commas as in 1,250. Find the {agg} {measure} of {subject}.",
    "Read {column} as numbers (remove the commas). What is the {agg} {measure} of {subject}?",
)
ZH = (
    "{column}带千分位逗号（如1,250）。{subject}的{measure}{agg}是多少？",
    "{column}的数值里有逗号（如1,250），求{subject}的{measure}的{agg}。",
    "去掉{column}中的千分位逗号后，{subject}的{measure}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the table, a measure that reaches 1,000, the aggregate and perhaps a condition."""
    table = scene.pick((scene.fact, scene.fact, scene.dim))
    measure = scene.measure(table, Role.PRICE, Role.COST, Role.MEASURE)
    if max(numbers(table.rows, measure)) < 1000:
        raise Unfit("no separator to remove")
    chosen = asks.maybe(scene, table, measure)
    ask = asks.draw(scene, table, measure, table.rows, chosen)
    column = f"{table.name}.{measure.name}"
    kind = "float" if measure.places else "int"
    return Problem(
        words={**ask.words, "column": measure.name},
        solution=f"{table.name}['{measure.name}'] = {column}.str.replace(',', '').astype({kind})\n"
        + code.show(ask.code, ask.decimals),
        gold=ask.gold,
        decimals=ask.decimals,
        unit=measure.unit,
        tables={table.name: dirt.every(table.rows, measure, dirt.thousands)},
    )


FAMILY = Family("dirty_thousands", "L4", EN, ZH, draw)
