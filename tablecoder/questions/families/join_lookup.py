"""L3: a number of the dimension row whose facts add up to the most or the least."""

from fractions import Fraction

from tablecoder.questions import code, joins
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import number, text

EN = (
    "Which {key} has the {extreme} total {measure} in {table}? Give its {value} from {dims}.",
    "Add up {measure} in {table} by {key}. What is the {value} of the {extreme}?",
    "What is the {value} of the {key} whose {table} have the {extreme} total {measure}?",
)
ZH = (
    "在{table}中{measure}总和{extreme}的{key}，其{value}是多少？",
    "按{key}汇总{table}的{measure}，合计{extreme}者在{dims}表中的{value}是多少？",
    "{table}里{measure}合计{extreme}的{key}对应的{value}是多少？",
)


def draw(scene: Scene) -> Problem:
    """Draw the measure, which end, and what to look up; the extreme total must be unique."""
    key, measure = joins.key(scene), scene.additive(scene.fact)
    value = scene.measure(scene.dim)
    highest = scene.random.random() < 0.6
    totals: dict[str, Fraction] = {}
    for row in scene.fact.rows:
        totals[text(row, key)] = totals.get(text(row, key), Fraction(0)) + number(row, measure)
    best = (max if highest else min)(totals.values())
    winners = [name for name, total in totals.items() if total == best]
    if len(winners) > 1:
        raise Unfit("a tie")
    (row,) = [row for row in scene.dim.rows if row[key.name] == winners[0]]
    decimals = scene.decimals() if value.places else 0
    grouped = f"{scene.fact.name}.groupby('{key.name}').{measure.name}.sum()"
    find = f"k = {grouped}.{'idxmax' if highest else 'idxmin'}()\n"
    look_up = f"{scene.dim.name}.set_index('{key.name}').{value.name}[k]"
    return Problem(
        words={
            "table": scene.fact.name,
            "dims": scene.dim.name,
            "key": scene.noun(key),
            "measure": scene.noun(measure),
            "value": scene.noun(value),
            "extreme": scene.say(*(("highest", "最高") if highest else ("lowest", "最低"))),
        },
        solution=find + code.show(look_up, decimals),
        gold=number(row, value),
        decimals=decimals,
        unit=value.unit,
    )


FAMILY = Family("join_lookup", "L3", EN, ZH, draw)
