"""L4: money is text with a currency sign before the number."""

from tablecoder.questions import asks, code, dirt
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import NUMBERS

EN = (
    "{column} is text such as {example}. What is the {agg} {measure} of {subject}?",
    "Amounts in {column} are written like {example}. Find the {agg} {measure} of {subject}.",
    "Strip the currency from {column} (e.g. {example}). What is the {agg} {measure} of {subject}?",
)
ZH = (
    "{column}是形如{example}的文本。{subject}的{measure}{agg}是多少？",
    "{column}的金额写作{example}这样，求{subject}的{measure}的{agg}。",
    "去掉{column}中的货币符号（如{example}），{subject}的{measure}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the table, a money measure, the sign, the aggregate and perhaps a condition."""
    table = scene.pick((scene.fact, scene.fact, scene.dim))
    measure = scene.pick([c for c in table.having(*NUMBERS) if c.unit == "money"])
    sign = scene.pick(dirt.CURRENCIES)
    chosen = asks.maybe(scene, table, measure)
    ask = asks.draw(scene, table, measure, table.rows, chosen)
    column = f"{table.name}.{measure.name}"
    clean = f"{column}.str.replace('{sign}', '').astype(float)"
    return Problem(
        words={**ask.words, "column": measure.name, "example": dirt.currency("35.90", sign)},
        solution=f"{table.name}['{measure.name}'] = {clean}\n"
        + code.show(ask.code, ask.decimals, whole=False),
        gold=ask.gold,
        decimals=ask.decimals,
        unit=measure.unit,
        tables={table.name: dirt.every(table.rows, measure, lambda c: dirt.currency(c, sign))},
    )


FAMILY = Family("dirty_currency", "L4", EN, ZH, draw)
