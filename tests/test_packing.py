"""A packed row gives the log-probabilities, entropies and gradients of separate rows."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from tablecoder import packing

PROMPT = torch.tensor([5, 9, 2, 7, 7])
COMPLETIONS = [torch.tensor([3, 4, 8]), torch.tensor([11]), torch.tensor([3, 4, 8, 20, 21, 2])]


def built() -> LlamaForCausalLM:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        initializer_range=0.3,
    )
    return LlamaForCausalLM(config)


def separate(model: LlamaForCausalLM, completion: torch.Tensor, temperature: float) -> tuple:
    logits = model(torch.cat([PROMPT, completion])[None]).logits[0, len(PROMPT) - 1 : -1]
    every = (logits / temperature).log_softmax(-1)
    return every.gather(1, completion[:, None])[:, 0], -(every.exp() * every).sum(-1)


def test_log_probabilities_and_entropies_are_those_of_separate_rows() -> None:
    model = built()
    logps, entropies = packing.log_probs(model, PROMPT, COMPLETIONS, 0.7)
    for completion, logp, entropy in zip(COMPLETIONS, logps, entropies, strict=True):
        wanted, spread = separate(model, completion, 0.7)
        torch.testing.assert_close(logp, wanted, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(entropy, spread, atol=1e-5, rtol=1e-5)


def test_gradients_are_those_of_separate_rows() -> None:
    weights = [torch.randn(len(completion)) for completion in COMPLETIONS]
    packed, plain = built(), built()
    logps, _ = packing.log_probs(packed, PROMPT, COMPLETIONS, 1.0)
    sum((logp * weight).sum() for logp, weight in zip(logps, weights, strict=True)).backward()
    for completion, weight in zip(COMPLETIONS, weights, strict=True):
        (separate(plain, completion, 1.0)[0] * weight).sum().backward()
    for ours, theirs in zip(packed.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, atol=1e-5, rtol=1e-4)


def test_an_empty_completion_takes_no_part() -> None:
    model = built()
    empty = torch.tensor([], dtype=torch.long)
    with_empty, _ = packing.log_probs(model, PROMPT, [COMPLETIONS[0], empty, COMPLETIONS[2]], 1.0)
    without, _ = packing.log_probs(model, PROMPT, [COMPLETIONS[0], COMPLETIONS[2]], 1.0)
    assert len(with_empty[1]) == 0
    torch.testing.assert_close(with_empty[2], without[1])
