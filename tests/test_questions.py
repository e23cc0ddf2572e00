"""Every family makes questions that are right, clear, varied, and new in every split."""

import ast
import contextlib
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages import datagen
from tablecoder import answers, jsonl
from tablecoder.questions import audit, catalog, dirt, engine, families, tables
from tablecoder.questions.question import Question
from tablecoder.questions.scene import Problem, Scene, Unfit
from tablecoder.questions.schema import NUMBERS, Role
from tablecoder.sandbox.tables import read_csv
from tablecoder.streams import stream

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"train": 200, "rl": 100, "dev": 60, "test": 200, "test_ood": 200}
EACH_FAMILY = pytest.mark.parametrize("family", families.FAMILIES.values(), ids=lambda f: f.name)
EACH_DOMAIN = pytest.mark.parametrize("domain", catalog.DOMAINS.values(), ids=lambda d: d.name)


@pytest.fixture(scope="module")
def splits():
    return {split: [engine.draw(0, split, i) for i in range(n)] for split, n in SIZES.items()}


@pytest.fixture(scope="module")
def by_family(splits):
    found = defaultdict(list)
    for questions in splits.values():
        for question in questions:
            found[question.family].append(question)
    return found


def run(question, shown=None):
    """Run the solution as a user would, in plain Python; return what it printed as a number."""
    frames = {name: read_csv(text) for name, text in (shown or question.tables).items()}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(question.solution, {"pd": pd, "np": np, **frames})
    return answers.read_answer(printed.getvalue())


# --- one family ---


@EACH_FAMILY
def test_the_solution_gives_the_gold_answer(family, by_family):
    """Two paths: pandas over the tables as shown, plain Python over the clean rows."""
    for question in by_family[family.name]:
        value = run(question)
        assert answers.matches(value, question.answer, question.decimals), (question, value)


@EACH_FAMILY
def test_an_answer_off_by_one_unit_is_wrong(family, by_family):
    for question in by_family[family.name]:
        for unit in (10.0**-question.decimals, -(10.0**-question.decimals)):
            near = question.answer + unit
            assert not answers.matches(near, question.answer, question.decimals)


@EACH_FAMILY
def test_other_tables_give_another_answer(family, by_family):
    """A program that knows the answer by heart does not pass for one that computes it."""
    questions = by_family[family.name]
    changed = 0
    for question in questions:
        fewer = {name: "".join(_half(text)) for name, text in question.tables.items()}
        try:
            changed += run(question, fewer) != question.answer
        except (KeyError, ValueError, AttributeError):  # a named value is gone
            changed += 1
    assert changed > len(questions) / 2


def _half(text):
    header, *rows = text.splitlines(keepends=True)
    return [header, *rows[len(rows) // 2 :]]


@EACH_FAMILY
@pytest.mark.parametrize("lang", engine.LANGS)
def test_every_phrasing_can_be_filled(family, lang):
    phrasings = family.en if lang == "en" else family.zh
    assert len(set(phrasings)) >= 3
    words = _problem(family, lang).words
    for phrasing in phrasings:
        assert not re.search(r"[{}]|''|\s\s", phrasing.format_map(words))


def _problem(family, lang) -> Problem:
    random = stream(3, "test", family.name, lang)
    while True:
        domain = random.choice(list(catalog.DOMAINS.values()))
        fact, dim = tables.draw(domain, random)
        with contextlib.suppress(Unfit):
            return family.draw(Scene(domain, fact, dim, lang, False, random))


@EACH_FAMILY
def test_a_family_varies(family, by_family):
    questions = by_family[family.name]
    assert len({question.question for question in questions}) == len(questions)
    assert len({question.answer for question in questions}) > len(questions) / 3
    shapes = {audit.shape(question) for question in questions}
    assert len(shapes) > 1 or family.name in families.HELD_OUT


@EACH_FAMILY
def test_questions_are_short_and_say_how_to_round(family, by_family):
    for question in by_family[family.name]:
        if question.lang == "en":
            assert 9 <= len(question.question.split()) <= 45, question.question
            assert "decimal" in question.question or "whole number" in question.question
        else:
            assert 15 <= len(question.question) <= 110, question.question
            assert "位小数" in question.question or "整数" in question.question
        assert str(question.decimals) in question.question or question.decimals == 0


@EACH_FAMILY
def test_solutions_are_short_and_end_with_print(family, by_family):
    for question in by_family[family.name]:
        body = ast.parse(question.solution).body
        assert len(question.solution) <= audit.LONGEST_SOLUTION
        assert 1 <= len(body) <= 6
        assert ast.unparse(body[-1]).startswith("print(")


@EACH_FAMILY
def test_dirty_families_show_dirt_and_others_none(family):
    assert bool(_problem(family, "en").tables) == (family.level == "L4")


@pytest.mark.parametrize("name", sorted(families.FAMILIES))
def test_a_family_bears_the_name_of_its_file(name):
    assert (ROOT / f"tablecoder/questions/families/{name}.py").exists()


def test_every_family_file_is_listed():
    files = {path.stem for path in (ROOT / "tablecoder/questions/families").glob("[a-z]*.py")}
    assert files == set(families.FAMILIES)


def test_gold_never_comes_from_pandas():
    for path in (ROOT / "tablecoder/questions").rglob("*.py"):
        assert not re.search(r"^\s*(import|from) (pandas|numpy)", path.read_text(), re.MULTILINE)


@EACH_FAMILY
def test_values_that_the_program_needs_stand_in_the_question(family, by_family):
    """The prompt shows only a few rows, so a filter value must be spelled out."""
    values = {
        value.casefold()
        for domain in catalog.DOMAINS.values()
        for column in (*domain.fact.columns, *domain.dim.columns)
        for value in column.values
    }
    for question in by_family[family.name]:
        for constant in re.findall(r"'([^']*)'", question.solution):
            is_value = constant.casefold() in values and constant not in _names(question)
            assert not is_value or constant.casefold() in question.question.casefold()


def _names(question):
    return {name for text in question.tables.values() for name in text.split("\n")[0].split(",")}


# --- domains and tables ---


@EACH_DOMAIN
def test_columns_can_be_used_as_attributes_and_joined(domain):
    facts, dims = ([column.name for column in spec.columns] for spec in (domain.fact, domain.dim))
    assert set(facts) & set(dims) == {domain.dim.columns[0].name}
    for name in facts + dims:
        assert name.isidentifier() and not hasattr(pd.DataFrame, name)


@EACH_DOMAIN
def test_every_domain_has_every_role(domain):
    facts, dims = ({column.role for column in spec.columns} for spec in (domain.fact, domain.dim))
    assert facts == set(Role) - {Role.COST}
    assert {Role.KEY, Role.CATEGORY, Role.COST, Role.MEASURE} <= dims


@EACH_DOMAIN
def test_drawn_tables_are_related(domain):
    for i in range(20):
        fact, dim = tables.draw(domain, stream(1, "tables", domain.name, i))
        key = dim.columns[0].name
        assert 12 <= len(fact.rows) <= 30 and 4 <= len(dim.rows) <= 7
        assert len({row[key] for row in dim.rows}) == len(dim.rows)
        assert {row[key] for row in fact.rows} <= {row[key] for row in dim.rows}
        assert len({row[fact.columns[0].name] for row in fact.rows}) == len(fact.rows)


@EACH_DOMAIN
def test_csv_says_what_the_rows_say(domain):
    fact, dim = tables.draw(domain, stream(1, "csv", domain.name))
    for table in (fact, dim):
        frame = read_csv(tables.to_csv(table.columns, table.rows))
        assert list(frame.columns) == [column.name for column in table.columns]
        for column in table.having(*NUMBERS):
            assert frame[column.name].tolist() == [float(row[column.name]) for row in table.rows]


# --- dirt ---

AMOUNTS = st.decimals(-99999, 99999, places=2).map(str)
DATES = st.dates(min_value=pd.Timestamp("1970-01-01").date()).map(str)
WORDS = st.text("abcXYZ", min_size=1)


@given(AMOUNTS, DATES, WORDS, st.randoms(use_true_random=False), st.sampled_from(dirt.CURRENCIES))
def test_dirt_can_be_cleaned(amount, day, word, random, sign):
    clean = dirt.CLEANERS
    assert clean["thousands"](dirt.thousands(amount)) == amount
    assert clean["currency"](dirt.currency(amount, sign)) == amount
    assert clean["percent"](dirt.percent(amount)) == amount
    assert clean["brackets"](dirt.brackets(amount)) == amount
    assert clean["unit"](dirt.unit(amount, "pieces")) == amount
    assert clean["slashes"](dirt.slashes(day)) == day
    assert clean["month_first"](dirt.month_first(day)) == day
    assert clean["blanks"](dirt.blanks(word, random)) == word
    assert clean["case"](dirt.case(word, random)) == word.casefold()


def test_repeated_rows_can_be_dropped_again():
    fact, _ = tables.draw(catalog.DOMAINS["orders"], stream(0, "dirt"))
    spoiled = dirt.duplicates(fact.rows, stream(0, "dirt", 1))
    assert len(spoiled) > len(fact.rows)
    assert list({row["order_id"]: row for row in spoiled}.values()) == fact.rows


def test_missing_cells_are_the_ones_reported():
    fact, _ = tables.draw(catalog.DOMAINS["orders"], stream(0, "dirt"))
    (column,) = [column for column in fact.columns if column.name == "quantity"]
    spoiled, hit = dirt.missing(fact.rows, column, "N/A", stream(0, "dirt", 2))
    assert hit == [n for n, row in enumerate(spoiled) if row["quantity"] == "N/A"]
    assert 2 <= len(hit) <= 4


# --- the engine ---


def test_splits_and_seeds_share_no_question_and_no_table(splits):
    """Seeds 0 and 1, all splits: as many tables as there were draws."""
    drawn = [question for questions in splits.values() for question in questions]
    drawn += [engine.draw(1, split, i) for split in SIZES for i in range(60)]
    assert len({question.question + str(question.tables) for question in drawn}) == len(drawn)
    texts = [text for question in drawn for text in question.tables.values()]
    assert len(set(texts)) == len(texts)


def test_questions_do_not_depend_on_the_process():
    code = (
        "import hashlib; from tablecoder.questions import engine\n"
        "print(hashlib.sha256(repr([engine.draw(0, 'test', i) for i in range(40)]).encode())"
        ".hexdigest())"
    )
    here = repr([engine.draw(0, "test", i) for i in range(40)]).encode()
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PYTHONHASHSEED": "99"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.strip() == hashlib.sha256(here).hexdigest()


def test_a_question_does_not_depend_on_the_size_of_its_split(splits):
    assert engine.draw(0, "test", 137) == splits["test"][137]


def test_a_question_says_how_to_draw_it_again(splits):
    for question in splits["test_ood"][:40]:
        assert engine.draw(*question.stream) == question


def test_a_question_met_before_is_drawn_again():
    seen = set()
    first, again = (datagen._new(0, "rl", 5, seen) for _ in range(2))
    assert (first.stream[-1], again.stream[-1]) == (0, 1)
    assert first.question + str(first.tables) != again.question + str(again.tables)


def test_another_attempt_gives_another_question_of_the_same_kind():
    first, second = (engine.draw(0, "rl", 5, attempt) for attempt in (0, 1))
    assert (first.family, first.lang, first.id) == (second.family, second.lang, second.id)
    assert first.tables != second.tables


@pytest.mark.parametrize("split", engine.SPLITS)
def test_levels_and_languages_are_balanced(split):
    dealt = [engine._hand(0, split, i) for i in range(400)]
    levels = Counter(family.level for family, _, _ in dealt)
    assert levels == {"L1": 80, "L2": 120, "L3": 100, "L4": 100}
    assert 190 <= sum(lang == "en" for _, lang, _ in dealt) <= 210


@pytest.mark.parametrize("split", engine.SPLITS)
def test_a_full_round_meets_every_family_in_each_language(split):
    dealt = {engine._hand(0, split, i)[:2] for i in range(engine.full_round(split))}
    wanted = families.FAMILIES if split == "test_ood" else families.TRAINED
    assert {(family.name, lang) for family, lang in dealt} == {
        (name, lang) for name in wanted for lang in engine.LANGS
    }


def test_half_of_test_ood_is_new_in_kind_and_half_in_words(splits):
    kinds = [question.family in families.HELD_OUT for question in splits["test_ood"]]
    assert 0.4 < sum(kinds) / len(kinds) < 0.6
    for question, new_kind in zip(splits["test_ood"], kinds, strict=True):
        assert new_kind or question.schema in catalog.HELD_OUT


def test_families_and_domains_are_as_many_as_promised():
    assert len(families.TRAINED) >= 18 and len(families.HELD_OUT) >= 3
    assert len(catalog.TRAINED) >= 5 and "orders" in catalog.TRAINED
    assert Counter(f.level for f in families.TRAINED.values())["L4"] >= 4


@pytest.mark.parametrize(
    "gold, decimals", [(0, 2), (1, 0), (Fraction(5, 2), 0), (Fraction(1, 8), 2)]
)
def test_degenerate_answers_are_drawn_again(gold, decimals):
    with pytest.raises(Unfit):
        engine._answer(Problem({}, "", gold, decimals, "number"))


def test_few_answers_can_be_guessed(splits):
    drawn = [question.answer for questions in splits.values() for question in questions]
    assert max(Counter(drawn).values()) < 0.03 * len(drawn)


# --- the question as a row ---


def test_a_question_survives_the_file(tmp_path, splits):
    path = tmp_path / "x.jsonl"
    jsonl.write(path, [question.to_row() for question in splits["dev"]])
    assert [Question.from_row(row) for row in jsonl.read(path)] == splits["dev"]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"answer": "12"}, "key 'answer' has the wrong type: '12'"),
        ({"answer": True}, "key 'answer' has the wrong type"),
        ({"tables": {}}, "key 'tables' has the wrong type"),
        ({"decimals": 1.5}, "key 'decimals' has the wrong type"),
        ({"gold": 1}, "key 'gold' is unknown"),
        ({"unit": ...}, "key 'unit' is missing"),
    ],
)
def test_a_bad_row_is_named(change, message):
    row = {**engine.draw(0, "dev", 0).to_row(), **change}
    row = {key: value for key, value in row.items() if value is not ...}
    with pytest.raises(ValueError, match=re.escape(f"question dev-000000: {message}")):
        Question.from_row(row)


# --- the gate ---


def test_the_audit_finds_nothing_wrong(splits):
    assert list(audit.problems(splits)) == []


def _with(splits, split, question):
    return {**splits, split: [*splits[split][1:], question]}


def test_the_audit_finds_what_is_wrong(splits):
    train, test = splits["train"][0], splits["test"][0]
    new = next(q for q in splits["test_ood"] if q.family in families.HELD_OUT)
    unlike = replace(test, id="test-x", question="?")
    cases = {
        "occurs 2 times": _with(splits, "test", splits["test"][5]),
        "same text and tables": _with(splits, "test", replace(train, id="test-x")),
        "has the table": _with(splits, "test", replace(unlike, tables=train.tables)),
        "held-out family": _with(splits, "rl", replace(new, id="rl-x")),
        "not out of distribution": _with(splits, "test_ood", replace(unlike, id="test_ood-x")),
        "characters": _with(splits, "test", replace(unlike, solution="print(1)" + " " * 400)),
        "unknown family": _with(splits, "test", replace(unlike, family="nonsense")),
        "no question of family": {
            **splits,
            "test": [q for q in splits["test"] if (q.family, q.lang) != ("growth", "zh")],
        },
    }
    for message, broken in cases.items():
        assert any(message in problem for problem in audit.problems(broken)), message


def test_programs_that_differ_in_names_and_constants_have_one_shape():
    first = Question.from_row(engine.draw(0, "dev", 0).to_row())
    tables_ = {"orders": "a,b\n1,2\n", "trips": "c,d\n1,2\n"}
    one = replace(first, tables=tables_, solution="print(orders[orders.a == 'x'].b.sum())")
    two = replace(first, tables=tables_, solution="print(trips[trips.c == 'y'].d.sum())")
    other = replace(first, tables=tables_, solution="print(trips[trips.c == 'y'].d.mean())")
    assert audit.shape(one) == audit.shape(two) != audit.shape(other)


# --- the stages ---


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with a small params.yaml in which datagen has run."""
    folder = tmp_path_factory.mktemp("stages")
    text = (ROOT / "params.yaml").read_text()
    for split in engine.SPLITS:
        text = re.sub(rf"(\n  {split}:) \d+", r"\1 12", text)
    (folder / "params.yaml").write_text(text)
    assert stage("datagen", folder).returncode == 0
    return folder


def stage(name, folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", f"stages.{name}"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_datagen_writes_the_same_bytes_again(workplace, tmp_path):
    shutil.copy(workplace / "params.yaml", tmp_path)
    assert stage("datagen", tmp_path).returncode == 0
    for split in engine.SPLITS:
        name = f"data/questions/{split}.jsonl"
        assert (tmp_path / name).read_bytes() == (workplace / name).read_bytes()
        assert len(jsonl.read(tmp_path / name)) == 12


def test_good_questions_pass_the_gate_and_become_pairs(workplace, tmp_path):
    shutil.copytree(workplace, tmp_path, dirs_exist_ok=True)
    before = stage("sft_data", tmp_path)
    assert before.returncode == 1 and "dvc repro validate" in before.stderr
    ended = stage("validate", tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert stage("sft_data", tmp_path).returncode == 0
    pair, *_ = pairs = jsonl.read(tmp_path / "data/sft/train.jsonl")
    question = jsonl.read(tmp_path / "data/questions/train.jsonl")[0]
    assert len(pairs) == 12
    assert question["question"] in pair["prompt"][-1]["content"]
    assert question["solution"] in pair["completion"][0]["content"]
    assert str(question["answer"]) not in pair["completion"][0]["content"]


def test_a_wrong_gold_answer_stops_the_gate(workplace, tmp_path):
    shutil.copytree(workplace, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "data/questions/rl.jsonl"
    rows = jsonl.read(path)
    rows[3]["answer"] += 1
    jsonl.write(path, rows)
    ended = stage("validate", tmp_path)
    assert ended.returncode == 1 and "Traceback" not in ended.stderr
    assert f"question rl-000003 (family {rows[3]['family']}) gives" in ended.stderr
    assert f"expected {rows[3]['answer']}" in ended.stderr
    assert (tmp_path / "logs/faulty.txt").read_text() == "rl-000003\n"
    assert not (tmp_path / "metrics/data.json").exists()


@pytest.mark.parametrize(
    "content, message",
    [
        (None, "test.jsonl is missing; run `dvc repro datagen`"),
        ("", "test.jsonl is empty"),
        ("{", "test.jsonl, line 1: not JSON"),
        ('{"id": "test-000000"}', "question test-000000: key 'answer' is missing"),
    ],
)
def test_a_broken_file_is_one_sentence(workplace, tmp_path, content, message):
    shutil.copytree(workplace, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "data/questions/test.jsonl"
    path.unlink() if content is None else path.write_text(content)
    ended = stage("validate", tmp_path)
    assert ended.returncode == 1 and message in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
