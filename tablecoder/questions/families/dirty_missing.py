"""L4: some values of a measure are missing, which a marker says, and are skipped."""

from tablecoder.questions import asks, code, dirt
from tablecoder.questions.scene import Family, Problem, Scene

EN = (
    "Skip {column} values written {marker}. What is the {agg} {measure} of {subject}?",
    "Ignore rows whose {column} is {marker}. Find the {agg} {measure} of {subject}.",
    "{marker} means {column} is missing; leave it out. What is the {agg} {measure} of {subject}?",
)
ZH = (
    "{column}的缺失值写作{marker}，请跳过。{subject}的{measure}{agg}是多少？",
    "忽略{column}为{marker}的行，求{subject}的{measure}的{agg}。",
    "{column}中{marker}表示缺失，除去这些后{subject}的{measure}的{agg}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, the marker, the aggregate and perhaps a condition."""
    table = scene.fact
    measure, marker = scene.measure(table), scene.pick(dirt.MISSING)
    spoiled, hit = dirt.missing(table.rows, measure, marker, scene.random)
    known = [row for n, row in enumerate(table.rows) if n not in hit]
    ask = asks.draw(scene, table, measure, known, asks.maybe(scene, table, measure))
    clean = f"pd.to_numeric({table.name}.{measure.name}, errors='coerce')"
    return Problem(
        words={**ask.words, "column": measure.name, "marker": f'"{marker}"'},
        solution=f"{table.name}['{measure.name}'] = {clean}\n"
        + code.show(ask.code, ask.decimals, whole=False),
        gold=ask.gold,
        decimals=ask.decimals,
        unit=measure.unit,
        tables={table.name: spoiled},
    )


FAMILY = Family("dirty_missing", "L4", EN, ZH, draw)
