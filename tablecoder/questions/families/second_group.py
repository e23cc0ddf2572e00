"""L2, held out for test_ood: the second highest total of a measure over a category's values."""

from fractions import Fraction

from tablecoder.questions import aggregates, code
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import Role, number, text

EN = (
    "Add up {measure} for each {key} in {table}. What is the second highest total?",
    "What is the total {measure} of the {key} that ranks second by total {measure}?",
    "Rank each {key} by its total {measure}, highest first. What total is in second place?",
)
ZH = (
    "按{key}汇总{measure}，第二高的合计是多少？",
    "{measure}总和排名第二的{key}，其总和是多少？",
    "将各{key}按{measure}总和从高到低排序，第二名的总和是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the category and the measure; the leading totals must differ."""
    table = scene.fact
    key, measure = scene.pick(table.having(Role.CATEGORY, Role.FOREIGN)), scene.additive(table)
    totals: dict[str, Fraction] = {}
    for row in table.rows:
        totals[text(row, key)] = totals.get(text(row, key), Fraction(0)) + number(row, measure)
    ranked = sorted(totals.values(), reverse=True)
    if len(set(ranked[:3])) < 3:
        raise Unfit("a tie, or too few groups")
    decimals = aggregates.decimals(scene, measure, aggregates.TOTAL)
    grouped = f"{table.name}.groupby('{key.name}').{measure.name}.sum()"
    return Problem(
        words={
            "table": table.name,
            "key": scene.noun(key),
            "measure": scene.noun(measure),
        },
        solution=code.show(f"{grouped}.nlargest(2).min()", decimals),
        gold=ranked[1],
        decimals=decimals,
        unit=measure.unit,
    )


FAMILY = Family("second_group", "L2", EN, ZH, draw)
