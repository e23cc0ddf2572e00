"""L1: how many different values a column has among the rows that meet a condition."""

from tablecoder.questions import asks, code, conditions
from tablecoder.questions.scene import Family, Problem, Scene
from tablecoder.questions.schema import Role

EN = (
    "How many different {column} values appear among {subject}?",
    "Count the distinct {column} values of {subject}.",
    "Over {subject}, what is the number of unique {column} values?",
)
ZH = (
    "{subject}中出现了多少个不同的{column}？",
    "统计{subject}的{column}去重后的个数。",
    "{subject}共涉及多少种不同的{column}？",
)


def draw(scene: Scene) -> Problem:
    """Draw the column and a condition on another one."""
    table = scene.fact
    column = scene.pick(table.having(Role.FOREIGN, Role.DATE, Role.QUANTITY))
    condition = conditions.draw(scene, table, column)
    rows = conditions.select(table.rows, condition)
    return Problem(
        words={
            "column": scene.noun(column),
            "subject": asks.subject(scene, scene.rows(table), condition),
        },
        solution=code.show(f"{code.keep(table.name, condition)}.{column.name}.nunique()", 0),
        gold=len({row[column.name] for row in rows}),
        decimals=0,
        unit="count",
    )


FAMILY = Family("distinct_count", "L1", EN, ZH, draw)
