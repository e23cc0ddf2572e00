"""JSON Lines files hold what was written, all of it or nothing."""

import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecoder import jsonl

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    # a lone surrogate is no text that UTF-8 could hold
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


@given(st.lists(st.dictionaries(st.text("ab\n", max_size=3), VALUES, max_size=3), max_size=4))
def test_what_is_written_is_read(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "rows.jsonl"
    jsonl.write(path, rows)
    assert jsonl.read(path) == rows


def test_lines_keep_key_order_and_letters(tmp_path):
    jsonl.write(tmp_path / "x.jsonl", [{"b": "数量", "a": 1}])
    assert (tmp_path / "x.jsonl").read_bytes() == '{"b": "数量", "a": 1}\n'.encode()


@pytest.mark.parametrize("line", ["{", "[1]", "1", "nonsense"])
def test_a_broken_line_is_named(tmp_path, line):
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"a": 1}}\n\n{line}\n')
    with pytest.raises(ValueError, match=r"x\.jsonl, line 3: not"):
        jsonl.read(path)


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "x.jsonl"
    jsonl.write(path, [{"a": 1}])

    def rows():
        yield {"a": 2}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jsonl.write(path, rows())
    assert jsonl.read(path) == [{"a": 1}]
    assert list(tmp_path.iterdir()) == [path]


def test_nan_is_refused(tmp_path):
    with pytest.raises(ValueError):
        jsonl.write(tmp_path / "x.jsonl", [{"a": float("nan")}])


def test_the_file_is_for_all_to_read(tmp_path):
    jsonl.write(tmp_path / "deep" / "x.jsonl", [])
    assert stat.S_IMODE((tmp_path / "deep" / "x.jsonl").stat().st_mode) == 0o644
