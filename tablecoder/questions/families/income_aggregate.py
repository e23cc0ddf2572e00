"""L2: an aggregate of income, which is quantity x price, over some rows."""

from tablecoder.questions import aggregates, asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Role, number

EN = (
    "With {income} as {quantity} times {price}, what is the {agg} {income} of {subject}?",
    "What is the {agg} {income} ({quantity} x {price}) over {subject}?",
    "With {income} = {quantity} * {price} per row, find the {agg} {income} of {subject}.",
)
ZH = (
    "{income}等于{quantity}乘{price}。{subject}的{income}{agg}是多少？",
    "求{subject}的{income}（{quantity}×{price}）的{agg}。",
    "每行{income}={quantity}×{price}，{subject}的{income}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the aggregate and, more often than not, a condition."""
    table = scene.fact
    quantity, price = scene.one(table, Role.QUANTITY), scene.one(table, Role.PRICE)
    chosen = asks.maybe(scene, table)
    rows = conditions.select(table.rows, *chosen)
    aggregate = scene.pick(
        (aggregates.TOTAL, aggregates.TOTAL, aggregates.MEAN, aggregates.HIGHEST)
    )
    decimals = scene.decimals()
    frame = "x" if chosen else table.name
    first = f"x = {code.keep(table.name, *chosen)}\n" if chosen else ""
    product = f"({frame}.{quantity.name} * {frame}.{price.name}).{aggregate.method}()"
    return Problem(
        words={
            "income": scene.say(scene.domain.income_en, scene.domain.income_zh),
            "quantity": scene.noun(quantity),
            "price": scene.noun(price),
            "agg": aggregate.word(scene),
            "subject": asks.subject(scene, scene.rows(table), *chosen),
        },
        solution=first + code.show(product, decimals),
        gold=aggregate.of([number(row, quantity) * number(row, price) for row in rows]),
        decimals=decimals,
        unit="money",
    )


FAMILY = Family("income_aggregate", "L2", EN, ZH, draw)
