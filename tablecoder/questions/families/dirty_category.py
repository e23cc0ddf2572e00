"""L4: a category's values come with stray blanks and in any case."""

from tablecoder.questions import aggregates, code, conditions, dirt
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import numbers, text

EN = (
    "Ignore blanks and case in {column}. What is the {agg} {measure} where it is {value}?",
    "Find the {agg} {measure} of {rows} whose {column} is {value} but for case and blanks.",
    "What is the {agg} {measure} of {rows} whose {column}, trimmed and in any case, is {value}?",
)
ZH = (
    "{column}有多余空格且大小写不一，请忽略。{column}为{value}的{rows}的{measure}{agg}是多少？",
    "忽略{column}的大小写和首尾空格，求{value}的{rows}的{measure}的{agg}。",
    "将{column}去空格并统一大小写后，等于{value}的{rows}的{measure}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the category, the value, the measure, and the aggregate."""
    table, random = scene.fact, scene.random
    column, measure = scene.category(table), scene.measure(table)
    aggregate = aggregates.draw(scene, measure)
    value = text(scene.pick(table.rows), column)
    rows = conditions.select(table.rows, conditions.equals(scene, column, value))
    spoiled, _ = dirt.some(table.rows, column, lambda cell: dirt.blanks(cell, random), random)
    spoiled, _ = dirt.some(spoiled, column, lambda cell: dirt.case(cell, random), random)
    decimals = aggregates.decimals(scene, measure, aggregate)
    mask = f"{table.name}.{column.name}.str.strip().str.lower() == '{value.lower()}'"
    expression = f"{table.name}[{mask}].{measure.name}.{aggregate.method}()"
    return Problem(
        words={
            "rows": scene.rows(table),
            "column": column.name,
            "value": value,
            "agg": aggregate.word(scene),
            "measure": scene.noun(measure),
        },
        solution=code.show(expression, decimals),
        gold=aggregate.of(numbers(rows, measure)),
        decimals=decimals,
        unit=measure.unit,
        tables={table.name: spoiled},
    )


FAMILY = Family("dirty_category", "L4", EN, ZH, draw)
