"""L3: facts under a condition of their own and one on their dimension row, counted or added up."""

from tablecoder.questions import aggregates, code, conditions, joins
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import numbers

EN = (
    "Take {subject}, keeping only {facts} whose {own}. {ask}",
    "Among {subject}, consider those whose {own}. {ask}",
    "Look at {subject} whose own {own}. {ask}",
)
ZH = (
    "在{subject}中，只取{own}的，{ask}",
    "考虑{subject}里{own}的记录，{ask}",
    "{subject}中满足{own}的，{ask}",
)


def draw(scene: Scene) -> Problem:
    """Draw both conditions and whether rows are counted or a measure is added up."""
    own = conditions.draw(scene, scene.fact)
    other = conditions.category(scene, scene.dim)
    rows = conditions.select(joins.joined(scene), own, other)
    words = {
        "facts": scene.rows(scene.fact),
        "own": own.words,
        "subject": joins.parents(scene, other.words),
    }
    first, kept = f"m = {joins.merge(scene)}\n", code.keep("m", own, other)
    if scene.random.random() < 0.3:
        words["ask"] = scene.say("How many are there?", "共有多少条？")
        return Problem(words, first + code.show(f"len({kept})", 0), len(rows), 0, "count")
    measure = scene.measure(scene.fact)
    aggregate = aggregates.total_or_mean(scene, measure)
    decimals = aggregates.decimals(scene, measure, aggregate)
    agg, noun = aggregate.word(scene), scene.noun(measure)
    words["ask"] = scene.say(f"What is their {agg} {noun}?", f"{noun}的{agg}是多少？")
    solution = first + code.show(f"{kept}.{measure.name}.{aggregate.method}()", decimals)
    return Problem(words, solution, aggregate.of(numbers(rows, measure)), decimals, measure.unit)


FAMILY = Family("join_two_filters", "L3", EN, ZH, draw)
