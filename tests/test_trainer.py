"""Our GRPO trainer computes what TRL's computes, from fewer tokens, and keeps its record."""

from pathlib import Path
from typing import Any

import pytest
import tiny_model
import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from tablecoder import adapters, jsonl, models, sampling, sandbox
from tablecoder.feedback import Feedback, summary
from tablecoder.questions import engine
from tablecoder.rewards import Reward
from tablecoder.trainer import ExecutionGRPOTrainer

REWARD = Reward(0.0, 0.1, 0.3, 1.0, 0.0, "outcome")
G = 4


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    tiny_model.write(folder)
    return folder


def feedback() -> Feedback:
    questions = [engine.draw(0, "rl", index) for index in range(3)]
    return Feedback(questions, REWARD, sandbox.DEFAULT_LIMITS, 1, G)


def built(base: Path, folder: Path, **changes: Any) -> ExecutionGRPOTrainer:
    settings = {"num_generations": G, "max_completion_length": 12, "max_steps": 2, "beta": 0.0}
    lora = adapters.Lora(r=4, lora_alpha=8, lora_dropout=0.0, target_modules="all-linear")
    policy = adapters.add_adapter(models.load_base(base), lora, seed=0)
    for name, weight in policy.named_parameters():
        if "lora_B" in name:  # a fresh adapter changes nothing; this one shall
            torch.nn.init.normal_(weight, std=0.3)
    return ExecutionGRPOTrainer(
        sampler=models.load_base(base, attention=sampling.ATTENTION),
        feedback=feedback(),
        model=policy,
        processing_class=models.load_tokenizer(base),
        train_dataset=Dataset.from_list(
            [{"prompt": [{"role": "user", "content": f"{n}?"}], "index": n} for n in range(3)]
        ),
        args=GRPOConfig(
            output_dir=str(folder),
            per_device_train_batch_size=G,
            gradient_accumulation_steps=2,
            logging_steps=1,
            **models.training_arguments(),
            **(settings | changes),
        ),
    )


def batch() -> dict[str, torch.Tensor]:
    """Two groups of two rows, prompts padded on the left, completions on the right."""
    torch.manual_seed(1)
    prompts = torch.randint(3, 200, (2, 6)).repeat_interleave(2, 0)
    prompt_mask = torch.ones_like(prompts)
    prompt_mask[:2, :3] = 0
    completion_mask = torch.tensor([[1] * 5, [1, 1, 0, 0, 0], [1] * 4 + [0], [1, 0, 0, 0, 0]])
    return {
        "ids": torch.cat([prompts, torch.randint(3, 200, (4, 5))], 1),
        "mask": torch.cat([prompt_mask, completion_mask], 1),
        "completion_mask": completion_mask,
    }


def test_log_probabilities_are_those_of_trl(base: Path, tmp_path: Path) -> None:
    trainer, rows = built(base, tmp_path, temperature=0.7), batch()
    shown = rows["completion_mask"].bool()
    call = {"compute_entropy": True}
    ours = trainer._get_per_token_logps_and_entropies(
        trainer.model, rows["ids"], rows["mask"], 5, **call
    )
    theirs = GRPOTrainer._get_per_token_logps_and_entropies(
        trainer, trainer.model, rows["ids"], rows["mask"], 5, **call
    )
    for mine, yours in zip(ours[:2], theirs[:2], strict=True):
        torch.testing.assert_close(mine[shown], yours[shown].float(), atol=1e-5, rtol=1e-5)
    assert not ours[0][~shown].any()


def test_the_sampler_holds_the_merged_adapter(base: Path, tmp_path: Path) -> None:
    trainer = built(base, tmp_path)
    trainer._generate_single_turn([[5, 6, 7]] * G, None, {}, G)
    ids = torch.tensor([[5, 6, 7, 8]])
    trainer.sampler.set_attn_implementation("sdpa")
    with torch.no_grad():
        torch.testing.assert_close(
            trainer.sampler(ids).logits, trainer.model.eval()(ids).logits, atol=1e-4, rtol=1e-4
        )


def test_a_run_keeps_every_rollout_and_logs_each_component(base: Path, tmp_path: Path) -> None:
    trainer = built(base, tmp_path)
    trainer.train()
    rows = [row for path in sorted((tmp_path / "rollouts").iterdir()) for row in jsonl.read(path)]
    assert [row["step"] for row in rows] == [1] * 8 + [2] * 8
    assert {"id", "completion", "status", "components", "reward", "advantage"} <= rows[0].keys()
    logged = trainer.state.log_history[0]
    assert {"correct", "ran", "format", "process", "gated", "status_ok"} <= logged.keys()


def test_a_group_without_advantage_is_not_computed(base: Path, tmp_path: Path) -> None:
    trainer = built(base, tmp_path)
    zero = {"advantages": torch.zeros(G)}
    loss = trainer._compute_loss(trainer.model, zero)  # nothing but the advantages is looked at
    loss.backward()
    assert loss.item() == 0.0
    assert all(not p.grad.any() for p in trainer.model.parameters() if p.grad is not None)


def replies(*programs: str) -> list[list[dict[str, str]]]:
    return [[{"role": "assistant", "content": f"```python\n{text}\n```"}] for text in programs]


def test_rewards_are_tiers_and_a_group_with_nothing_right_is_closed() -> None:
    judge = feedback()
    right = judge.questions[0].solution
    open_group = replies(right, "print(0.123)", "print(1/0)", "")
    closed = replies("print(0.123)", "print(1/0)", "1 +", "")
    rewards = judge(completions=open_group + closed, index=[0] * G + [1] * G)
    assert rewards == [1.0, 0.3, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0]
    rows = judge.rollouts(7, [0.5] * 8)
    assert [row["reward"] for row in rows] == [1.0, 0.3, 0.1, 0.0, 0.3, 0.1, 0.1, 0.0]
    assert summary(rows, G)["gated"] == 0.5


def test_a_sandbox_fault_has_no_reward_and_is_counted() -> None:
    judge = feedback()
    judged = judge._judged(judge.questions[0], sandbox.SandboxError("no memory"))
    assert judged == {"status": "sandbox_fault", "components": None, "reward": None}
    assert summary([{**judged, "gated_reward": None}] * G, G)["sandbox_faults"] == 1.0
