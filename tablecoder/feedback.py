"""From completions to rewards: run the programs, mark the answers, pay, gate, keep the record."""

from collections.abc import Callable, Sequence
from typing import Any

from tqdm import tqdm

from tablecoder import answers, prompts, rewards, sandbox
from tablecoder.questions.question import Question

ALARM = 0.01  # share of sandbox faults in a batch above which the user is told


class Feedback:
    """The reward function of GRPO, in TRL's form: one reward for each completion.

    `questions` are found by the dataset's column `index`. A fault of the sandbox gives None, which
    TRL leaves out of the group's statistics; it is never a reward of 0.
    """

    __name__ = "execution"

    def __init__(
        self,
        questions: Sequence[Question],
        reward: rewards.Reward,
        limits: sandbox.Limits,
        workers: int,
        group: int,
    ) -> None:
        self.questions, self.reward, self.group = questions, reward, group
        self.limits, self.workers = limits, workers
        self._rows: list[dict[str, Any]] = []

    def __call__(
        self,
        completions: Sequence[Any],
        index: Sequence[int],
        log_metric: Callable[[str, float], None] = lambda name, value: None,
        **_: Any,
    ) -> list[float | None]:
        """Return the gated reward of each completion; the groups lie one after the other."""
        questions = [self.questions[place] for place in index]
        texts = [completion[0]["content"] for completion in completions]
        self._rows = [
            {"id": question.id, "completion": text, **self._judged(question, execution)}
            for question, text, execution in zip(
                questions, texts, self._run(questions, texts), strict=True
            )
        ]
        for start in range(0, len(self._rows), self.group):
            self._gate(self._rows[start : start + self.group])
        shares = summary(self._rows, self.group)
        for name, value in shares.items():
            log_metric(name, value)
        if shares["sandbox_faults"] > ALARM:
            tqdm.write(
                f"the sandbox failed on {shares['sandbox_faults']:.1%} of this step's programs"
            )
        return [row["gated_reward"] for row in self._rows]

    def rollouts(self, step: int, advantages: Sequence[float]) -> list[dict[str, Any]]:
        """Return the record of the batch that was judged last, with its advantages."""
        return [
            {"step": step, **row, "advantage": round(advantage, 6)}
            for row, advantage in zip(self._rows, advantages, strict=True)
        ]

    def _run(
        self, questions: Sequence[Question], texts: Sequence[str]
    ) -> list[sandbox.Execution | sandbox.SandboxError]:
        programs = [
            (prompts.extract_code(text) or "", question.tables)
            for question, text in zip(questions, texts, strict=True)
        ]
        return sandbox.run_many(programs, limits=self.limits, workers=self.workers)

    def _judged(
        self, question: Question, execution: sandbox.Execution | sandbox.SandboxError
    ) -> dict[str, Any]:
        if isinstance(execution, sandbox.SandboxError):
            return {"status": "sandbox_fault", "components": None, "reward": None}
        value = answers.read_answer(execution.stdout)
        right = answers.matches(value, question.answer, question.decimals)
        parts = rewards.components(execution, right)
        total = rewards.total(parts, self.reward)
        return {"status": str(execution.status), "components": parts, "reward": total}

    def _gate(self, group: Sequence[dict[str, Any]]) -> None:
        right = [bool(row["components"] and row["components"]["correct"]) for row in group]
        gated = rewards.gate([row["reward"] for row in group], right, self.reward.gate)
        for row, value in zip(group, gated, strict=True):
            row["gated_reward"] = value


def summary(rows: Sequence[dict[str, Any]], group: int) -> dict[str, float]:
    """Return the shares that are logged for a batch of judged completions.

    `raw_reward` is the mean reward before the gate; `gated` the share of groups that it closed.
    """
    judged = [row for row in rows if row["components"] is not None]
    shares = {"sandbox_faults": 1 - len(judged) / len(rows)}
    if judged:
        shares["raw_reward"] = sum(row["reward"] for row in judged) / len(judged)
        for name in ("format", "ran", "correct", "process"):
            shares[name] = sum(row["components"][name] for row in judged) / len(judged)
    for status in sandbox.Status:
        shares[f"status_{status}"] = sum(row["status"] == status for row in rows) / len(rows)
    groups = [rows[start : start + group] for start in range(0, len(rows), group)]
    shares["gated"] = sum(map(_closed, groups)) / len(groups)
    return shares


def _closed(group: Sequence[dict[str, Any]]) -> bool:
    return any(row["reward"] != row["gated_reward"] for row in group)
