"""A switch inside TRL that is set for compilers and costs a CPU half of its training time."""

from trl.trainer import utils


def score_completions_only() -> None:
    """Let TRL's fused language-model head compute only the positions that have a label.

    TRL 1.16 does so on devices with Triton. Elsewhere it computes every position of the prompt too
    and masks the result, so that shapes do not change from batch to batch and trigger a
    compilation; on a CPU nothing is compiled. Losses and gradients are the same either way.
    """
    utils._use_triton = lambda device: True
