"""Stage validate: the gate before anything is trained.

Replays every solution in the sandbox against the gold answer, which a second path computed, and
checks that the splits share nothing. Ends with code 1 and one sentence where something is wrong.

reads   data/questions/{train,rl,dev,test,test_ood}.jsonl
writes  metrics/data.json; the ids of faulty questions, if any, go to logs/faulty.txt
"""

from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from tablecoder import answers, outputs, params, runtime, sandbox
from tablecoder.questions import audit, engine, store
from tablecoder.questions.question import Question
from tablecoder.stage import run

QUESTIONS = Path("data/questions")
METRICS = Path("metrics/data.json")
FAULTY = Path("logs/faulty.txt")
BATCH = 100  # programs between two steps of the progress bar


def main() -> None:
    limits = params.load("sandbox", sandbox.Limits)
    workers = params.load("runtime", runtime.Runtime).sandbox_workers
    splits = {split: store.read(QUESTIONS / f"{split}.jsonl") for split in engine.SPLITS}
    for problem in audit.problems(splits):
        raise SystemExit(f"validate: {problem}; run `dvc repro --force datagen`")
    questions = [question for split in splits.values() for question in split]
    _refuse(questions, _faults(questions, limits, workers))
    outputs.write_json(
        METRICS,
        {
            "solutions_right": len(questions),
            "questions": audit.counts(splits),
            "solution_characters": audit.lengths(splits),
            "seen_in_train": {
                split: audit.contamination(splits, split) for split in ("dev", "test", "test_ood")
            },
        },
    )


def _faults(
    questions: Sequence[Question], limits: sandbox.Limits, workers: int
) -> list[tuple[Question, str]]:
    """Return the questions whose solution does not give the gold answer, with what it gave."""
    faults = []
    with tqdm(total=len(questions), desc="solutions", unit="") as progress:
        for start in range(0, len(questions), BATCH):
            batch = questions[start : start + BATCH]
            programs = [(question.solution, question.tables) for question in batch]
            results = sandbox.run_many(programs, limits=limits, workers=workers)
            for question, result in zip(batch, results, strict=True):
                if got := _fault(question, result):
                    faults.append((question, got))
            progress.update(len(batch))
    return faults


def _fault(question: Question, result: sandbox.Execution | sandbox.SandboxError) -> str | None:
    if isinstance(result, sandbox.SandboxError):
        raise SystemExit(f"validate: the sandbox failed on question {question.id}: {result}")
    if result.status is not sandbox.Status.OK:
        last = (result.stderr.strip().splitlines() or [""])[-1]
        return f"status {result.status} {last}".strip()
    value = answers.read_answer(result.stdout)
    if answers.matches(value, question.answer, question.decimals):
        return None
    return repr(result.stdout[:80])


def _refuse(questions: Sequence[Question], faults: Sequence[tuple[Question, str]]) -> None:
    """End the stage when there are faults; name the first and list the ids of all."""
    FAULTY.unlink(missing_ok=True)
    if not faults:
        return
    outputs.write_text(FAULTY, "".join(f"{question.id}\n" for question, _ in faults))
    question, got = faults[0]
    raise SystemExit(
        f"validate: the solution of question {question.id} (family {question.family}) gives {got}, "
        f"expected {question.answer}; {len(faults)} of {len(questions)} solutions are wrong, "
        f"their ids are in {FAULTY}"
    )


if __name__ == "__main__":
    run("validate", main)
