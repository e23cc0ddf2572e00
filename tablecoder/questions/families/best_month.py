"""L2: the total of a measure in the month in which it is highest or lowest."""

from fractions import Fraction

from tablecoder.questions import aggregates, code
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Role, number, text

EN = (
    "Add up {measure} by month of {day}. What is the {extreme} monthly total?",
    "What is the total {measure} of {rows} in the month (by {day}) where that total is {extreme}?",
    "Among the monthly totals of {measure} (months by {day}), which value is the {extreme}?",
)
ZH = (
    "按{day}所在月份汇总{measure}，{extreme}的月度合计是多少？",
    "{rows}的{measure}按月（{day}）求和，{extreme}的一个月是多少？",
    "各月（按{day}）{measure}总和中{extreme}的值是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure and which end."""
    table = scene.fact
    day, measure = scene.one(table, Role.DATE), scene.additive(table)
    highest = scene.random.random() < 0.6
    months: dict[str, Fraction] = {}
    for row in table.rows:
        label = text(row, day)[:7]
        months[label] = months.get(label, Fraction(0)) + number(row, measure)
    decimals = aggregates.decimals(scene, measure, aggregates.TOTAL)
    name = table.name
    grouped = f"{name}.groupby({name}.{day.name}.str[:7]).{measure.name}.sum()"
    return Problem(
        words={
            "rows": scene.rows(table),
            "day": scene.noun(day),
            "measure": scene.noun(measure),
            "extreme": scene.say(*(("highest", "最高") if highest else ("lowest", "最低"))),
        },
        solution=code.show(f"{grouped}.{'max' if highest else 'min'}()", decimals),
        gold=(max if highest else min)(months.values()),
        decimals=decimals,
        unit=measure.unit,
    )


FAMILY = Family("best_month", "L2", EN, ZH, draw)
