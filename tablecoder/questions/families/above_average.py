"""L2: how many rows, or how much of another measure, lie above a column's average."""

from fractions import Fraction

from tablecoder.questions import aggregates, code
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import number, numbers, total

EN = (
    "Take the {rows} whose {measure} is {side} the average {measure} of all {rows}. {ask}",
    "Consider {rows} with {measure} {side} the overall average {measure}. {ask}",
    "Among {rows} with {measure} {side} the mean {measure} of the whole table: {ask}",
)
ZH = (
    "取{measure}{side}全部{rows}平均值的{rows}，{ask}",
    "只看{measure}{side}总体平均{measure}的{rows}，{ask}",
    "在{measure}{side}全表均值的{rows}中，{ask}",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, the side, and whether rows are counted or a measure is added up."""
    table = scene.fact
    measure, other = scene.measure(table), scene.additive(table)
    above = scene.random.random() < 0.6
    mean = total(table.rows, measure) / len(table.rows)
    if any(abs(value - mean) < Fraction(1, 10**6) for value in numbers(table.rows, measure)):
        raise Unfit("a value equal to the average: float and exact means could disagree")
    rows = [row for row in table.rows if (number(row, measure) > mean) == above]
    mask = f"{table.name}.{measure.name} {'>' if above else '<'} {table.name}.{measure.name}.mean()"
    words = {
        "rows": scene.rows(table),
        "measure": scene.noun(measure),
        "side": scene.say(*(("above", "高于") if above else ("below", "低于"))),
    }
    if scene.random.random() < 0.4:
        ask = scene.say("How many are there?", "共有多少条？")
        solution = code.show(f"({mask}).sum()", 0)
        return Problem({**words, "ask": ask}, solution, len(rows), 0, "count")
    noun = scene.noun(other)
    ask = scene.say(f"What is their total {noun}?", f"它们的{noun}总和是多少？")
    decimals = aggregates.decimals(scene, other, aggregates.TOTAL)
    solution = code.show(f"{table.name}[{mask}].{other.name}.sum()", decimals)
    return Problem({**words, "ask": ask}, solution, total(rows, other), decimals, other.unit)


FAMILY = Family("above_average", "L2", EN, ZH, draw)
