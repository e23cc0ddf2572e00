"""What must hold for the questions of all splits together, and what is counted about them."""

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from tablecoder.questions import catalog, engine, families
from tablecoder.questions.question import Question

Splits = Mapping[str, Sequence[Question]]

LONGEST_SOLUTION = 320  # characters; a longer program does not fit the completions sampled
TRAINING = ("train", "rl")


def problems(splits: Splits) -> Iterator[str]:
    """Yield a sentence for each way in which the splits are not what they claim to be."""
    yield from _repeated_ids(splits)
    yield from _repeated_questions(splits)
    yield from _shared_tables(splits)
    for split, questions in splits.items():
        yield from _held_out(split, questions)
        yield from _absent(split, questions)
        yield from _too_long(questions)


def counts(splits: Splits) -> dict[str, Any]:
    """Return numbers of questions, by level, language and family, for each split."""
    return {
        split: {"n": len(questions)}
        | {
            f"by_{key}": dict(Counter(getattr(question, key) for question in questions))
            for key in ("level", "lang", "schema", "family")
        }
        for split, questions in splits.items()
    }


def lengths(splits: Splits) -> dict[str, float]:
    """Return the median, the 95th percentile and the maximum of characters per solution."""
    sizes = sorted(
        len(question.solution) for questions in splits.values() for question in questions
    )
    return {
        "median": float(median(sizes)),
        "p95": sizes[int(0.95 * (len(sizes) - 1))],
        "max": sizes[-1],
    }


def contamination(splits: Splits, split: str) -> dict[str, float]:
    """Return how much of the solutions of `split` also occurs in train, as shares.

    `same_program` compares their text, `same_shape` what `shape` leaves of them. Neither is a
    leak of answers, as all tables differ; they say how far the split tests new programs.
    """
    programs = {question.solution for question in splits["train"]}
    shapes = {shape(question) for question in splits["train"]}
    asked = splits[split]
    return {
        "same_program": round(sum(q.solution in programs for q in asked) / len(asked), 4),
        "same_shape": round(sum(shape(q) in shapes for q in asked) / len(asked), 4),
    }


def shape(question: Question) -> str:
    """Return the solution with its constants and the names of tables and columns replaced."""
    columns = {name for text in question.tables.values() for name in _header(text)}
    tree = _Plain(set(question.tables), columns).visit(ast.parse(question.solution))
    return ast.unparse(tree)


class _Plain(ast.NodeTransformer):
    """Replaces what differs between two programs that do the same over different tables."""

    def __init__(self, tables: Collection[str], columns: Collection[str]) -> None:
        self.tables, self.columns = tables, columns

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name("table", node.ctx) if node.id in self.tables else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr in self.columns:
            node.attr = "column"
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant("column" if node.value in self.columns else type(node.value).__name__)


def _header(text: str) -> list[str]:
    return text.split("\n", 1)[0].split(",")


def _repeated_ids(splits: Splits) -> Iterator[str]:
    seen = Counter(question.id for questions in splits.values() for question in questions)
    for name, count in seen.items():
        if count > 1:
            yield f"question id {name} occurs {count} times"


def _repeated_questions(splits: Splits) -> Iterator[str]:
    first: dict[tuple[str, ...], str] = {}
    for questions in splits.values():
        for question in questions:
            what = (question.question, *question.tables.values())
            if what in first:
                yield f"questions {first[what]} and {question.id} have the same text and tables"
            first.setdefault(what, question.id)


def _shared_tables(splits: Splits) -> Iterator[str]:
    """No table that training saw may be asked about in the splits that measure."""
    trained = {
        text: question.id
        for split in TRAINING
        for question in splits.get(split, ())
        for text in question.tables.values()
    }
    for split, questions in splits.items():
        for question in questions if split not in TRAINING else ():
            for name, text in question.tables.items():
                if text in trained:
                    yield f"question {question.id} has the table {name} of {trained[text]}"


def _held_out(split: str, questions: Sequence[Question]) -> Iterator[str]:
    for question in questions:
        if question.family not in families.FAMILIES or question.schema not in catalog.DOMAINS:
            yield f"question {question.id} is of an unknown family or domain"
        new = question.family in families.HELD_OUT or question.schema in catalog.HELD_OUT
        if split == "test_ood" and not new:
            yield f"question {question.id} is not out of distribution: {question.family}"
        if split != "test_ood" and new:
            yield f"question {question.id} is of a held-out family or domain: {question.family}"


def _absent(split: str, questions: Sequence[Question]) -> Iterator[str]:
    """A split that is large enough for it has each of its families in each language."""
    if len(questions) < engine.full_round(split):
        return
    present = {(question.family, question.lang) for question in questions}
    wanted = families.FAMILIES if split == "test_ood" else families.TRAINED
    for name in wanted:
        for lang in engine.LANGS:
            if (name, lang) not in present:
                yield f"split {split} has no question of family {name} in language {lang}"


def _too_long(questions: Sequence[Question]) -> Iterator[str]:
    for question in questions:
        if len(question.solution) > LONGEST_SOLUTION:
            what = f"the solution of question {question.id} ({question.family})"
            yield f"{what} has {len(question.solution)} characters"
