"""Scoring only the completions changes what a step costs, not what it learns."""

from pathlib import Path

import pytest
import tiny_model
import torch
from trl.trainer import utils

from tablecoder import models, trl_cpu


def losses(base: Path) -> tuple[torch.Tensor, list[torch.Tensor]]:
    model = models.load_base(base)
    utils.add_fused_lm_head(model, outputs=("log_probs", "entropy"))
    ids = torch.arange(40).view(2, 20) % 90
    labels = ids.masked_fill(torch.arange(20) < 12, -100)
    labels[0, 15] = -100
    out = model(input_ids=ids, labels=labels, fused_lm_head=True)
    out.loss.backward()
    return out.log_probs.detach(), [p.grad for p in model.parameters() if p.grad is not None]


def test_losses_and_gradients_stay_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_model.write(tmp_path)
    monkeypatch.setattr(utils, "_use_triton", utils._use_triton)  # put back after the test
    everything, gradients = losses(tmp_path)
    trl_cpu.score_completions_only()
    completions, ours = losses(tmp_path)
    torch.testing.assert_close(completions, everything)
    assert len(ours) == len(gradients)
    for mine, theirs in zip(ours, gradients, strict=True):
        torch.testing.assert_close(mine, theirs)


def test_positions_without_a_label_are_not_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_model.write(tmp_path)
    monkeypatch.setattr(utils, "_use_triton", utils._use_triton)
    rows: list[int] = []
    kernel = utils._ChunkedLogProbFunction.apply

    def spy(hidden: torch.Tensor, *rest: object) -> object:
        rows.append(len(hidden))
        return kernel(hidden, *rest)

    monkeypatch.setattr(utils._ChunkedLogProbFunction, "apply", spy)
    trl_cpu.score_completions_only()
    losses(tmp_path)
    assert rows == [8 + 7]
