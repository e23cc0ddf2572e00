"""L4: repeated rows and missing values in one table."""

from tablecoder.questions import asks, code, dirt
from tablecoder.questions.aggregates import MEAN, MEDIAN, TOTAL
from tablecoder.questions.scene import Family, Problem, Scene

EN = (
    "Drop repeated rows; skip {column} {marker}. What is the {agg} {measure} of {subject}?",
    "Count repeated rows once and no {column} {marker}. What is the {agg} {measure} of {subject}?",
    "Remove repeated rows and {marker} in {column}. Find the {agg} {measure} of {subject}.",
)
ZH = (
    "先删除{table}的重复行，并跳过{column}中的{marker}。{subject}的{measure}{agg}是多少？",
    "{table}有重复行，{marker}表示{column}缺失；两者都排除后，{subject}的{measure}的{agg}是多少？",
    "去掉重复行以及{column}为{marker}的行，求{subject}的{measure}的{agg}。",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, the marker, an aggregate that repeated rows change, perhaps a condition."""
    table = scene.fact
    measure, marker = scene.measure(table), scene.pick(dirt.MISSING)
    spoiled, hit = dirt.missing(table.rows, measure, marker, scene.random)
    known = [row for n, row in enumerate(table.rows) if n not in hit]
    aggregate = scene.pick([MEAN, MEDIAN] + [TOTAL] * 3 * measure.additive)
    ask = asks.draw(scene, table, measure, known, asks.maybe(scene, table, measure), aggregate)
    name = table.name
    return Problem(
        words={**ask.words, "table": name, "column": measure.name, "marker": f'"{marker}"'},
        solution=f"{name} = {name}.drop_duplicates()\n"
        f"{name}['{measure.name}'] = pd.to_numeric({name}.{measure.name}, errors='coerce')\n"
        + code.show(ask.code, ask.decimals, whole=False),
        gold=ask.gold,
        decimals=ask.decimals,
        unit=measure.unit,
        tables={name: dirt.duplicates(spoiled, scene.random)},
    )


FAMILY = Family("dirty_twice", "L4", EN, ZH, draw)
