"""What the model is shown, what it is taught to reply, and how its code is found in the reply."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

SYSTEM = (
    "Answer the question about the tables with pandas (version 3). "
    "Reply with one ```python block whose last line prints only the answer."
)
_BLOCK = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)\n?```", re.DOTALL)


@dataclass(frozen=True)
class Prompt:
    """Section `prompt` of params.yaml."""

    rows: int  # rows of each table that the prompt shows


def messages(question: str, tables: Mapping[str, str], settings: Prompt) -> list[dict[str, str]]:
    """Return the conversation that asks `question` about `tables` (name → CSV text).

    Each table is shown as its name, its number of rows, its header and its first rows: enough to
    know the columns and their form, not enough to answer by reading.
    """
    shown = "\n\n".join(_table(name, text, settings.rows) for name, text in tables.items())
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": f"{shown}\n\n{question}"},
    ]


def completion(solution: str) -> str:
    """Return the reply that is taught for `solution`: the program in a python block."""
    return f"```python\n{solution.strip()}\n```"


def extract_code(text: str) -> str | None:
    """Return the program in the last closed code block of a reply, None if there is none.

    An open block is no program: the reply was cut, and half a program is not what was written.

    >>> extract_code("Sure:\\n```python\\nprint(1)\\n```")
    'print(1)'
    >>> extract_code("```python\\nprint(1)") is None
    True
    """
    blocks: list[str] = _BLOCK.findall(text)
    code = blocks[-1].strip() if blocks else ""
    return code or None


def _table(name: str, text: str, rows: int) -> str:
    lines = text.rstrip("\n").split("\n")
    return "\n".join([f"{name} ({len(lines) - 1} rows):", *lines[: rows + 1]])
