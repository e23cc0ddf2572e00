"""L1: one number of the row in which another number is highest or lowest."""

from tablecoder.questions import code
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import number, numbers

EN = (
    "What is the {measure} of the row in {table} with the {extreme} {other}?",
    "In {table}, take the row whose {other} is {extreme}. What is its {measure}?",
    "Find the row of {table} that has the {extreme} {other} and give its {measure}.",
)
ZH = (
    "{table}表中{other}{extreme}的那一行，{measure}是多少？",
    "在{table}中找到{other}{extreme}的一行，给出它的{measure}。",
    "{table}里{other}{extreme}的记录的{measure}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the two measures and which end; the extreme row must be the only one."""
    table = scene.table()
    measure = scene.measure(table)
    other = scene.pick([c for c in [scene.measure(table)] if c != measure])
    highest = scene.random.random() < 0.5
    best = (max if highest else min)(numbers(table.rows, other))
    rows = [row for row in table.rows if row[other.name] == best]
    if len(rows) > 1:
        raise Unfit("a tie")
    decimals = scene.decimals() if measure.places else 0
    find = "idxmax" if highest else "idxmin"
    expression = f"{table.name}.loc[{table.name}.{other.name}.{find}(), '{measure.name}']"
    return Problem(
        words={
            "table": table.name,
            "measure": scene.noun(measure),
            "other": scene.noun(other),
            "extreme": scene.say(*(("highest", "最高") if highest else ("lowest", "最低"))),
        },
        solution=code.show(expression, decimals),
        gold=number(rows[0], measure),
        decimals=decimals,
        unit=measure.unit,
    )


FAMILY = Family("extreme_lookup", "L1", EN, ZH, draw)
