"""Randomness has a name: equal names agree everywhere, different names have nothing in common."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecoder.streams import stream

PARTS = st.one_of(st.integers(0, 99), st.text("abc-_", min_size=1, max_size=4))


@given(st.integers(0, 99), st.lists(PARTS, max_size=4))
def test_equal_names_give_equal_streams(seed, path):
    assert stream(seed, *path).random() == stream(seed, *path).random()


@given(st.lists(PARTS, max_size=4), st.lists(PARTS, max_size=4))
def test_different_names_give_different_streams(a, b):
    same = [str(part) for part in a] == [str(part) for part in b]
    assert (stream(0, *a).random() == stream(0, *b).random()) == same


def test_neighbouring_seeds_share_nothing():
    """With seed + index, 499 of 500 items of seed 0 would come again under seed 1."""
    first, second = ({stream(seed, "x", i).random() for i in range(500)} for seed in (0, 1))
    assert not first & second


def test_a_slash_in_a_name_is_refused():
    with pytest.raises(ValueError, match="must not contain"):
        stream(0, "a/b")


def test_a_stream_is_the_same_in_every_process():
    code = "from tablecoder.streams import stream; print(stream(7, 'a', 3).random())"
    for hash_seed in ("0", "1"):
        printed = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parent.parent,
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert float(printed) == stream(7, "a", 3).random()
