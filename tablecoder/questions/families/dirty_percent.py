"""L4: a rate is text with a percent sign."""

from tablecoder.questions import asks, code, conditions, dirt
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Role, number

EN = (
    "{column} is text like 15%. {ask}",
    "Read {column} (written as 15%) as a number. {ask}",
    "The {column} column holds percentages such as 15%. {ask}",
)
ZH = (
    "{column}是形如15%的文本。{ask}",
    "请把{column}（写作15%）读成数字。{ask}",
    "{column}列存的是15%这样的百分数。{ask}",
)


def draw(scene: Scene) -> Problem:
    """Draw an aggregate of the rate, or what the rate comes to in money."""
    table = scene.fact
    rate = scene.one(table, Role.RATE)
    chosen = asks.maybe(scene, table, rate)
    spoiled = dirt.every(table.rows, rate, dirt.percent)
    clean = f"{table.name}.{rate.name}.str.rstrip('%').astype(float)"
    first = f"{table.name}['{rate.name}'] = {clean}\n"
    if scene.random.random() < 0.6:
        ask = asks.draw(scene, table, rate, table.rows, chosen)
        w = ask.words
        words = scene.say(
            f"What is the {w['agg']} {w['measure']}, in percent, of {w['subject']}?",
            f"{w['subject']}的{w['measure']}（%）的{w['agg']}是多少？",
        )
        return Problem(
            words={"column": rate.name, "ask": words},
            solution=first + code.show(ask.code, ask.decimals, whole=False),
            gold=ask.gold,
            decimals=ask.decimals,
            unit="percent",
            tables={table.name: spoiled},
        )
    quantity, price = scene.one(table, Role.QUANTITY), scene.one(table, Role.PRICE)
    rows = conditions.select(table.rows, *chosen)
    decimals = scene.decimals()
    q, p, r = (scene.noun(column) for column in (quantity, price, rate))
    who = asks.subject(scene, scene.rows(table), *chosen)
    words = scene.say(
        f"Take {r} percent of {q} * {p} in each row. What is the total over {who}?",
        f"每行取{q}×{p}的百分之{r}，{who}的合计是多少？",
    )
    x = "x" if chosen else table.name
    narrow = f"x = {code.keep(table.name, *chosen)}\n" if chosen else ""
    total = f"({x}.{quantity.name} * {x}.{price.name} * {x}.{rate.name}).sum() / 100"
    return Problem(
        words={"column": rate.name, "ask": words},
        solution=first + narrow + code.show(total, decimals),
        gold=sum(number(r, quantity) * number(r, price) * number(r, rate) / 100 for r in rows),
        decimals=decimals,
        unit="money",
        tables={table.name: spoiled},
    )


FAMILY = Family("dirty_percent", "L4", EN, ZH, draw)
