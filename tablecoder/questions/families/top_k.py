"""L2: the total of the k largest or smallest values of a measure."""

from tablecoder.questions import aggregates, asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import numbers

EN = (
    "What is the {agg} of the {k} {end} {measure} values among {subject}?",
    "Take the {k} {end} {measure} values of {subject}. What is their {agg}?",
    "Find the {agg} of the {end} {k} values of {measure} over {subject}.",
)
ZH = (
    "{subject}中{measure}{end}的{k}个值的{agg}是多少？",
    "取{subject}里{measure}{end}的{k}个值，求它们的{agg}。",
    "{subject}的{measure}前{k}个{end}值的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, k, which end and the aggregate."""
    table = scene.fact
    measure = scene.additive(table)
    chosen = asks.maybe(scene, table, measure)
    rows = conditions.select(table.rows, *chosen)
    k, largest = scene.random.randint(2, 5), scene.random.random() < 0.7
    if len(rows) <= k:
        raise Unfit("k values are all of them")
    total = scene.random.random() < 0.7
    aggregate = aggregates.TOTAL if total else aggregates.MEAN
    decimals = aggregates.decimals(scene, measure, aggregate)
    end = "nlargest" if largest else "nsmallest"
    kept = f"{code.keep(table.name, *chosen)}.{measure.name}.{end}({k}).{aggregate.method}()"
    return Problem(
        words={
            "measure": scene.noun(measure),
            "subject": asks.subject(scene, scene.rows(table), *chosen),
            "k": str(k),
            "end": scene.say(*(("largest", "最大") if largest else ("smallest", "最小"))),
            "agg": scene.say(*(("sum", "总和") if total else ("average", "平均值"))),
        },
        solution=code.show(kept, decimals),
        gold=aggregate.of(sorted(numbers(rows, measure), reverse=largest)[:k]),
        decimals=decimals,
        unit=measure.unit,
    )


FAMILY = Family("top_k", "L2", EN, ZH, draw)
