"""L3: what the facts of some dimension rows cost or bring in all: quantity x cost or price."""

from tablecoder.questions import code, conditions, joins
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Role, number

EN = (
    "What is the total {quantity} times {value} of {subject}?",
    "Multiply {quantity} by {value} for {subject} and give the sum.",
    "Over {subject}, what does {quantity} * {value} add up to?",
)
ZH = (
    "{subject}的{quantity}乘{value}的总和是多少？",
    "对{subject}计算{quantity}×{value}并求和。",
    "{subject}的{quantity}与{value}乘积合计为多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw price or cost and a condition on the dimension table."""
    quantity = scene.one(scene.fact, Role.QUANTITY)
    value = scene.pick((scene.one(scene.fact, Role.PRICE), scene.one(scene.dim, Role.COST)))
    condition = conditions.draw(scene, scene.dim)
    rows = conditions.select(joins.joined(scene), condition)
    decimals = scene.decimals()
    return Problem(
        words={
            "quantity": scene.noun(quantity),
            "value": scene.noun(value),
            "subject": joins.parents(scene, condition.words),
        },
        solution=f"m = {joins.merge(scene)}\nm = {code.keep('m', condition)}\n"
        + code.show(f"(m.{quantity.name} * m.{value.name}).sum()", decimals),
        gold=sum(number(row, quantity) * number(row, value) for row in rows),
        decimals=decimals,
        unit="money",
    )


FAMILY = Family("join_cost", "L3", EN, ZH, draw)
