"""Stage sft: teach the base model, by LoRA, to reply with a program.

reads   data/sft/{train,dev}.jsonl, models/base
writes  models/sft (the adapter), plots/sft.csv
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets import Dataset
from trl import SFTConfig, SFTTrainer

from tablecoder import adapters, checkpoints, jsonl, models, outputs, params, trl_cpu
from tablecoder.stage import StageError, run

BASE, TARGET = Path("models/base"), Path("models/sft")
TRAIN, DEV = Path("data/sft/train.jsonl"), Path("data/sft/dev.jsonl")


@dataclass(frozen=True)
class Sft:
    """Section `sft` of params.yaml, in TRL's own words."""

    seed: int
    num_train_epochs: float
    per_device_train_batch_size: int
    gradient_accumulation_steps: int
    learning_rate: float
    lr_scheduler_type: str
    warmup_steps: int
    max_length: int
    logging_steps: int
    eval_steps: int
    save_steps: int


def main() -> None:
    settings = params.load("sft", Sft)
    lora = params.load("lora", adapters.Lora)
    name = checkpoints.fingerprint({"sft": settings, "lora": lora}, [TRAIN, DEV, BASE])
    with checkpoints.workspace("sft", name) as folder:
        interruptible = checkpoints.Interruptible()
        trainer = _trainer(settings, lora, folder, interruptible)
        resume = checkpoints.latest(folder)
        trainer.train(resume_from_checkpoint=str(resume) if resume else None)
        interruptible.leave_if_stopped("sft", trainer.state.global_step)
        adapters.save_adapter(trainer.model, TARGET)
        outputs.write_csv(Path("plots/sft.csv"), _curve(trainer.state.log_history))


def _trainer(
    settings: Sft, lora: adapters.Lora, folder: Path, callback: checkpoints.Interruptible
) -> Any:
    trl_cpu.score_completions_only()
    return SFTTrainer(
        model=adapters.add_adapter(models.load_base(BASE), lora, settings.seed),
        processing_class=models.load_tokenizer(BASE),
        train_dataset=_pairs(TRAIN),
        eval_dataset=_pairs(DEV),
        callbacks=[callback],
        args=SFTConfig(
            output_dir=str(folder),
            eval_strategy="steps",
            per_device_eval_batch_size=settings.per_device_train_batch_size,
            train_sampling_strategy="group_by_length",
            save_total_limit=2,
            **models.training_arguments(),
            **vars(settings),
        ),
    )


def _pairs(path: Path) -> Dataset:
    try:
        return Dataset.from_list(jsonl.read(path))
    except ValueError as error:
        raise StageError(f"{error}; run `dvc repro --force sft_data`") from None


def _curve(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the logged losses, a row for each step at which anything was logged."""
    columns = ("loss", "eval_loss", "learning_rate")
    steps: dict[int, dict[str, Any]] = {}
    for entry in history:
        row = steps.setdefault(entry["step"], {"step": entry["step"], **dict.fromkeys(columns, "")})
        row.update({name: f"{entry[name]:.6g}" for name in columns if name in entry})
    return [row for row in steps.values() if row["loss"] or row["eval_loss"]]


if __name__ == "__main__":
    run("sft", main)
