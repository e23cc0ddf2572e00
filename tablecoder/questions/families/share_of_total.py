"""L2: the percentage of a measure's total that falls to the rows under a condition."""

from tablecoder.questions import asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import total

EN = (
    "What percentage of the total {measure} comes from {subject}?",
    "In percent, how much of the total {measure} of all {rows} is due to {subject}?",
    "Find the share (in percent) of {subject} in the total {measure}.",
)
ZH = (
    "{subject}的{measure}占总{measure}的百分之几？",
    "{subject}占全部{rows}{measure}合计的百分比是多少？",
    "求{subject}在{measure}总和中所占的百分比（以%计）。",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure and the condition."""
    table = scene.table()
    measure = scene.additive(table)
    condition = conditions.draw(scene, table, measure)
    part = total(conditions.select(table.rows, condition), measure)
    decimals = scene.decimals()
    kept = f"{code.keep(table.name, condition)}.{measure.name}.sum()"
    return Problem(
        words={
            "measure": scene.noun(measure),
            "rows": scene.rows(table),
            "subject": asks.subject(scene, scene.rows(table), condition),
        },
        solution=code.show(f"{kept} / {table.name}.{measure.name}.sum() * 100", decimals),
        gold=100 * part / total(table.rows, measure),
        decimals=decimals,
        unit="percent",
    )


FAMILY = Family("share_of_total", "L2", EN, ZH, draw)
