"""L1: how many rows meet one or two conditions."""

from tablecoder.questions import asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene

EN = (
    "How many {subject} are there?",
    "Count the {subject}.",
    "What is the number of {subject}?",
)
ZH = (
    "{subject}共有多少条？",
    "统计{subject}的数量。",
    "有多少条{subject}？",
)


def draw(scene: Scene) -> Problem:
    """Draw one or two conditions."""
    table = scene.fact
    chosen = [conditions.draw(scene, table)]
    if scene.random.random() < 0.5:
        chosen.append(conditions.threshold(scene, table))
    return Problem(
        words={"subject": asks.subject(scene, scene.rows(table), *chosen)},
        solution=code.show(f"len({code.keep(table.name, *chosen)})", 0),
        gold=len(conditions.select(table.rows, *chosen)),
        decimals=0,
        unit="count",
    )


FAMILY = Family("count_rows", "L1", EN, ZH, draw)
