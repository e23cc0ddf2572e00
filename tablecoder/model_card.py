"""The model card of the trained adapter, written from parameters, data counts and results."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from tablecoder.results import Compared, Metrics, comparison_table, results_table

# Sections of params.yaml that shape the adapter or its results; `runtime` changes neither.
SECTIONS = (
    "base",
    "datagen",
    "sandbox",
    "prompt",
    "lora",
    "sft",
    "reward",
    "grpo",
    "eval",
    "report",
)

HEAD = """\
---
library_name: peft
tags: [tables, pandas, code, lora, grpo]
---

# Table questions answered by pandas code

A LoRA adapter that makes a small instruct model answer numerical questions about tables, in English
and Chinese, by writing a pandas program whose last printed line is the answer. It was trained on
generated questions: first on reference programs (SFT), then with GRPO on the result of running the
programs it wrote."""

USE = """\
## Use

The adapter lies in `models/grpo`, the base model in `models/base`; `models/sft` is the adapter
before GRPO. Prompts must have the form that training used: `tablecoder.prompts.messages`. Run the
program with `tablecoder.sandbox.run_code`, never directly: it is the text of a language model.

```python
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("models/base")
base = AutoModelForCausalLM.from_pretrained("models/base")
model = PeftModel.from_pretrained(base, "models/grpo")
```"""

LIMITS = """\
## Limits

- Tables, questions and answers come from a generator. Scores on them say little about other tables.
- Every answer is one number. Questions for names, lists or text are outside of what it learned.
- A program may run and be wrong. The vote among several samples lowers that risk; the gap between
  verifier and oracle is what it cannot see.
- The intervals are over questions of one training run. Another seed gives another model; they do
  not cover that."""


def model_card(
    sections: Mapping[str, Any],
    data: Mapping[str, Any],
    metrics: Metrics,
    compared: Compared,
) -> str:
    """Return reports/model_card.md.

    `sections` is params.yaml, `data` metrics/data.json, the others as for `results.page`. KeyError
    where a section of SECTIONS is missing.
    """
    shown = {name: sections[name] for name in SECTIONS}
    parts = [
        HEAD,
        f"Base model: `{shown['base']['name']}`, revision `{shown['base']['revision'] or 'none'}`.",
        "## Results",
        "Brackets hold 95 % intervals, n is the number of questions.",
        results_table(metrics),
        comparison_table(compared),
        "## Data",
        "\n".join(outline(data)),
        "## Parameters",
        f"```yaml\n{yaml.safe_dump(shown, sort_keys=False, allow_unicode=True)}```",
        USE,
        LIMITS,
    ]
    return "\n\n".join(parts) + "\n"


def outline(values: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """Yield nested counts as a Markdown list, each innermost mapping on one line.

    >>> print("\\n".join(outline({"train": {"n": 3, "by": {"en": 1, "zh": 2}}, "checks": 4})))
    - train
      - n: 3
      - by: en 1, zh 2
    - checks: 4
    """
    margin = "  " * depth
    for name, value in values.items():
        if not isinstance(value, Mapping):
            yield f"{margin}- {name}: {value}"
        elif any(isinstance(inner, Mapping) for inner in value.values()):
            yield f"{margin}- {name}"
            yield from outline(value, depth + 1)
        else:
            yield f"{margin}- {name}: " + ", ".join(
                f"{key} {inner}" for key, inner in value.items()
            )
