"""L3: the percentage of a fact measure that falls to some dimension rows."""

from tablecoder.questions import code, conditions, joins
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import total

EN = (
    "What percentage of the total {measure} of all {facts} comes from {subject}?",
    "In percent, what is the share of {subject} in the total {measure}?",
    "How much of the total {measure} (in percent) is due to {subject}?",
)
ZH = (
    "{subject}的{measure}占全部{facts}{measure}的百分之几？",
    "{subject}在{measure}总和中的占比是多少（%）？",
    "{measure}合计中有百分之多少来自{subject}？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure and the condition on the dimension table."""
    measure = scene.additive(scene.fact)
    condition = conditions.draw(scene, scene.dim)
    part = total(conditions.select(joins.joined(scene), condition), measure)
    decimals = scene.decimals()
    share = f"{code.keep('m', condition)}.{measure.name}.sum() / m.{measure.name}.sum() * 100"
    return Problem(
        words={
            "facts": scene.rows(scene.fact),
            "measure": scene.noun(measure),
            "subject": joins.parents(scene, condition.words),
        },
        solution=f"m = {joins.merge(scene)}\n" + code.show(share, decimals),
        gold=100 * part / total(scene.fact.rows, measure),
        decimals=decimals,
        unit="percent",
    )


FAMILY = Family("join_share", "L3", EN, ZH, draw)
