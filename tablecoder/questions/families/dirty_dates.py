"""L4: dates come in two forms."""

from tablecoder.questions import aggregates, code, dirt
from tablecoder.questions.conditions import MONTHS
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Role, numbers

EN = (
    "Dates in {column} are mixed: {forms}. What is the {agg} {measure} of {rows} in {month}?",
    "{column} is written in two ways, {forms}. Find the {agg} {measure} of {rows} in {month}.",
    "Some {column} values use another form ({forms}). What is the {agg} {measure} for {month}?",
)
ZH = (
    "{column}的日期写法混用：{forms}。{month}的{rows}的{measure}{agg}是多少？",
    "{column}有两种写法（{forms}），求{month}的{rows}的{measure}的{agg}。",
    "部分{column}用了另一种写法（{forms}），{month}的{measure}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the second form, the month, the measure and the aggregate."""
    table = scene.fact
    day, measure = scene.one(table, Role.DATE), scene.measure(table)
    aggregate = aggregates.draw(scene, measure)
    label = str(scene.pick(table.rows)[day.name])[:7]
    rows = [row for row in table.rows if str(row[day.name]).startswith(label)]
    if len(rows) < 2:
        scene.pick([])
    american, month = scene.random.random() < 0.5, int(label[5:])
    spoil = dirt.month_first if american else dirt.slashes
    spoiled, _ = dirt.some(table.rows, day, spoil, scene.random)
    decimals = aggregates.decimals(scene, measure, aggregate)
    kept = f"{table.name}[d.dt.month == {month}].{measure.name}.{aggregate.method}()"
    forms = ("2024-03-25 and 03/25/2024", "2024-03-25和03/25/2024")
    other = ("2024-03-25 and 2024/03/25", "2024-03-25和2024/03/25")
    return Problem(
        words={
            "rows": scene.rows(table),
            "column": day.name,
            "forms": scene.say(*(forms if american else other)),
            "month": scene.say(MONTHS[month - 1], f"{month}月"),
            "agg": aggregate.word(scene),
            "measure": scene.noun(measure),
        },
        solution=f"d = pd.to_datetime({table.name}.{day.name}, format='mixed')\n"
        + code.show(kept, decimals),
        gold=aggregate.of(numbers(rows, measure)),
        decimals=decimals,
        unit=measure.unit,
        tables={table.name: spoiled},
    )


FAMILY = Family("dirty_dates", "L4", EN, ZH, draw)
