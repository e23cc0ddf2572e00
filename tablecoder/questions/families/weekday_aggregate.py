"""L2: an aggregate over the rows of one weekday or of the weekend."""

from datetime import date

from tablecoder.questions import aggregates, asks, code, conditions
from tablecoder.questions.conditions import Condition
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Column, Role, number, text

DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
EN = (
    "What is the {agg} {measure} of {subject}?",
    "Looking at {day}, find the {agg} {measure} of {subject}.",
    "Give the {agg} {measure} over {subject}.",
)
ZH = (
    "{subject}的{measure}{agg}是多少？",
    "根据{day}，求{subject}的{measure}的{agg}。",
    "计算{subject}的{measure}的{agg}。",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, the aggregate and the days."""
    table = scene.fact
    day, measure = scene.one(table, Role.DATE), scene.measure(table)
    aggregate = aggregates.total_or_mean(scene, measure)
    condition = _condition(scene, day)
    rows = conditions.select(table.rows, condition)
    decimals = aggregates.decimals(scene, measure, aggregate)
    kept = f"{table.name}[{condition.mask('d')}].{measure.name}.{aggregate.method}()"
    return Problem(
        words={
            "agg": aggregate.word(scene),
            "measure": scene.noun(measure),
            "day": scene.noun(day),
            "subject": asks.subject(scene, scene.rows(table), condition),
        },
        solution=f"d = pd.to_datetime({table.name}.{day.name}).dt\n" + code.show(kept, decimals),
        gold=aggregate.of([number(row, measure) for row in rows]),
        decimals=decimals,
        unit=measure.unit,
    )


def _condition(scene: Scene, day: Column) -> Condition:
    noun = scene.noun(day)
    if scene.random.random() < 0.3:
        words = scene.say(f"{noun} is on a weekend (Saturday or Sunday)", f"{noun}在周六或周日")
        return Condition(
            words,
            "{t}.day_of_week >= 5",
            lambda row: date.fromisoformat(text(row, day)).weekday() > 4,
        )
    n = scene.random.randrange(7)
    return Condition(
        words=scene.say(f"{noun} is a {DAYS[n]}", f"{noun}是星期{'一二三四五六日'[n]}"),
        code=f"{{t}}.day_name() == '{DAYS[n]}'",
        holds=lambda row: date.fromisoformat(text(row, day)).isoweekday() == n + 1,
    )


FAMILY = Family("weekday_aggregate", "L2", EN, ZH, draw)
