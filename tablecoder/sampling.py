"""Sampling several completions of each prompt from one shared prefill.

The completions of a prompt share its keys and values: the prompt is read once and its cache is
kept once, not copied for each completion. A decoding step then attends in two parts, to the shared
prefix and to the row's own suffix, and joins them in one softmax. This is the idea of cascade
attention (Juravsky et al. 2024, "Hydragen"), for any model of transformers that takes its attention
from the registry `ALL_ATTENTION_FUNCTIONS`.

Shapes: P prompts, G completions of each, K key/value heads, Q query heads of each, D head size,
L length of the longest prompt (padded on the left), T tokens of a completion.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface

ATTENTION = "shared_prefix"
# Below this share of prompts still running, the finished ones are dropped from the batch.
COMPACT = 0.8
READ = 4  # prompts read together: their activations stay in the processor's cache
BLOCK = 256  # tokens of the vocabulary that are summed before a draw looks inside


@dataclass
class _Shared:
    """Keys and values of one batch, layer by layer. A row is one completion: P·G of them."""

    mask: Tensor  # [P, L] true where the prompt has a token
    completions: int  # G
    capacity: int  # T
    prefix: list[tuple[Tensor, Tensor]]  # of each layer: [P, K, L, D] twice
    suffix: list[tuple[Tensor, Tensor]]  # of each layer: [P·G, K, T, D] twice
    running: Tensor  # indices of the rows that this step computes
    reading: slice | None = None  # the prompts that are being read, None while decoding
    length: int = 0  # tokens of the suffix before this step

    def keep(self, prompts: Tensor) -> None:
        """Drop all prompts but those with the given indices."""
        ours = torch.arange(self.completions, device=prompts.device)
        rows = (prompts[:, None] * self.completions + ours).flatten()
        self.mask = self.mask[prompts]
        self.prefix = [(k[prompts], v[prompts]) for k, v in self.prefix]
        self.suffix = [(k[rows], v[rows]) for k, v in self.suffix]


def _attention(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float,
    shared: _Shared,
    **_: Any,
) -> tuple[Tensor, None]:
    """Attend in one layer: `query` [rows, K·Q, n, D], `key` and `value` [rows, K, n, D]."""
    del attention_mask  # `shared` knows which positions count
    if shared.reading is not None:
        return _read_prompts(module.layer_idx, query, key, value, scaling, shared), None
    return _decode(module.layer_idx, query, key, value, scaling, shared), None


def _read_prompts(
    layer: int, query: Tensor, key: Tensor, value: Tensor, scaling: float, shared: _Shared
) -> Tensor:
    """Attend within the prompts that are read now and keep their keys and values."""
    prompts, (_, heads, length, size) = len(shared.mask), key.shape
    if layer == len(shared.prefix):  # the first prompts make room for all
        room = (prompts, heads, length, size)
        shared.prefix.append((key.new_empty(room), value.new_empty(room)))
        room = (prompts * shared.completions, heads, shared.capacity, size)
        shared.suffix.append((key.new_zeros(room), value.new_zeros(room)))
    shared.prefix[layer][0][shared.reading] = key
    shared.prefix[layer][1][shared.reading] = value
    causal = torch.ones(length, length, dtype=torch.bool, device=key.device).tril()
    # A padded position sees itself, so that its softmax is not over nothing.
    itself = torch.eye(length, dtype=torch.bool, device=key.device)
    seen = (causal & shared.mask[shared.reading, None, None, :]) | itself
    out = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=seen, scale=scaling, enable_gqa=True
    )
    return out.transpose(1, 2)


def _decode(
    layer: int, query: Tensor, key: Tensor, value: Tensor, scaling: float, shared: _Shared
) -> Tensor:
    """Attend from one new token of each running row to its prompt and to its own tokens.

    The projections before and after see only the running rows; here, where a prompt's rows are
    multiplied with one prefix, ended rows take part as zeros.
    """
    prefix_keys, prefix_values = shared.prefix[layer]
    keys, values = shared.suffix[layer]
    prompts, heads, length, size = prefix_keys.shape
    rows = prompts * shared.completions
    keys[shared.running, :, shared.length] = key.squeeze(2)
    values[shared.running, :, shared.length] = value.squeeze(2)
    keys, values = keys[:, :, : shared.length + 1], values[:, :, : shared.length + 1]
    asked = query.new_zeros(rows, query.shape[1], size)
    asked[shared.running] = query.squeeze(2) * scaling
    asked = asked.view(rows, heads, -1, size)  # [P·G, K, Q, D]

    to_prefix = _by_prompt(asked, prompts) @ prefix_keys.transpose(2, 3)  # [P, K, G·Q, L]
    to_prefix = to_prefix.masked_fill_(~shared.mask[:, None, None, :], -torch.inf)
    scores = torch.cat([_by_row(to_prefix, rows), asked @ keys.transpose(2, 3)], dim=-1)
    weights = scores.softmax(-1, dtype=torch.float32).to(value.dtype)  # [P·G, K, Q, L + t]
    on_prefix = _by_prompt(weights[..., :length], prompts) @ prefix_values
    out = _by_row(on_prefix, rows) + weights[..., length:] @ values
    return out.reshape(rows, 1, -1, size)[shared.running]


def _by_prompt(tensor: Tensor, prompts: int) -> Tensor:
    """[P·G, K, Q, n] → [P, K, G·Q, n]: the rows of a prompt side by side."""
    _, heads, queries, last = tensor.shape
    grouped = tensor.reshape(prompts, -1, heads, queries, last).transpose(1, 2)
    return grouped.reshape(prompts, heads, -1, last)


def _by_row(tensor: Tensor, rows: int) -> Tensor:
    """[P, K, G·Q, n] → [P·G, K, Q, n]: the inverse of `_by_prompt`."""
    prompts, heads, _, last = tensor.shape
    split = tensor.view(prompts, heads, rows // prompts, -1, last).transpose(1, 2)
    return split.reshape(rows, heads, -1, last)


AttentionInterface.register(ATTENTION, _attention)


@torch.inference_mode()
def sample(
    model: Any,
    prompts: Sequence[Sequence[int]],
    temperatures: Sequence[float],
    *,
    top_p: float,
    max_tokens: int,
    stop: Sequence[int],
    streams: Sequence[random.Random],
    batch: int,
    progress: Callable[[int], object] = lambda prompts: None,
) -> list[list[list[int]]]:
    """Return, for each prompt, one completion (token ids) for each of `temperatures`.

    A temperature of 0 is greedy. A completion ends with a token of `stop`, which it includes, or
    after `max_tokens`. The draws of prompt i come from `streams[i]` alone, so `batch` (prompts
    decoded together) changes speed and memory, not the distribution. `model` must have been
    loaded with `attention=ATTENTION`. `progress` is called with the prompts finished.
    """
    if not all(prompts):
        raise ValueError("an empty prompt cannot be continued")
    # Prompts of like length together: less padding.
    order = sorted(range(len(prompts)), key=lambda index: len(prompts[index]))
    out: list[list[list[int]]] = [[] for _ in prompts]
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        decoded = _sample_batch(
            model,
            [prompts[index] for index in chosen],
            temperatures,
            top_p,
            max_tokens,
            stop,
            [streams[index] for index in chosen],
        )
        for index, completions in zip(chosen, decoded, strict=True):
            out[index] = completions
        progress(len(chosen))
    return out


def _sample_batch(
    model: Any,
    prompts: Sequence[Sequence[int]],
    temperatures: Sequence[float],
    top_p: float,
    max_tokens: int,
    stop: Sequence[int],
    streams: Sequence[random.Random],
) -> list[list[list[int]]]:
    device, completions = model.device, len(temperatures)
    ids, mask = _pad_left(prompts, device)
    everything = torch.arange(len(prompts) * completions, device=device)
    shared = _Shared(mask, completions, max_tokens, [], [], everything)
    logits = _read(model, ids, shared).repeat_interleave(completions, 0)
    warmth = torch.tensor(list(temperatures), device=device).repeat(len(prompts))
    first = mask.sum(1).repeat_interleave(completions)  # position of a row's first token
    ends = torch.tensor(list(stop), device=device)
    out: list[list[list[int]]] = [[[] for _ in temperatures] for _ in prompts]
    names = [(p, g) for p in range(len(prompts)) for g in range(completions)]  # of each row
    for step in range(max_tokens):
        rows = shared.running
        running = [names[row] for row in rows.tolist()]
        draws = torch.tensor([streams[p].random() for p, _ in running], device=device)
        chosen = _choose(logits, warmth[rows], draws, top_p)
        for (p, g), token in zip(running, chosen.tolist(), strict=True):
            out[p][g].append(token)
        go_on = ~torch.isin(chosen, ends)
        shared.running, chosen = rows[go_on], chosen[go_on]
        if not len(chosen) or step + 1 == max_tokens:
            break
        busy = torch.unique(shared.running // completions)
        if len(busy) < COMPACT * len(shared.mask):
            kept = (busy[:, None] * completions + everything[:completions]).flatten()
            shared.running = torch.searchsorted(kept, shared.running)
            names = [names[row] for row in kept.tolist()]
            warmth, first = warmth[kept], first[kept]
            shared.keep(busy)
        shared.length = step
        position = (first[shared.running] + step)[:, None]
        logits = model(
            chosen[:, None], position_ids=position, use_cache=False, shared=shared
        ).logits[:, -1]
    return out


def _read(model: Any, ids: Tensor, shared: _Shared) -> Tensor:
    """Read the prompts `ids` [P, L], a few at a time; return the logits after them [P, words]."""
    # Padding would shift positions: reading and decoding must number a token alike.
    positions = (shared.mask.cumsum(1) - 1).clamp(min=0)
    logits = []
    for start in range(0, len(ids), READ):
        shared.reading = slice(start, min(start + READ, len(ids)))
        chunk, place = ids[shared.reading], positions[shared.reading]
        read = model(chunk, position_ids=place, use_cache=False, shared=shared, logits_to_keep=1)
        logits.append(read.logits[:, -1])
    shared.reading = None
    return torch.cat(logits)


def _pad_left(prompts: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Return ids [P, L] padded on the left with 0, and the mask [P, L] of real tokens."""
    length = max(map(len, prompts))
    ids = torch.zeros(len(prompts), length, dtype=torch.long)
    mask = torch.zeros(len(prompts), length, dtype=torch.bool)
    for row, prompt in enumerate(prompts):
        ids[row, length - len(prompt) :] = torch.tensor(prompt)
        mask[row, length - len(prompt) :] = True
    return ids.to(device), mask.to(device)


def _choose(logits: Tensor, temperatures: Tensor, draws: Tensor, top_p: float) -> Tensor:
    """Return one token for each row of `logits` [rows, vocabulary] by inverse transform sampling.

    `draws` [rows] are uniform in [0, 1); a row of temperature 0 takes the likeliest token.
    """
    warm = temperatures > 0
    chosen = torch.empty(len(logits), dtype=torch.long, device=logits.device)
    chosen[~warm] = logits[~warm].argmax(-1)
    if warm.any():
        scaled = logits[warm].float().div_(temperatures[warm, None])
        weights = scaled.sub_(scaled.amax(-1, keepdim=True)).exp_()
        if top_p < 1:
            weights = _nucleus(weights / weights.sum(-1, keepdim=True), top_p)
        chosen[warm] = _draw(weights, draws[warm])
    return chosen


def _draw(weights: Tensor, draws: Tensor) -> Tensor:
    """Return an index of each row of `weights` [rows, n] with probability in proportion to it.

    The running sum is taken in two steps, over blocks and then inside one block: a running sum
    over the whole vocabulary would cost as much as the model's last layer.
    """
    blocks = torch.nn.functional.pad(weights, (0, -weights.shape[1] % BLOCK))
    blocks = blocks.view(len(weights), -1, BLOCK)
    heights = blocks.sum(-1, dtype=torch.float64).cumsum(-1)
    target = draws.to(torch.float64) * heights[:, -1]
    block = torch.searchsorted(heights, target[:, None], right=True)
    block = block.clamp(max=heights.shape[1] - 1)
    below = torch.where(block > 0, heights.gather(1, (block - 1).clamp(min=0)), 0.0)
    inside = blocks[torch.arange(len(blocks), device=blocks.device), block.squeeze(1)]
    steps = inside.to(torch.float64).cumsum(-1)
    offset = torch.searchsorted(steps, target[:, None] - below, right=True)
    # Rounding may carry the target past the block's own sum: the last token with weight is meant.
    last = (inside > 0).long().mul(torch.arange(BLOCK, device=inside.device)).amax(-1)
    return block.squeeze(1) * BLOCK + torch.minimum(offset.squeeze(1), last)


def _nucleus(weights: Tensor, top_p: float) -> Tensor:
    """Zero all but the smallest set of tokens that holds `top_p` (Holtzman et al. 2020)."""
    ranked, order = weights.sort(-1, descending=True)
    ranked = ranked.masked_fill(ranked.cumsum(-1) - ranked >= top_p, 0)
    return torch.zeros_like(weights).scatter(-1, order, ranked)
