"""Reading an answer and comparing it: what counts, and what must not."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecoder.answers import POLICIES, matches, read_answer

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("stdout", "value"),
    [
        ("42\n", 42.0),
        ("  -3.5  \n\n", -3.5),
        ("+7", 7.0),
        (".5", 0.5),
        ("7.", 7.0),
        ("rows: 3\n12.5\n", 12.5),
        ("1,234\n", 1234.0),
        ("-12,345,678.25", -12345678.25),
        ("2.5e+06", 2_500_000.0),
        ("1E-3", 0.001),
        ("１２３．５\n", 123.5),
        ("９８，７６５", 98765.0),
        ("\u22124.5", -4.5),
        ("Answer: 8\n", 8.0),
        ("answer:8", 8.0),
        ("答案：8", 8.0),
        ("Answer: 8\nAnswer: 8\n", 8.0),
        ("np.float64(6.75)", 6.75),
        ("[np.int64(6)]", 6.0),
        ("[6.75]", 6.75),
        ("37.5%", 37.5),
        ("37.5 %", 37.5),
        ("３７．５％", 37.5),
        ("1\r\n", 1.0),
    ],
)
def test_one_number_on_the_last_line_is_read(stdout: str, value: float) -> None:
    assert read_answer(stdout) == value


@pytest.mark.parametrize(
    "stdout",
    [
        "",
        "\n \n",
        "nan",
        "inf",
        "-Infinity",
        "1e999",
        "None",
        "True",
        "4 5",
        "4, 5",
        "(4, 5)",
        "[4, 5]",
        "[4 5]",
        "12,34",
        "1,2345",
        "1.2.3",
        "1_000",
        "0x10",
        "10²",
        "--4",
        "5 km",
        "$5",
        "it is 5",
        "max: 5",
        "5\nok",
        "0    5\ndtype: int64",
        "Answer: 8\nAnswer: 9",
        "Answer: 9\n8",
        "Answer:",
        "np.float64(nan)",
        "np.system(4)",
        "2*3",
        "__import__('os').getpid() or 3",
        ".",
        "e5",
        "%",
        "[]",
        "9" * 5000,
    ],
)
def test_anything_else_is_no_answer(stdout: str) -> None:
    assert read_answer(stdout) is None


@given(st.text())
def test_whatever_is_printed_the_answer_is_finite_or_none(stdout: str) -> None:
    value = read_answer(stdout)
    assert value is None or math.isfinite(value)


@given(NUMBERS)
def test_a_printed_float_is_read_back_exactly(value: float) -> None:
    assert read_answer(f"something\n{value!r}\n") == value


@given(st.integers(-(10**12), 10**12))
def test_thousands_separators_change_nothing(value: int) -> None:
    assert read_answer(f"{value:,}") == value


@given(st.integers(0, 10**9), st.sampled_from(["1", "9", "12"]))
def test_a_number_inside_another_is_not_it(value: int, digits: str) -> None:
    assert not matches(read_answer(f"{digits}{value}"), value, 0)


@given(st.integers(-(10**9), 10**9), st.integers(1, 6), st.floats(-0.49, 0.49))
def test_half_a_unit_of_the_last_decimal_is_close_enough(
    whole: int, decimals: int, part: float
) -> None:
    unit = 10.0**-decimals
    gold = round(whole * unit, decimals)
    assert matches(gold + part * unit, gold, decimals)
    assert not matches(gold + 1.1 * unit, gold, decimals)
    assert not matches(gold - 1.1 * unit, gold, decimals)


@given(st.integers(-(10**12), 10**12), st.floats(0.01, 0.99))
def test_a_count_is_exact(gold: int, off: float) -> None:
    assert matches(float(gold), gold, 0)
    assert not matches(gold + 1, gold, 0)
    assert not matches(gold + off, gold, 0)


def test_float_noise_is_no_difference() -> None:
    assert matches(0.1 + 0.2, 0.3, 10)
    assert matches(2.9999999999999996, 3.0, 0)
    assert matches(1.9999999, 2.0, 1)


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_no_number_matches_nothing(value: float | None, policy: str) -> None:
    assert not matches(value, 0.0, 2, policy)


@pytest.mark.parametrize("policy", POLICIES)
@given(gold=NUMBERS, decimals=st.integers(0, 8))
def test_the_gold_answer_matches_itself(policy: str, gold: float, decimals: int) -> None:
    assert matches(gold, gold, decimals, policy)


def test_a_relative_band_is_around_gold_alone() -> None:
    assert matches(1000.9, 1000.0, 2, "relative_1e-3")
    assert not matches(1001.0005, 1000.0, 2, "relative_1e-3")


def test_a_slip_of_the_caller_is_an_error() -> None:
    with pytest.raises(ValueError, match="no policy 'lax'"):
        matches(1.0, 1.0, 0, "lax")
    with pytest.raises(ValueError, match="finite gold"):
        matches(1.0, math.nan, 0)
    with pytest.raises(ValueError, match="decimals"):
        matches(1.0, 1.0, -1)
