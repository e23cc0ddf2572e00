"""Reading question files."""

from pathlib import Path

from tablecoder import jsonl
from tablecoder.questions.question import Question
from tablecoder.stage import StageError


def read(path: Path) -> list[Question]:
    """Return the questions in a file; StageError where it is missing, broken or empty."""
    try:
        questions = [Question.from_row(row) for row in jsonl.read(path)]
    except FileNotFoundError:
        raise StageError(f"{path} is missing; run `dvc repro datagen`") from None
    except ValueError as error:
        raise StageError(f"{path}: {error}; run `dvc repro --force datagen`") from None
    if not questions:
        raise StageError(f"{path} is empty; run `dvc repro --force datagen`")
    return questions
