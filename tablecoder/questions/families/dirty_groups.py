"""L4: groups whose names differ only by stray blanks and case are one group."""

from tablecoder.questions import aggregates, code, dirt
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import numbers

EN = (
    "Ignore blanks and case in {column}. What is the {extreme} {agg} {measure} per {column}?",
    "Trim and lowercase {column}, then group by it. What is the {extreme} {agg} {measure}?",
    "Group {rows} by {column}, ignoring case and outer spaces. Give the {extreme} {agg} {measure}.",
)
ZH = (
    "{column}的写法大小写和空格不一但含义相同，各{column}的{measure}{agg}中{extreme}的是多少？",
    "将{column}去首尾空格并忽略大小写后分组，{measure}的{agg}{extreme}为多少？",
    "忽略{column}的空格和大小写，按其对{rows}分组，求{extreme}的{measure}{agg}。",
)


def draw(scene: Scene) -> Problem:
    """Draw the category, the measure, the aggregate and which end."""
    table, random = scene.fact, scene.random
    key, measure = scene.category(table), scene.measure(table)
    aggregate = aggregates.total_or_mean(scene, measure)
    highest = random.random() < 0.6
    groups = [
        aggregate.of(numbers([row for row in table.rows if row[key.name] == value], measure))
        for value in {row[key.name]: None for row in table.rows}
    ]
    spoiled, _ = dirt.some(table.rows, key, lambda cell: dirt.blanks(cell, random), random)
    spoiled, _ = dirt.some(spoiled, key, lambda cell: dirt.case(cell, random), random)
    decimals = aggregates.decimals(scene, measure, aggregate)
    first = f"k = {table.name}.{key.name}.str.strip().str.lower()\n"
    grouped = f"{table.name}.groupby(k).{measure.name}.{aggregate.method}()"
    return Problem(
        words={
            "rows": scene.rows(table),
            "column": key.name,
            "agg": aggregate.word(scene),
            "measure": scene.noun(measure),
            "extreme": scene.say(*(("highest", "最高") if highest else ("lowest", "最低"))),
        },
        solution=first + code.show(f"{grouped}.{'max' if highest else 'min'}()", decimals),
        gold=(max if highest else min)(groups),
        decimals=decimals,
        unit=measure.unit,
        tables={table.name: spoiled},
    )


FAMILY = Family("dirty_groups", "L4", EN, ZH, draw)
