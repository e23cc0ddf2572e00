"""TRL's GRPOTrainer with rollouts and log-probabilities that share each prompt's prefix.

The mathematics stays TRL's: its advantages, its loss, its optimiser. What differs is how the two
expensive quantities are computed: completions come from `sampling` with the adapter merged into a
copy of the model, log-probabilities from `packing`, and a group without advantage, whose gradient
is zero, is not computed at all.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from trl import GRPOTrainer
from trl.trainer.utils import split_tensor_dict

from tablecoder import adapters, jsonl, packing, sampling, streams
from tablecoder.feedback import Feedback


class ExecutionGRPOTrainer(GRPOTrainer):
    """GRPO on the reward of executed programs; one micro-batch is one group.

    `sampler` is a second copy of the base model, loaded with `attention=sampling.ATTENTION`.
    `feedback` is the reward function; the rollouts of each step go to
    `<output_dir>/rollouts/<step>.jsonl`.
    """

    def __init__(self, *, sampler: Any, feedback: Feedback, **arguments: Any) -> None:
        super().__init__(reward_funcs=feedback, **arguments)
        self.sampler = sampler
        self.feedback = feedback
        self._buffered_inputs: Any = None

    def _prepare_inputs(self, generation_batch: Any) -> Any:
        """As TRL, without shuffling the rows: a group stays together, to be packed."""
        if not self.model.training:
            return super()._prepare_inputs(generation_batch)
        micro_batches = self.args.steps_per_generation
        if self._step % (micro_batches * self.num_iterations) == 0 or not self._buffered_inputs:
            scored = self._generate_and_score_completions(generation_batch)
            self._buffered_inputs = split_tensor_dict(scored, micro_batches)
        return self._buffered_inputs[self._step % micro_batches]

    def _generate_single_turn(
        self,
        prompt_ids: Sequence[list[int]],
        images: Any,
        multimodal_fields: Any,
        num_generations: int,
        has_tool_images: bool = False,
    ) -> tuple[list[list[int]], None]:
        """Sample `num_generations` completions of each prompt; the prompts come repeated."""
        del images, multimodal_fields, has_tool_images
        adapters.merge_adapter(self.accelerator.unwrap_model(self.model), self.sampler)
        prompts = prompt_ids[::num_generations]
        step, rank = self.state.global_step, self.accelerator.process_index
        groups = sampling.sample(
            self.sampler,
            prompts,
            [self.args.temperature] * num_generations,
            top_p=self.args.top_p,
            max_tokens=self.max_completion_length,
            stop=self.eos_token_ids,
            streams=[
                streams.stream(self.args.seed, "rollout", step, rank, place)
                for place in range(len(prompts))
            ],
            batch=len(prompts),
        )
        return [completion for group in groups for completion in group], None

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        output = super()._generate_and_score_completions(inputs)
        step = self.state.global_step + 1
        rows = self.feedback.rollouts(step, output["advantages"].tolist())
        jsonl.write(Path(self.args.output_dir) / "rollouts" / f"{step:06d}.jsonl", rows)
        return output

    def _compute_loss(self, model: Any, inputs: Any) -> Tensor:
        if (
            self.beta == 0
            and self.accelerator.num_processes == 1
            and not inputs["advantages"].any()
        ):
            weight = next(p for p in model.parameters() if p.requires_grad)
            return weight.sum() * 0.0
        return super()._compute_loss(model, inputs)

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: Tensor,
        attention_mask: Tensor,
        logits_to_keep: int,
        *args: Any,
        compute_entropy: bool = False,
        **kwargs: Any,
    ) -> tuple[Tensor, Tensor | None, None]:
        """Return log-probabilities and entropies [B, logits_to_keep], zero where masked."""
        del args, kwargs
        split = input_ids.shape[1] - logits_to_keep
        logps = input_ids.new_zeros(len(input_ids), logits_to_keep, dtype=torch.float32)
        entropies = torch.zeros_like(logps)
        for rows in _groups(input_ids[:, :split], attention_mask[:, :split]):
            first = rows[0]
            prompt = input_ids[first, :split][attention_mask[first, :split].bool()]
            kept = [attention_mask[row, split:].bool() for row in rows]
            completions = [
                input_ids[row, split:][keep] for row, keep in zip(rows, kept, strict=True)
            ]
            with self.accelerator.autocast():
                scored = packing.log_probs(model, prompt, completions, self.temperature)
            for row, keep, logp, entropy in zip(rows, kept, *scored, strict=True):
                logps[row] = logps[row].masked_scatter(keep, logp)
                entropies[row] = entropies[row].masked_scatter(keep, entropy)
        return logps, entropies if compute_entropy else None, None


def _groups(prompts: Tensor, mask: Tensor) -> list[list[int]]:
    """Return the indices of the rows with equal prompts, prompt by prompt."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for row, (ids, keep) in enumerate(zip(prompts, mask.bool(), strict=True)):
        groups.setdefault(tuple(ids[keep].tolist()), []).append(row)
    return list(groups.values())
