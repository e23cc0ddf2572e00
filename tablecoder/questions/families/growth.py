"""L2: by how many percent a monthly total or average changed from one month to a later one."""

from fractions import Fraction

from tablecoder.questions import aggregates, code
from tablecoder.questions.conditions import month_words
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import Role, numbers, text

EN = (
    "By {day}, by what percent did {agg} {measure} change from {a} to {b} (minus for a drop)?",
    "Months by {day}: what is the percent growth of {agg} {measure} from {a} to {b}?",
    "By {day}, how many percent is {agg} {measure} in {b} above that in {a} (negative if below)?",
)
ZH = (
    "按{day}，{measure}{agg}从{a}到{b}变化了百分之几（下降为负）？",
    "以{day}划分月份，{b}的{measure}{agg}比{a}增长百分之多少（减少为负）？",
    "求{measure}的月度{agg}由{a}到{b}的增长率（%，按{day}）。",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, the aggregate and two months that both have rows."""
    table = scene.fact
    day, measure = scene.one(table, Role.DATE), scene.measure(table)
    aggregate = aggregates.total_or_mean(scene, measure)
    months = sorted({text(row, day)[:7] for row in table.rows})
    if len(months) < 2:
        raise Unfit("one month only")
    a, b = sorted(scene.random.sample(months, 2))
    before, after = (
        aggregate.of(numbers([r for r in table.rows if text(r, day)[:7] == label], measure))
        for label in (a, b)
    )
    decimals = scene.decimals()
    name = table.name
    grouped = f"{name}.groupby({name}.{day.name}.str[:7]).{measure.name}.{aggregate.method}()"
    return Problem(
        words={
            "day": scene.noun(day),
            "agg": aggregate.word(scene),
            "measure": scene.noun(measure),
            "a": month_words(scene, a),
            "b": month_words(scene, b),
        },
        solution=f"g = {grouped}\n" + code.show(f"(g['{b}'] / g['{a}'] - 1) * 100", decimals),
        gold=100 * (Fraction(after) / before - 1),
        decimals=decimals,
        unit="percent",
    )


FAMILY = Family("growth", "L2", EN, ZH, draw)
