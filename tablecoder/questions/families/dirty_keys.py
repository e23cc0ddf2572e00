"""L4: the keys of the fact table need cleaning before the tables can be joined."""

from tablecoder.questions import aggregates, code, conditions, dirt, joins
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import numbers

EN = (
    "Clean blanks and lower case in {table} {column}. What is the {agg} {measure} of {subject}?",
    "Trim and uppercase {table} {column} to join. Find the {agg} {measure} of {subject}.",
    "Ignoring blanks and case in {table} {column}, what is the {agg} {measure} of {subject}?",
)
ZH = (
    "{table}的{column}有多余空格和小写，清理后{subject}的{measure}{agg}是多少？",
    "先将{table}的{column}去空格并转大写再连接，求{subject}的{measure}的{agg}。",
    "忽略{table}中{column}的空格和大小写，{subject}的{measure}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, the aggregate and a condition on the dimension table."""
    table, random, key = scene.fact, scene.random, joins.key(scene)
    measure = scene.measure(table)
    aggregate = aggregates.draw(scene, measure)
    condition = conditions.category(scene, scene.dim)
    rows = conditions.select(joins.joined(scene), condition)
    spoiled, _ = dirt.some(table.rows, key, lambda cell: dirt.blanks(cell, random), random)
    spoiled, _ = dirt.some(spoiled, key, str.lower, random)
    decimals = aggregates.decimals(scene, measure, aggregate)
    clean = f"{table.name}.{key.name}.str.strip().str.upper()"
    return Problem(
        words={
            "table": table.name,
            "column": key.name,
            "agg": aggregate.word(scene),
            "measure": scene.noun(measure),
            "subject": joins.parents(scene, condition.words),
        },
        solution=f"{table.name}['{key.name}'] = {clean}\nm = {joins.merge(scene)}\n"
        + code.show(f"{code.keep('m', condition)}.{measure.name}.{aggregate.method}()", decimals),
        gold=aggregate.of(numbers(rows, measure)),
        decimals=decimals,
        unit=measure.unit,
        tables={table.name: spoiled},
    )


FAMILY = Family("dirty_keys", "L4", EN, ZH, draw)
