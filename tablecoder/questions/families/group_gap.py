"""L2: by how much a total or average differs between two values of a category."""

from tablecoder.questions import aggregates, code
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import numbers, text

EN = (
    "By how much does the {agg} {measure} of {rows} with {key} {a} exceed that of {b}?",
    "What is the {agg} {measure} for {key} {a} minus that for {key} {b}?",
    "Subtract the {agg} {measure} of {key} {b} from the {agg} {measure} of {key} {a}.",
)
ZH = (
    "{key}为{a}的{rows}的{measure}{agg}比{b}的多多少？",
    "{key}为{a}的{measure}{agg}减去{b}的{measure}{agg}是多少？",
    "求{key}为{a}与{key}为{b}的{measure}{agg}之差（前者减后者）。",
)


def draw(scene: Scene) -> Problem:
    """Draw the category, two of its values, the measure and the aggregate."""
    table = scene.fact
    key, measure = scene.category(table), scene.measure(table)
    aggregate = aggregates.total_or_mean(scene, measure)
    values = sorted({text(row, key) for row in table.rows})
    if len(values) < 2:
        raise Unfit("one group only")
    groups = {
        value: aggregate.of(numbers([r for r in table.rows if r[key.name] == value], measure))
        for value in values
    }
    a, b = sorted(scene.random.sample(values, 2), key=lambda value: -groups[value])
    decimals = aggregates.decimals(scene, measure, aggregate)
    grouped = f"g = {table.name}.groupby('{key.name}').{measure.name}.{aggregate.method}()\n"
    return Problem(
        words={
            "rows": scene.rows(table),
            "key": scene.noun(key),
            "measure": scene.noun(measure),
            "agg": aggregate.word(scene),
            "a": a,
            "b": b,
        },
        solution=grouped + code.show(f"g['{a}'] - g['{b}']", decimals),
        gold=groups[a] - groups[b],
        decimals=decimals,
        unit=measure.unit,
    )


FAMILY = Family("group_gap", "L2", EN, ZH, draw)
