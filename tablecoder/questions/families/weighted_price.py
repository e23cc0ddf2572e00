"""L2: the average price weighted by quantity."""

from fractions import Fraction

from tablecoder.questions import asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Role, number, total

EN = (
    "What is the average {value} of {subject}, weighted by {quantity}?",
    "Weighting each row by {quantity}, find the mean {value} of {subject}.",
    "Find the {quantity}-weighted average {value} over {subject}.",
)
ZH = (
    "以{quantity}为权重，{subject}的{value}加权平均值是多少？",
    "求{subject}按{quantity}加权的平均{value}。",
    "{subject}的{value}按{quantity}加权平均是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw what is averaged and, more often than not, a condition."""
    table = scene.fact
    quantity = scene.one(table, Role.QUANTITY)
    value = scene.measure(table, Role.PRICE, Role.RATE)
    chosen = asks.maybe(scene, table)
    rows = conditions.select(table.rows, *chosen)
    decimals = scene.decimals()
    x = "x" if chosen else table.name
    first = f"x = {code.keep(table.name, *chosen)}\n" if chosen else ""
    average = f"({x}.{value.name} * {x}.{quantity.name}).sum() / {x}.{quantity.name}.sum()"
    weighted = sum((number(row, value) * number(row, quantity) for row in rows), Fraction(0))
    return Problem(
        words={
            "value": scene.noun(value),
            "quantity": scene.noun(quantity),
            "subject": asks.subject(scene, scene.rows(table), *chosen),
        },
        solution=first + code.show(average, decimals),
        gold=weighted / total(rows, quantity),
        decimals=decimals,
        unit=value.unit,
    )


FAMILY = Family("weighted_price", "L2", EN, ZH, draw)
