"""L2: how many days lie between the first and the last date of some rows."""

from datetime import date

from tablecoder.questions import asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Role, text

EN = (
    "How many days lie between the earliest and the latest {day} of {subject}?",
    "For {subject}, how many days after the first {day} is the last one?",
    "What is the number of days from the first to the last {day} among {subject}?",
)
ZH = (
    "{subject}的最早与最晚{day}相差多少天？",
    "{subject}中，最后的{day}比最早的{day}晚多少天？",
    "求{subject}的{day}从最早到最晚间隔的天数。",
)


def draw(scene: Scene) -> Problem:
    """Draw the condition."""
    table = scene.fact
    day = scene.one(table, Role.DATE)
    condition = scene.pick((conditions.category, conditions.threshold))(scene, table)
    rows = conditions.select(table.rows, condition)
    days = [date.fromisoformat(text(row, day)) for row in rows]
    return Problem(
        words={
            "day": scene.noun(day),
            "subject": asks.subject(scene, scene.rows(table), condition),
        },
        solution=f"d = pd.to_datetime({code.keep(table.name, condition)}.{day.name})\n"
        + code.show("(d.max() - d.min()).days", 0),
        gold=(max(days) - min(days)).days,
        decimals=0,
        unit="days",
    )


FAMILY = Family("date_span", "L2", EN, ZH, draw)
