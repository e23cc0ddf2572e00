"""L2: the percentage of rows that meet a condition, among all or among a category's rows."""

from fractions import Fraction

from tablecoder.questions import asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene

EN = (
    "For what percentage of {base} is it true that {condition}?",
    "In percent, how many of {base} meet the condition that {condition}?",
    "What percent of {base} are such that {condition}?",
)
ZH = (
    "{base}中，满足{condition}的占百分之几？",
    "在{base}里，{condition}的行数占比是多少（以%计）？",
    "{base}中有百分之多少满足{condition}？",
)


def draw(scene: Scene) -> Problem:
    """Draw the condition and, half of the time, a category to which all is confined."""
    table = scene.fact
    condition = conditions.threshold(scene, table)
    base = [conditions.category(scene, table)] if scene.random.random() < 0.5 else []
    rows = conditions.select(table.rows, *base)
    part = len(conditions.select(rows, condition))
    decimals = scene.decimals()
    first = f"x = {code.keep(table.name, *base)}\n" if base else ""
    share = f"({condition.mask('x' if base else table.name)}).mean() * 100"
    return Problem(
        words={
            "base": asks.subject(scene, scene.rows(table), *base),
            "condition": condition.words,
        },
        solution=first + code.show(share, decimals),
        gold=Fraction(100 * part, len(rows)),
        decimals=decimals,
        unit="percent",
    )


FAMILY = Family("share_of_rows", "L2", EN, ZH, draw)
