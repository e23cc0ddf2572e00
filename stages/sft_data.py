"""Stage sft_data: turn questions and their solutions into prompts and completions.

reads   data/questions/{train,dev}.jsonl; metrics/data.json has to be there, so that nothing is
        taught that did not pass validate
writes  data/sft/{train,dev}.jsonl
"""

from pathlib import Path
from typing import Any

from tablecoder import jsonl, params, prompts
from tablecoder.questions import store
from tablecoder.questions.question import Question
from tablecoder.stage import run

QUESTIONS, SFT = Path("data/questions"), Path("data/sft")
METRICS = Path("metrics/data.json")


def main() -> None:
    settings = params.load("prompt", prompts.Prompt)
    if not METRICS.exists():
        raise SystemExit(f"sft_data: {METRICS} is missing; run `dvc repro validate`")
    for split in ("train", "dev"):
        questions = store.read(QUESTIONS / f"{split}.jsonl")
        jsonl.write(SFT / f"{split}.jsonl", [_pair(question, settings) for question in questions])


def _pair(question: Question, settings: prompts.Prompt) -> dict[str, Any]:
    return {
        "prompt": prompts.messages(question.question, question.tables, settings),
        "completion": [{"role": "assistant", "content": prompts.completion(question.solution)}],
    }


if __name__ == "__main__":
    run("sft_data", main)
