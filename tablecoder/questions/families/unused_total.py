"""L3: a total over the dimension rows that have facts, or that have none."""

from tablecoder.questions import aggregates, code, joins
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import numbers

EN = (
    "What is the {agg} {measure} of the {dims} that have {which} in {table}?",
    "Consider {dims} with {which} in {table}. What is their {agg} {measure}?",
    "Find the {agg} {measure} over all {dims} that have {which} in the {table} table.",
)
ZH = (
    "在{table}表中{which}记录的{dims}，{measure}的{agg}是多少？",
    "{which}{table}记录的{dims}，其{measure}{agg}是多少？",
    "求在{table}中{which}记录的{dims}的{measure}的{agg}。",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure and the side; there must be rows on both sides."""
    key, measure = joins.key(scene), scene.measure(scene.dim)
    used = {row[key.name] for row in scene.fact.rows}
    unused = scene.random.random() < 0.6
    rows = [row for row in scene.dim.rows if (row[key.name] not in used) == unused]
    if not rows or len(rows) == len(scene.dim.rows):
        raise Unfit("all rows on one side")
    aggregate = aggregates.draw(scene, measure)
    decimals = aggregates.decimals(scene, measure, aggregate)
    dim = scene.dim.name
    mask = f"{'~' if unused else ''}{dim}.{key.name}.isin({scene.fact.name}.{key.name})"
    which = ("no row", "没有") if unused else ("at least one row", "有")
    return Problem(
        words={
            "agg": aggregate.word(scene),
            "measure": scene.noun(measure),
            "dims": scene.rows(scene.dim),
            "table": scene.fact.name,
            "which": scene.say(*which),
        },
        solution=code.show(f"{dim}[{mask}].{measure.name}.{aggregate.method}()", decimals),
        gold=aggregate.of(numbers(rows, measure)),
        decimals=decimals,
        unit=measure.unit,
    )


FAMILY = Family("unused_total", "L3", EN, ZH, draw)
