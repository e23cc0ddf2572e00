"""L3, held out for test_ood: one dimension category's total as a multiple of another's."""

from tablecoder.questions import code, joins
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import text, total

EN = (
    "How many times the total {measure} of {key} {b} is that of {key} {a}?",
    "Divide the total {measure} of {facts} with {key} {a} by that with {key} {b}.",
    "What is the ratio of total {measure}, {key} {a} to {key} {b}?",
)
ZH = (
    "{key}为{a}的{facts}的{measure}总和是{key}为{b}的多少倍？",
    "用{key}为{a}的{measure}总和除以{key}为{b}的{measure}总和，结果是多少？",
    "{key}为{a}与{key}为{b}的{measure}总和之比（前者÷后者）是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, the category and two of its values that have facts."""
    key, measure = scene.category(scene.dim), scene.additive(scene.fact)
    rows = joins.joined(scene)
    values = sorted({text(row, key) for row in rows})
    if len(values) < 2:
        scene.pick([])
    a, b = scene.random.sample(values, 2)
    above, below = (
        total([row for row in rows if row[key.name] == value], measure) for value in (a, b)
    )
    return Problem(
        words={
            "facts": scene.rows(scene.fact),
            "key": scene.noun(key),
            "measure": scene.noun(measure),
            "a": a,
            "b": b,
        },
        solution=f"m = {joins.merge(scene)}\ng = m.groupby('{key.name}').{measure.name}.sum()\n"
        + code.show(f"g['{a}'] / g['{b}']", 2),
        gold=above / below,
        decimals=2,
        unit="ratio",
    )


FAMILY = Family("join_ratio", "L3", EN, ZH, draw)
