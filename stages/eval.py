"""Stage eval: sample a model on the test sets, run its programs, score them.

usage   python -m stages.eval base|sft|grpo
reads   data/questions/{test,test_ood}.jsonl, models/base, models/<model> (the adapter)
writes  predictions/<model>.jsonl, metrics/eval/<model>.json
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from tablecoder import (
    adapters,
    answers,
    checkpoints,
    jsonl,
    models,
    outputs,
    params,
    prompts,
    runtime,
    sampling,
    sandbox,
    scoring,
    streams,
)
from tablecoder.questions import store
from tablecoder.questions.question import Question
from tablecoder.stage import run

BASE = Path("models/base")
QUESTIONS = [Path("data/questions/test.jsonl"), Path("data/questions/test_ood.jsonl")]
SHOWN = 200  # characters of a program's output that a prediction keeps


@dataclass(frozen=True)
class Eval:
    """Section `eval` of params.yaml."""

    seed: int
    num_samples: int  # completions of each question, beside the greedy one
    temperature: float
    top_p: float
    max_completion_length: int
    prompts_per_batch: int  # sampled together, and kept together when the stage is interrupted
    k: list[int]
    resamples: int


def main() -> None:
    model = _model_name()
    settings = params.load("eval", Eval)
    limits = params.load("sandbox", sandbox.Limits)
    prompt = params.load("prompt", prompts.Prompt)
    workers = params.load("runtime", runtime.Runtime).sandbox_workers
    adapter = [] if model == "base" else [Path("models") / model]
    sections = {"model": model, "eval": settings, "sandbox": limits, "prompt": prompt}
    name = checkpoints.fingerprint(sections, [*QUESTIONS, BASE, *adapter])
    questions = [question for path in QUESTIONS for question in store.read(path)]
    with checkpoints.workspace(f"eval-{model}", name) as folder:
        sampler = _Sampler(adapter, settings, prompt)
        rows = _predict(sampler, questions, folder, limits, workers)
        jsonl.write(Path(f"predictions/{model}.jsonl"), rows)
        metrics = scoring.evaluate(rows, settings.k, settings.seed, settings.resamples)
        outputs.write_json(Path(f"metrics/eval/{model}.json"), metrics)


def _model_name() -> str:
    if sys.argv[1:] not in (["base"], ["sft"], ["grpo"]):
        raise SystemExit("usage: python -m stages.eval base|sft|grpo")
    return sys.argv[1]


class _Sampler:
    """The model under test: questions in, a greedy and several sampled completions of each out."""

    def __init__(self, adapter: Sequence[Path], settings: Eval, prompt: prompts.Prompt) -> None:
        self.settings, self.prompt = settings, prompt
        self.tokenizer = models.load_tokenizer(BASE)
        self.model = models.load_base(BASE, attention=sampling.ATTENTION)
        for folder in adapter:
            self.model = adapters.load_adapter(self.model, folder).merge_and_unload()

    def ids(self, question: Question) -> list[int]:
        """Return the token ids of the prompt that asks `question`."""
        conversation = prompts.messages(question.question, question.tables, self.prompt)
        return models.prompt_ids(self.tokenizer, conversation)

    def __call__(self, questions: Sequence[Question]) -> list[list[tuple[str, int]]]:
        """Return (text, tokens) of each completion, the greedy one first, for each question."""
        settings = self.settings
        sampled = sampling.sample(
            self.model,
            [self.ids(question) for question in questions],
            [0.0] + [settings.temperature] * settings.num_samples,
            top_p=settings.top_p,
            max_tokens=settings.max_completion_length,
            stop=[self.tokenizer.eos_token_id],
            streams=[streams.stream(settings.seed, "eval", q.id) for q in questions],
            batch=settings.prompts_per_batch,
        )
        decode = self.tokenizer.decode
        return [
            [(decode(ids, skip_special_tokens=True), len(ids)) for ids in group]
            for group in sampled
        ]


def _predict(
    sampler: _Sampler,
    questions: Sequence[Question],
    folder: Path,
    limits: sandbox.Limits,
    workers: int,
) -> list[dict[str, Any]]:
    """Return a prediction row for each question; batches already in `folder` are not redone."""
    # Prompts of like length together, so that a batch has little padding.
    order = sorted(questions, key=lambda question: (len(sampler.ids(question)), question.id))
    found: dict[str, dict[str, Any]] = {}
    size = sampler.settings.prompts_per_batch
    with tqdm(total=len(order), desc="questions", unit="") as progress:
        for start in range(0, len(order), size):
            batch, path = order[start : start + size], folder / f"{start:06d}.jsonl"
            if not path.exists():
                jsonl.write(path, _rows(batch, sampler(batch), limits, workers))
            found |= {row["id"]: row for row in jsonl.read(path)}
            progress.update(len(batch))
            right = sum(row["greedy"]["correct"] for row in found.values())
            progress.set_postfix({"pass@1": f"{right / len(found):.3f}"})
    return [found[question.id] for question in questions]


def _rows(
    questions: Sequence[Question],
    sampled: Sequence[Sequence[tuple[str, int]]],
    limits: sandbox.Limits,
    workers: int,
) -> list[dict[str, Any]]:
    programs = [
        (prompts.extract_code(text) or "", question.tables)
        for question, group in zip(questions, sampled, strict=True)
        for text, _ in group
    ]
    executions = iter(sandbox.run_many(programs, limits=limits, workers=workers))
    fields = ("id", "split", "family", "level", "lang", "schema", "answer", "decimals")
    rows = []
    for question, group in zip(questions, sampled, strict=True):
        judged = [_candidate(question, text, n, next(executions)) for text, n in group]
        head = {field: getattr(question, field) for field in fields}
        rows.append({**head, "greedy": judged[0], "samples": judged[1:]})
    return rows


def _candidate(
    question: Question, text: str, tokens: int, execution: sandbox.Execution | sandbox.SandboxError
) -> dict[str, Any]:
    if isinstance(execution, sandbox.SandboxError):
        raise SystemExit(
            f"eval: the sandbox failed on question {question.id}: {execution}; "
            "`dvc repro` goes on from the last finished batch"
        )
    ran = execution.status is sandbox.Status.OK
    value = answers.read_answer(execution.stdout) if ran else None
    return {
        "completion": text,
        "status": str(execution.status),
        "stdout": execution.stdout[:SHOWN],
        "value": value,
        "correct": answers.matches(value, question.answer, question.decimals),
        "done": execution.done,
        "total": execution.total,
        "tokens": tokens,
    }


if __name__ == "__main__":
    run("eval", main)
