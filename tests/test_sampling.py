"""Sampling from a shared prefix is sampling from the model: same tokens, same distribution."""

import random
from collections import Counter
from pathlib import Path

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM

from tablecoder import sampling

SIZES = {
    "vocab_size": 300,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "initializer_range": 0.4,  # wide, so that likely tokens are clearly apart
}
PROMPTS = [[5, 6, 7, 8, 9, 10, 11], [20, 21], [30, 31, 32, 33, 34], [5, 6, 7], [40] * 12]


def built(kind: str, attention: str) -> torch.nn.Module:
    torch.manual_seed(3)
    config = {"llama": LlamaConfig, "qwen2": Qwen2Config}[kind](**SIZES)
    model = {"llama": LlamaForCausalLM, "qwen2": Qwen2ForCausalLM}[kind](config)
    model.set_attn_implementation(attention)
    return model.eval()


def sampled(model: torch.nn.Module, temperatures: list[float], **changes: object) -> list:
    settings = {"top_p": 1.0, "max_tokens": 9, "stop": [2], "batch": 8} | changes
    streams = [random.Random(place) for place in range(len(PROMPTS))]
    return sampling.sample(model, PROMPTS, temperatures, streams=streams, **settings)


@torch.no_grad()
def greedy_by_hand(model: torch.nn.Module, prompt: list[int], tokens: int, stop: int) -> list[int]:
    """The plain way: the whole row again for each token, no cache, no padding."""
    out: list[int] = []
    while len(out) < tokens and stop not in out:
        out.append(int(model(torch.tensor([prompt + out])).logits[0, -1].argmax()))
    return out


@pytest.mark.parametrize("kind", ["llama", "qwen2"])
def test_greedy_tokens_are_those_of_the_plain_model(kind: str) -> None:
    plain = built(kind, "eager")
    stop = greedy_by_hand(plain, PROMPTS[0], 9, -1)[4]  # so that rows end at different steps
    found = sampled(built(kind, sampling.ATTENTION), [0.0], stop=[stop])
    for prompt, (completion,) in zip(PROMPTS, found, strict=True):
        assert completion == greedy_by_hand(plain, prompt, 9, stop)


def test_every_logit_is_that_of_the_plain_model(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[torch.Tensor] = []
    choose = sampling._choose

    def spy(logits: torch.Tensor, *rest: object) -> torch.Tensor:
        seen.append(logits)
        return choose(logits, *rest)

    monkeypatch.setattr(sampling, "_choose", spy)
    (group,) = sampling.sample(
        built("llama", sampling.ATTENTION),
        PROMPTS[:1],
        [1.0, 1.0, 1.0],
        top_p=1.0,
        max_tokens=6,
        stop=[-1],
        streams=[random.Random(0)],
        batch=1,
    )
    plain = built("llama", "eager")
    for row, completion in enumerate(group):
        with torch.no_grad():
            logits = plain(torch.tensor([PROMPTS[0] + completion])).logits[0, len(PROMPTS[0]) - 1 :]
        for step in range(6):
            torch.testing.assert_close(seen[step][row], logits[step], atol=1e-4, rtol=1e-4)


def test_a_completion_ends_with_its_stop_token_and_nothing_follows() -> None:
    model = built("llama", sampling.ATTENTION)
    stop = sampled(model, [0.0], stop=[-1])[0][0][3]
    for group in sampled(model, [0.0, 1.0, 1.0, 1.0], stop=[stop]):
        for completion in group:
            assert stop not in completion[:-1]
            assert completion[-1] == stop or len(completion) == 9


def test_the_batch_size_does_not_change_the_draws() -> None:
    model = built("llama", sampling.ATTENTION)
    together = sampled(model, [1.0, 1.0], batch=5)
    alone = sampled(model, [1.0, 1.0], batch=1)
    assert together == alone


def test_draws_follow_the_weights_also_across_blocks() -> None:
    weights = torch.zeros(1, 3 * sampling.BLOCK + 7)
    weights[0, [3, 255, 256, 600, 774]] = torch.tensor([1.0, 2.0, 3.0, 4.0, 10.0])
    draws = (torch.arange(4000) + 0.5) / 4000  # every quantile once: an exact count, no chance
    tokens = sampling._draw(weights.expand(4000, -1), draws).tolist()
    assert Counter(tokens) == {3: 200, 255: 400, 256: 600, 600: 800, 774: 2000}


def test_the_last_draw_below_one_is_still_a_token_with_weight() -> None:
    weights = torch.zeros(1, 600)
    weights[0, [0, 300]] = 0.1
    assert sampling._draw(weights, torch.tensor([1 - 2**-53], dtype=torch.float64)).item() == 300


def test_top_p_keeps_the_smallest_set_that_holds_it() -> None:
    kept = sampling._nucleus(torch.tensor([[0.1, 0.5, 0.15, 0.25]]), 0.7)
    assert (kept > 0).tolist() == [[False, True, False, True]]


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(ValueError, match="empty prompt"):
        sampling.sample(
            built("llama", sampling.ATTENTION),
            [[]],
            [0.0],
            top_p=1.0,
            max_tokens=1,
            stop=[2],
            streams=[random.Random(0)],
            batch=1,
        )


def test_the_real_model_agrees_with_generate() -> None:
    base = Path("models/base")
    if not base.exists():
        pytest.skip("models/base is not there: run `dvc repro base`")
    from tablecoder import models

    tokenizer = models.load_tokenizer(base)
    prompts = [
        models.prompt_ids(tokenizer, [{"role": "user", "content": text}])
        for text in ("What is 2 + 3?", "Name three colours of the flag of France, in order.")
    ]
    plain = models.load_base(base).float()
    ours = models.load_base(base, attention=sampling.ATTENTION).float()
    found = sampling.sample(
        ours,
        prompts,
        [0.0, 0.0],
        top_p=1.0,
        max_tokens=12,
        stop=[tokenizer.eos_token_id],
        streams=[random.Random(0), random.Random(1)],
        batch=2,
    )
    for prompt, group in zip(prompts, found, strict=True):
        ids = torch.tensor([prompt])
        wanted = plain.generate(ids, max_new_tokens=12, do_sample=False)[0, len(prompt) :].tolist()
        assert group == [wanted, wanted]
