"""L3: the highest or lowest total of a fact measure over the values of a dimension category."""

from tablecoder.questions import aggregates, code, joins
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import numbers

EN = (
    "Take the {agg} {measure} of {facts} for each {key} of {dims}. What is the {extreme}?",
    "What is the {extreme} {agg} {measure} of {facts} over the {key} values in {dims}?",
    "Group {facts} by the {key} of their {dims}; give the {extreme} {agg} {measure} of a group.",
)
ZH = (
    "按{dims}的{key}计算{facts}{measure}的{agg}，{extreme}的是多少？",
    "{dims}的各{key}对应的{facts}{measure}{agg}中，{extreme}值是多少？",
    "结合两表，按{key}分组后{measure}的{agg}{extreme}为多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the category, the measure, the aggregate and which end."""
    key, measure = scene.category(scene.dim), scene.measure(scene.fact)
    aggregate = aggregates.total_or_mean(scene, measure)
    highest = scene.random.random() < 0.6
    rows = joins.joined(scene)
    groups = [
        aggregate.of(numbers([row for row in rows if row[key.name] == value], measure))
        for value in {row[key.name]: None for row in rows}
    ]
    if len(groups) < 2:
        scene.pick([])
    decimals = aggregates.decimals(scene, measure, aggregate)
    grouped = f"m.groupby('{key.name}').{measure.name}.{aggregate.method}()"
    return Problem(
        words={
            "facts": scene.rows(scene.fact),
            "dims": scene.rows(scene.dim),
            "key": scene.noun(key),
            "measure": scene.noun(measure),
            "agg": aggregate.word(scene),
            "extreme": scene.say(*(("highest", "最高") if highest else ("lowest", "最低"))),
        },
        solution=f"m = {joins.merge(scene)}\n"
        + code.show(f"{grouped}.{'max' if highest else 'min'}()", decimals),
        gold=(max if highest else min)(groups),
        decimals=decimals,
        unit=measure.unit,
    )


FAMILY = Family("join_group_extreme", "L3", EN, ZH, draw)
