"""Stage datagen: draw the questions of every split.

reads   nothing but params.yaml (section `datagen`)
writes  data/questions/{train,rl,dev,test,test_ood}.jsonl
"""

from dataclasses import dataclass
from pathlib import Path

from tablecoder import jsonl, params
from tablecoder.questions import engine
from tablecoder.questions.question import Question
from tablecoder.stage import run

QUESTIONS = Path("data/questions")
ATTEMPTS = 20


@dataclass(frozen=True)
class Datagen:
    """Section `datagen` of params.yaml: the seed and the number of questions per split."""

    seed: int
    train: int
    rl: int
    dev: int
    test: int
    test_ood: int


def main() -> None:
    settings = params.load("datagen", Datagen)
    seen: set[tuple[str, ...]] = set()
    for split in engine.SPLITS:
        count: int = getattr(settings, split)
        if count < 1:
            raise SystemExit(f"datagen: params.yaml: datagen.{split} must be at least 1")
        rows = [_new(settings.seed, split, index, seen).to_row() for index in range(count)]
        jsonl.write(QUESTIONS / f"{split}.jsonl", rows)


def _new(seed: int, split: str, index: int, seen: set[tuple[str, ...]]) -> Question:
    """Draw a question whose text and tables no earlier question has."""
    for attempt in range(ATTEMPTS):
        question = engine.draw(seed, split, index, attempt)
        what = (question.question, *question.tables.values())
        if what not in seen:
            seen.add(what)
            return question
    raise SystemExit(
        f"datagen: question {index} of {split} repeats an earlier one {ATTEMPTS} times; "
        f"ask for fewer questions or add domains or families"
    )


if __name__ == "__main__":
    run("datagen", main)
