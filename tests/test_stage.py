"""A stage ends in one sentence when the user's world is wrong, and in a traceback when we are."""

import pytest

from tablecoder.stage import StageError, run


def test_a_full_disk_is_one_sentence() -> None:
    def main() -> None:
        with open("/dev/full", "w") as file:
            file.write("x")

    with pytest.raises(SystemExit, match="^sft: No space left on device"):
        run("sft", main)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(SystemExit, match=r"^sft: No such file or directory \(no/such/file\)"):
        run("sft", lambda: open("no/such/file").close())


def test_a_stage_error_keeps_its_words() -> None:
    def main() -> None:
        raise StageError("the lamp is out; light it")

    with pytest.raises(SystemExit, match="^grpo: the lamp is out; light it$"):
        run("grpo", main)


def test_ctrl_c_says_that_nothing_is_lost() -> None:
    def main() -> None:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit, match="^eval: interrupted; `dvc repro` goes on"):
        run("eval", main)


def test_a_bug_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        run("eval", lambda: print(1 / 0))
