"""Draws questions: which family, language and domain, and the words around the answer.

What the splits share and what they do not:

    train, rl, dev, test   the trained families over the trained domains, always new tables
    test_ood               half of it held-out families over any domain,
                           half trained families over the held-out domain

A split is dealt like cards: each block of twenty questions has 4 of L1, 6 of L2, 5 of L3 and 5
of L4, and within a level each family comes up once in each language before any comes up twice.
So a split of a few hundred questions is balanced, and question i does not depend on how many
questions the split has.
"""

import re
from fractions import Fraction
from random import Random

from tablecoder.questions import catalog, families, tables
from tablecoder.questions.question import Question
from tablecoder.questions.scene import Family, Problem, Scene, Unfit
from tablecoder.questions.schema import Domain
from tablecoder.streams import stream

SPLITS = ("train", "rl", "dev", "test", "test_ood")
LANGS = ("en", "zh")
BLOCK = {"L1": 4, "L2": 6, "L3": 5, "L4": 5}  # of each twenty questions
BY_NAME = 0.6  # share of questions that call columns by their names in the table
_TRIES = 500
_EN_ROUNDED = ("Round to {n}.", "Give the answer to {n}.", "Round the result to {n}.")
_EN_WHOLE = ("Give a whole number.", "Answer with a whole number.")
_ZH_ROUNDED = ("结果保留{d}位小数。", "四舍五入到{d}位小数。", "答案保留{d}位小数。")
_ZH_WHOLE = ("答案为整数。", "请给出整数。")


def draw(seed: int, split: str, index: int, attempt: int = 0) -> Question:
    """Return question `index` of `split`, the same for equal arguments on every machine.

    `attempt` gives another question of the same family and language, for a caller that has met
    this one before. Draws that make no good question are drawn again from the same stream;
    RuntimeError when a family cannot make one at all.
    """
    family, lang, domains = _hand(seed, split, index)
    path: list[str | int] = [split, index, attempt]
    random = stream(seed, *path)
    for _ in range(_TRIES):
        domain = domains[random.choice(sorted(domains))]
        scene = _scene(domain, lang, random)
        try:
            problem = family.draw(scene)
            answer = _answer(problem)
        except Unfit:
            continue
        return Question(
            id=f"{split}-{index:06d}",
            split=split,
            family=family.name,
            level=family.level,
            lang=lang,
            schema=domain.name,
            tables=_shown(scene, problem),
            question=_words(family, problem, scene),
            answer=answer,
            decimals=problem.decimals,
            unit=problem.unit,
            solution=problem.solution,
            stream=[seed, *path],
        )
    raise RuntimeError(f"family {family.name} made no question in {_TRIES} tries")


def full_round(split: str) -> int:
    """Return how many questions of `split` it takes to meet each family in each language."""
    return max(20 * -(-len(_deck(split, level)) // count) for level, count in BLOCK.items())


def _hand(seed: int, split: str, index: int) -> tuple[Family, str, dict[str, Domain]]:
    """Return the family, the language and the domains of question `index`."""
    block, place = divmod(index, sum(BLOCK.values()))
    levels = [level for level, count in BLOCK.items() for _ in range(count)]
    stream(seed, split, "block", block).shuffle(levels)
    level = levels[place]
    nth = block * BLOCK[level] + levels[:place].count(level)
    deck = _deck(split, level)
    turn, card = divmod(nth, len(deck))
    stream(seed, split, level, turn).shuffle(deck)
    return deck[card]


def _deck(split: str, level: str) -> list[tuple[Family, str, dict[str, Domain]]]:
    """Return what a level of a split is made of, each family in each language once.

    In test_ood there are fewer held-out families than trained ones: they come up more often, so
    that they make up half.
    """
    trained = [family for family in families.TRAINED.values() if family.level == level]
    if split != "test_ood":
        return [(family, lang, catalog.TRAINED) for family in trained for lang in LANGS]
    held_out = [family for family in families.HELD_OUT.values() if family.level == level]
    new_words = [(family, lang, catalog.HELD_OUT) for family in trained for lang in LANGS]
    repeats = -(-len(trained) // len(held_out))
    new_kinds = [(family, lang, catalog.DOMAINS) for family in held_out for lang in LANGS]
    return new_words + (new_kinds * repeats)[: len(new_words)]


def _scene(domain: Domain, lang: str, random: Random) -> Scene:
    fact, dim = tables.draw(domain, random)
    return Scene(domain, fact, dim, lang, random.random() < BY_NAME, random)


def _answer(problem: Problem) -> float:
    """Return the gold answer, rounded; Unfit when it is degenerate.

    0 and 1 are answers that a guess would find. A value close to the middle between two rounded
    ones is left out too: there float arithmetic and exact arithmetic may round apart.
    """
    scaled = Fraction(problem.gold) * 10**problem.decimals
    if abs(scaled % 1 - Fraction(1, 2)) < Fraction(1, 10**4):
        raise Unfit("too close to a half")
    answer = round(scaled) / Fraction(10**problem.decimals)
    if answer in (0, 1):
        raise Unfit("an answer that is easily guessed")
    return float(answer)


def _shown(scene: Scene, problem: Problem) -> dict[str, str]:
    """Return the CSV text of the tables that the solution reads, dirty where the family says so.

    One table for most families, both for joins: a table that plays no part would cost a small
    model a third of its prompt.
    """
    return {
        table.name: tables.to_csv(table.columns, problem.tables.get(table.name, table.rows))
        for table in (scene.fact, scene.dim)
        if re.search(rf"\b{table.name}\b", problem.solution)
    }


def _words(family: Family, problem: Problem, scene: Scene) -> str:
    """Return a phrasing with its words filled in, and how to round."""
    phrasing = scene.pick(family.en if scene.lang == "en" else family.zh)
    asked = phrasing.format_map(problem.words)
    d = problem.decimals
    if scene.lang == "zh":
        return asked + scene.pick(_ZH_ROUNDED if d else _ZH_WHOLE).format(d=d)
    places = f"{d} decimal{'s' if d > 1 else ''}"
    return f"{asked} {scene.pick(_EN_ROUNDED if d else _EN_WHOLE).format(n=places)}"
