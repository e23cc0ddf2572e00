"""L1, held out for test_ood: how many rows have a measure between two bounds."""

from tablecoder.questions import code
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import numbers

EN = (
    "How many {rows} have a {measure} from {low} to {high}, both included?",
    "Count the {rows} whose {measure} is between {low} and {high} inclusive.",
    "What is the number of {rows} with {low} <= {measure} <= {high}?",
)
ZH = (
    "{measure}在{low}到{high}之间（含两端）的{rows}有多少条？",
    "统计{measure}介于{low}和{high}（含端点）的{rows}数量。",
    "满足{low} <= {measure} <= {high}的{rows}共有多少条？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure and bounds that two of its values give."""
    table = scene.fact
    measure = scene.measure(table)
    values = sorted(numbers(table.rows, measure))
    low = int(scene.pick(values[: len(values) // 2]))
    high = int(scene.pick(values[len(values) // 2 :]))
    return Problem(
        words={
            "rows": scene.rows(table),
            "measure": scene.noun(measure),
            "low": str(low),
            "high": str(high),
        },
        solution=code.show(f"{table.name}.{measure.name}.between({low}, {high}).sum()", 0),
        gold=sum(low <= value <= high for value in values),
        decimals=0,
        unit="count",
    )


FAMILY = Family("between_count", "L1", EN, ZH, draw)
