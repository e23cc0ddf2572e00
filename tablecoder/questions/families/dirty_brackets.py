"""L4: negative numbers stand in brackets."""

from decimal import Decimal

from tablecoder.questions import asks, code, dirt
from tablecoder.questions.scene import Family, Problem, Scene

EN = (
    "In {column}, (35) means -35. What is the {agg} {measure} of {subject}?",
    "Bracketed {column} values, like (35), are negative. Find the {agg} {measure} of {subject}.",
    "Read (35) in {column} as minus 35. What is the {agg} {measure} of {subject}?",
)
ZH = (
    "{column}里圆括号表示负数：(35)即-35。{subject}的{measure}{agg}是多少？",
    "{column}里带括号的值（如(35)）为负数，求{subject}的{measure}的{agg}。",
    "把{column}中(35)这样的括号值当作负数，{subject}的{measure}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, turn some of its values negative, and ask for an aggregate."""
    table, random = scene.fact, scene.random
    measure = scene.additive(table)
    hit = random.sample(range(len(table.rows)), random.randint(2, len(table.rows) // 3))
    rows = [
        {**row, measure.name: -Decimal(row[measure.name])} if n in hit else row
        for n, row in enumerate(table.rows)
    ]
    ask = asks.draw(scene, table, measure, rows, asks.maybe(scene, table, measure))
    column = f"{table.name}.{measure.name}"
    clean = f"{column}.str.replace('(', '-').str.strip(')').astype(float)"
    return Problem(
        words={**ask.words, "column": measure.name},
        solution=f"{table.name}['{measure.name}'] = {clean}\n"
        + code.show(ask.code, ask.decimals, whole=False),
        gold=ask.gold,
        decimals=ask.decimals,
        unit=measure.unit,
        tables={table.name: dirt.every(rows, measure, dirt.brackets)},
    )


FAMILY = Family("dirty_brackets", "L4", EN, ZH, draw)
