"""L2: the highest or lowest total (or average) of a measure over the values of a category."""

from tablecoder.questions import aggregates, code
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Role, numbers

EN = (
    "Group {rows} by {key}. What is the {extreme} {agg} {measure} of a group?",
    "Compute the {agg} {measure} for each {key} in {table}; what is the {extreme} of these?",
    "What is the {agg} {measure} of the {key} whose {agg} {measure} is {extreme}?",
)
ZH = (
    "按{key}对{rows}分组，各组{measure}的{agg}中{extreme}的是多少？",
    "每个{key}的{measure}的{agg}里，{extreme}的值是多少？",
    "{measure}的{agg}{extreme}的{key}，其{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the category, the measure, the aggregate and which end."""
    table = scene.fact
    key = scene.pick(table.having(Role.CATEGORY, Role.FOREIGN))
    measure = scene.measure(table)
    aggregate = aggregates.total_or_mean(scene, measure)
    highest = scene.random.random() < 0.6
    groups = [
        aggregate.of(numbers([row for row in table.rows if row[key.name] == value], measure))
        for value in {row[key.name]: None for row in table.rows}
    ]
    decimals = aggregates.decimals(scene, measure, aggregate)
    grouped = f"{table.name}.groupby('{key.name}').{measure.name}.{aggregate.method}()"
    return Problem(
        words={
            "rows": scene.rows(table),
            "table": table.name,
            "key": scene.noun(key),
            "measure": scene.noun(measure),
            "agg": aggregate.word(scene),
            "extreme": scene.say(*(("highest", "最高") if highest else ("lowest", "最低"))),
        },
        solution=code.show(f"{grouped}.{'max' if highest else 'min'}()", decimals),
        gold=(max if highest else min)(groups),
        decimals=decimals,
        unit=measure.unit,
    )


FAMILY = Family("group_extreme", "L2", EN, ZH, draw)
