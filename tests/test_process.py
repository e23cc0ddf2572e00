"""The process score."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecoder.process import process_score
from tablecoder.sandbox import Execution, Status, run_code

RUN = Execution(Status.ERROR, "", "", 0, 0, 0.0, 0.0, "none")


@given(st.integers(1, 500), st.data())
def test_it_is_the_share_of_statements_that_ran(total: int, data: st.DataObject) -> None:
    done = data.draw(st.integers(0, total))
    assert process_score(replace(RUN, done=done, total=total)) == pytest.approx(done / total)


def test_without_statements_it_is_zero() -> None:
    assert process_score(RUN) == 0.0


@pytest.mark.parametrize(
    ("code", "score"),
    [
        ("x = 1\ny = 2\nprint(x + y)", 1.0),
        ("x = 1\ny = missing\nprint(x)\nprint(y)", 0.25),
        ("x = 1\nprint(x", 0.0),
        ("", 0.0),
        ("x = 1\nimport os", 0.0),
    ],
)
def test_a_real_program_scores_what_it_ran(code: str, score: float) -> None:
    assert process_score(run_code(code, {})) == score
