"""L2, held out for test_ood: how many rows, by date, it takes until a total is reached."""

from itertools import accumulate

from tablecoder.questions import code
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import Role, numbers, text

EN = (
    "Sort {rows} by {day}. After how many rows does the running total of {measure} reach {goal}?",
    "Going through {rows} by {day}, how many are needed until total {measure} is at least {goal}?",
    "In order of {day}, how many {rows} does it take for cumulative {measure} to reach {goal}?",
)
ZH = (
    "按{day}排序，{measure}累计达到{goal}需要多少条{rows}？",
    "依{day}从早到晚累加{measure}，到第几条{rows}时累计不少于{goal}？",
    "按{day}先后累计{measure}，至少需要几条{rows}才能达到{goal}？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure and the total to reach; no two rows may share a date."""
    table = scene.fact
    day, measure = scene.one(table, Role.DATE), scene.additive(table)
    ordered = sorted(table.rows, key=lambda row: text(row, day))
    if len({text(row, day) for row in ordered}) < len(ordered):
        raise Unfit("rows of one day have no order")
    sums = list(accumulate(numbers(ordered, measure)))
    goal = int(scene.pick(sums[2:-1]) * scene.random.randint(85, 99) / 100)
    running = f"{table.name}.sort_values('{day.name}').{measure.name}.cumsum()"
    return Problem(
        words={
            "rows": scene.rows(table),
            "day": scene.noun(day),
            "measure": scene.noun(measure),
            "goal": str(goal),
        },
        solution=code.show(f"({running} < {goal}).sum() + 1", 0),
        gold=1 + sum(total < goal for total in sums),
        decimals=0,
        unit="count",
    )


FAMILY = Family("running_total", "L2", EN, ZH, draw)
