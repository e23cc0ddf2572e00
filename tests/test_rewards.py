"""The reward: what each ending earns, and what no program can earn."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecoder.answers import matches, read_answer
from tablecoder.rewards import Reward, components, gate, total
from tablecoder.sandbox import Execution, Status, run_code

REWARD = Reward(no_code=0.0, error=0.1, wrong=0.3, correct=1.0, process_weight=0.0, gate="outcome")
TABLES = {"sales": "shop,sold\nA,4\nB,7\nC,9\n"}
GOLD = 20.0


def execution(status: Status, done: int = 0, total: int = 0) -> Execution:
    return Execution(status, "", "", done, total, 0.0, 0.0, "none")


def earned(code: str, reward: Reward = REWARD) -> float:
    ended = run_code(code, TABLES)
    right = matches(read_answer(ended.stdout), GOLD, 0)
    return total(components(ended, right), reward)


@st.composite
def executions(draw: st.DrawFn) -> Execution:
    count = draw(st.integers(0, 20))
    done = draw(st.integers(0, count))
    status = draw(st.sampled_from(list(Status)))
    return execution(status, 0 if status is Status.NO_CODE else done, count)


@pytest.mark.parametrize(
    ("code", "reward"),
    [
        ("print(sales['sold'].sum())", 1.0),
        ("print(sales['sold'].max())", 0.3),
        ("print('twenty')", 0.3),
        ("pass", 0.3),
        ("print(sales['sold'].summ())", 0.1),
        ("print(sales[", 0.1),
        ("import os\nprint(20)", 0.1),
        ("", 0.0),
    ],
)
def test_each_ending_earns_its_tier(code: str, reward: float) -> None:
    assert earned(code) == reward


@pytest.mark.parametrize(
    "code",
    [
        "print(20)\nraise SystemExit(0)",
        "print(20)\n1 / 0",
        "for i in range(1000): print(i)",
        "print(18, 19, 20, 21)",
        "print('__import__(\"os\").getpid() * 0 or 20')",
        "class Always:\n    def __eq__(self, other): return True\nprint(Always())",
        "print('Answer: 20')\nprint('Answer: 21')",
        "print(20.4)",
        "print(120)",
    ],
)
def test_what_only_looks_right_does_not_earn_the_full_reward(code: str) -> None:
    for weight in (0.0, 0.5, 0.99):
        assert earned(code, replace(REWARD, process_weight=weight)) < REWARD.correct


@given(executions(), st.booleans())
def test_parts_are_shares(ended: Execution, right: bool) -> None:
    assert all(0 <= part <= 1 for part in components(ended, right).values())


@given(executions(), st.floats(0, 0.999))
def test_a_right_answer_earns_the_same_whatever_the_weight(ended: Execution, weight: float) -> None:
    reward = replace(REWARD, process_weight=weight)
    right = total(components(replace(ended, status=Status.OK), True), reward)
    assert right == reward.correct
    assert total(components(ended, False), reward) < right


@given(executions(), executions(), st.floats(0, 0.999))
def test_more_of_any_part_never_earns_less(a: Execution, b: Execution, weight: float) -> None:
    reward = replace(REWARD, process_weight=weight)
    low, high = components(a, False), components(b, False)
    if all(low[name] <= high[name] for name in low):
        assert total(low, reward) <= total(high, reward) + 1e-12


def test_the_process_score_is_blended_by_its_weight() -> None:
    parts = components(execution(Status.ERROR, done=3, total=4), False)
    blended = total(parts, replace(REWARD, process_weight=0.5))
    assert blended == pytest.approx(0.5 * 0.1 + 0.5 * 0.75)


def test_no_answer_of_a_failed_run_is_right() -> None:
    for status in Status:
        if status is not Status.OK:
            assert components(execution(status), correct=True)["correct"] == 0.0


GROUPS = st.lists(st.tuples(st.one_of(st.none(), st.floats(0, 1)), st.booleans()), max_size=8)


@given(GROUPS)
def test_a_group_in_which_nothing_is_right_has_equal_rewards(
    group: list[tuple[float | None, bool]],
) -> None:
    totals, right = [value for value, _ in group], [flag for _, flag in group]
    gated = gate(totals, right, "outcome")
    assert [value is None for value in gated] == [value is None for value in totals]
    if any(flag for value, flag in group if value is not None):
        assert gated == totals
    else:
        assert len({value for value in gated if value is not None}) <= 1


@given(GROUPS)
def test_without_the_gate_nothing_changes(group: list[tuple[float | None, bool]]) -> None:
    totals = [value for value, _ in group]
    assert gate(totals, [flag for _, flag in group], "off") == totals


def test_a_fault_of_the_sandbox_is_no_right_answer() -> None:
    assert gate([None, 0.3], [True, False], "outcome") == [None, 0.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"wrong": 1.0}, "no_code <= error <= wrong < correct"),
        ({"error": 0.4}, "no_code <= error <= wrong < correct"),
        ({"process_weight": 1.0}, "process_weight"),
        ({"gate": "on"}, "gate: 'on' is none of outcome, off"),
    ],
)
def test_values_that_break_a_promise_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(REWARD, **change)  # type: ignore[arg-type]


def test_a_slip_of_the_caller_is_an_error() -> None:
    with pytest.raises(ValueError, match="2 rewards and 1 verdicts"):
        gate([1.0, 0.0], [True], "outcome")
    with pytest.raises(ValueError, match="is none of"):
        gate([], [], "maybe")
