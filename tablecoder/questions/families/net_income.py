"""L2: income after a percentage has been taken off each row."""

from tablecoder.questions import asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Role, number

EN = (
    "Each row earns {quantity} * {price}, less {rate} percent. What is the total of {subject}?",
    "Take {rate} percent off {quantity} times {price} in each row. What do {subject} sum to?",
    "What is the total {quantity} x {price} of {subject} after deducting {rate} (in percent)?",
)
ZH = (
    "每行金额为{quantity}×{price}再减去百分之{rate}，{subject}的金额合计是多少？",
    "{quantity}×{price}按{rate}（百分数）扣减后，{subject}的总额是多少？",
    "求{subject}的{quantity}×{price}扣除{rate}%后的总和（{rate}为该行百分数）。",
)


def draw(scene: Scene) -> Problem:
    """Draw, more often than not, a condition; the table must have a rate."""
    table = scene.fact
    roles = (Role.QUANTITY, Role.PRICE, Role.RATE)
    quantity, price, rate = (scene.one(table, role) for role in roles)
    chosen = asks.maybe(scene, table)
    rows = conditions.select(table.rows, *chosen)
    decimals = scene.decimals()
    frame = "x" if chosen else table.name
    first = f"x = {code.keep(table.name, *chosen)}\n" if chosen else ""
    product = f"{frame}.{quantity.name} * {frame}.{price.name} * (1 - {frame}.{rate.name} / 100)"
    return Problem(
        words={
            "quantity": scene.noun(quantity),
            "price": scene.noun(price),
            "rate": scene.noun(rate),
            "subject": asks.subject(scene, scene.rows(table), *chosen),
        },
        solution=first + code.show(f"({product}).sum()", decimals),
        gold=sum(
            number(row, quantity) * number(row, price) * (100 - number(row, rate)) / 100
            for row in rows
        ),
        decimals=decimals,
        unit="money",
    )


FAMILY = Family("net_income", "L2", EN, ZH, draw)
