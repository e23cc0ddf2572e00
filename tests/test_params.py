"""params.yaml is read as it is written, and a slip is refused by its name."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tablecoder import params
from tablecoder.params import ParamsError


@dataclass(frozen=True)
class Toy:
    name: str
    steps: int
    rate: float
    on: bool
    k: list[int]
    words: list[str]


GOOD = """\
toy:
  name: outcome
  steps: 30
  rate: 1.0e-4
  on: true
  k:
  - 1
  - 2
  words: [a, b]
"""


def read(tmp_path: Path, text: str) -> Toy:
    path = tmp_path / "params.yaml"
    path.write_text(text, encoding="utf-8")
    return params.read("toy", Toy, path)


def test_a_section_becomes_its_dataclass(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD) == Toy("outcome", 30, 1e-4, True, [1, 2], ["a", "b"])


@pytest.mark.parametrize("written", ["1e-05", "1e-5", "1.0e-5", "0.00001", "+1E-05"])
def test_a_number_is_a_number_however_it_is_written(tmp_path: Path, written: str) -> None:
    assert read(tmp_path, GOOD.replace("1.0e-4", written)).rate == 1e-5


def test_a_whole_number_does_where_a_number_is_asked_for(tmp_path: Path) -> None:
    rate = read(tmp_path, GOOD.replace("1.0e-4", "1")).rate
    assert (rate, type(rate)) == (1.0, float)


@pytest.mark.parametrize("word", ["off", "no", "on", "2024-01-01", "1:30"])
def test_a_word_stays_a_word(tmp_path: Path, word: str) -> None:
    assert read(tmp_path, GOOD.replace("outcome", word)).name == word


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("steps: 30", "steps: '30'", "toy.steps: '30' is text, not a whole number"),
        ("steps: 30", "steps: 3.5", "toy.steps: 3.5 is a number, not a whole number"),
        ("steps: 30", "steps: true", "toy.steps: True is true or false, not a whole number"),
        ("steps: 30", "steps:", "toy.steps: None is empty, not a whole number"),
        ("steps: 30", "steps: [3]", r"toy.steps: \[3\] is a list, not a whole number"),
        ("steps: 30", "steps: {a: 3}", "toy.steps: {'a': 3} is a section, not a whole number"),
        ("rate: 1.0e-4", "rate: fast", "toy.rate: 'fast' is text, not a number"),
        ("rate: 1.0e-4", "rate: .inf", "toy.rate: '.inf' is text, not a number"),
        ("rate: 1.0e-4", "rate: false", "toy.rate: False is true or false, not a number"),
        ("name: outcome", "name: 3", "toy.name: 3 is a whole number, not text"),
        ("on: true", "on: 1", "toy.on: 1 is a whole number, not true or false"),
        ("[a, b]", "[a, 1]", r"toy.words: \['a', 1\] is a list, not a list of texts"),
        ("[a, b]", "a", "toy.words: 'a' is text, not a list of texts"),
        ("  steps: 30\n", "", r"toy.steps: missing \(a whole number\)"),
        ("steps: 30", "step: 30", "toy.step: unknown key; did you mean `steps`"),
        ("steps: 30", "steps: 30\n  zebra: 1", "toy.zebra: unknown key$"),
        ("toy:", "tow:", "section `toy` is missing; did you mean `tow`"),
        (GOOD, "toy: 3", "section `toy` must hold keys and values"),
        (GOOD, "toy:", "section `toy` must hold keys and values"),
        (GOOD, "", "has no sections"),
        (GOOD, "toy: [1", "is not YAML: .* line 1"),
    ],
)
def test_a_slip_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ParamsError, match=f"^params.yaml: {message}"):
        read(tmp_path, GOOD.replace(old, new))


def test_a_missing_file_says_where_to_be(tmp_path: Path) -> None:
    with pytest.raises(ParamsError, match="no such file; run from the root"):
        params.read("toy", Toy, tmp_path / "params.yaml")


def test_a_stage_ends_with_one_sentence_and_code_1(tmp_path: Path, python) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "params.yaml").write_text(GOOD.replace("steps: 30", "steps: x"), encoding="utf-8")
    program = (
        "import dataclasses\nfrom tablecoder import params\n"
        "params.load('toy', dataclasses.make_dataclass('Toy', [('name', str), ('steps', int),"
        "('rate', float), ('on', bool), ('k', list[int]), ('words', list[str])]))"
    )
    ended = python("-c", program, cwd=tmp_path)
    assert ended.returncode == 1
    assert ended.stderr == "params.yaml: toy.steps: 'x' is text, not a whole number\n"
