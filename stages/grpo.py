"""Stage grpo: go on training the SFT adapter on the reward of executed programs.

reads   data/questions/rl.jsonl, models/base, models/sft
writes  models/grpo (the adapter), plots/grpo.csv, rollouts/grpo.jsonl (every completion)
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from datasets import Dataset
from trl import GRPOConfig

from tablecoder import (
    adapters,
    checkpoints,
    feedback,
    jsonl,
    models,
    outputs,
    params,
    prompts,
    rewards,
    runtime,
    sampling,
    sandbox,
    trainer,
)
from tablecoder.questions import store
from tablecoder.stage import run

BASE, SFT, TARGET = Path("models/base"), Path("models/sft"), Path("models/grpo")
QUESTIONS = Path("data/questions/rl.jsonl")
# Column of plots/grpo.csv → TRL's name in its log.
COLUMNS = {
    "step": "step",
    "reward": "raw_reward",
    "reward_std": "reward_std",
    "correct": "correct",
    "ran": "ran",
    "format": "format",
    "process": "process",
    "zero_variance": "frac_reward_zero_std",
    "gated": "gated",
    "length": "completions/mean_length",
    "clipped": "completions/clipped_ratio",
    **{f"status_{status}": f"status_{status}" for status in sandbox.Status},
    "sandbox_faults": "sandbox_faults",
    "loss": "loss",
    "entropy": "entropy",
    "grad_norm": "grad_norm",
    "learning_rate": "learning_rate",
}


@dataclass(frozen=True)
class Grpo:
    """Section `grpo` of params.yaml; but for `prompts_per_step`, in TRL's own words."""

    seed: int
    max_steps: int
    num_generations: int
    prompts_per_step: int
    temperature: float
    top_p: float
    max_completion_length: int
    learning_rate: float
    lr_scheduler_type: str
    warmup_steps: int
    max_grad_norm: float
    beta: float
    epsilon: float
    loss_type: str
    scale_rewards: str
    save_steps: int


def main() -> None:
    settings = params.load("grpo", Grpo)
    reward = params.load("reward", rewards.Reward)
    limits = params.load("sandbox", sandbox.Limits)
    prompt = params.load("prompt", prompts.Prompt)
    workers = params.load("runtime", runtime.Runtime).sandbox_workers
    sections = {"grpo": settings, "reward": reward, "sandbox": limits, "prompt": prompt}
    name = checkpoints.fingerprint(sections, [QUESTIONS, BASE, SFT])
    questions = store.read(QUESTIONS)
    judge = feedback.Feedback(questions, reward, limits, workers, settings.num_generations)
    with checkpoints.workspace("grpo", name) as folder:
        interruptible = checkpoints.Interruptible()
        training = _trainer(settings, prompt, judge, folder, interruptible)
        resume = checkpoints.latest(folder)
        training.train(resume_from_checkpoint=str(resume) if resume else None)
        interruptible.leave_if_stopped("grpo", training.state.global_step)
        adapters.save_adapter(training.model, TARGET)
        outputs.write_csv(Path("plots/grpo.csv"), _curve(training.state.log_history))
        steps = sorted((folder / "rollouts").glob("*.jsonl"))
        rollouts = (row for step in steps for row in jsonl.read(step))
        jsonl.write(Path("rollouts/grpo.jsonl"), rollouts)


def _trainer(
    settings: Grpo,
    prompt: prompts.Prompt,
    judge: feedback.Feedback,
    folder: Path,
    callback: checkpoints.Interruptible,
) -> Any:
    return trainer.ExecutionGRPOTrainer(
        sampler=models.load_base(BASE, attention=sampling.ATTENTION),
        feedback=judge,
        model=adapters.load_adapter(models.load_base(BASE), SFT, trainable=True),
        processing_class=models.load_tokenizer(BASE),
        train_dataset=Dataset.from_list(
            [
                {"prompt": prompts.messages(q.question, q.tables, prompt), "index": place}
                for place, q in enumerate(judge.questions)
            ]
        ),
        callbacks=[callback],
        args=_arguments(settings, folder),
    )


def _arguments(settings: Grpo, folder: Path) -> GRPOConfig:
    values = asdict(settings)
    return GRPOConfig(
        output_dir=str(folder),
        # One group is one micro-batch: it is packed into one row.
        per_device_train_batch_size=settings.num_generations,
        gradient_accumulation_steps=values.pop("prompts_per_step"),
        logging_steps=1,
        save_total_limit=2,
        **models.training_arguments(),
        **values,
    )


def _curve(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row a step with the columns of `COLUMNS`."""
    logged = [entry for entry in history if "reward" in entry]
    return [
        {column: _figure(entry.get(name)) for column, name in COLUMNS.items()} for entry in logged
    ]


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


if __name__ == "__main__":
    run("grpo", main)
