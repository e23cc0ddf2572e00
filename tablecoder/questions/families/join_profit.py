"""L3: profit, which needs the unit cost from the other table."""

from tablecoder.questions import aggregates, asks, code, conditions, joins
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Role, number

EN = (
    "Profit is {quantity} * ({price} - {cost}). What is the {agg} profit of {subject}?",
    "With profit = ({price} minus {cost}) times {quantity}, find the {agg} profit over {subject}.",
    "What is the {agg} profit, {quantity} x ({price} - {cost}), of {subject}?",
)
ZH = (
    "利润={quantity}×（{price}-{cost}），{subject}的利润{agg}是多少？",
    "每行利润为{price}减{cost}再乘{quantity}，求{subject}的利润{agg}。",
    "{subject}的利润（（{price}-{cost}）×{quantity}）的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the aggregate and, more often than not, a condition on the facts."""
    table = scene.fact
    quantity, price = scene.one(table, Role.QUANTITY), scene.one(table, Role.PRICE)
    cost = scene.one(scene.dim, Role.COST)
    chosen = asks.maybe(scene, table)
    rows = joins.joined(scene)
    rows = conditions.select(rows, *chosen)
    aggregate = scene.pick(
        (aggregates.TOTAL, aggregates.TOTAL, aggregates.MEAN, aggregates.HIGHEST)
    )
    decimals = scene.decimals()
    narrow = f"m = {code.keep('m', *chosen)}\n" if chosen else ""
    profit = f"(m.{quantity.name} * (m.{price.name} - m.{cost.name})).{aggregate.method}()"
    return Problem(
        words={
            "quantity": scene.noun(quantity),
            "price": scene.noun(price),
            "cost": scene.noun(cost),
            "agg": aggregate.word(scene),
            "subject": asks.subject(scene, scene.rows(table), *chosen),
        },
        solution=f"m = {joins.merge(scene)}\n{narrow}" + code.show(profit, decimals),
        gold=aggregate.of(
            [number(r, quantity) * (number(r, price) - number(r, cost)) for r in rows]
        ),
        decimals=decimals,
        unit="money",
    )


FAMILY = Family("join_profit", "L3", EN, ZH, draw)
