"""Programs and answers collected elsewhere, kept beside the repository in ../shared/cases.

Skipped where that folder is absent. Each case is one example of a kind.
"""

import json
import os
import secrets
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tablecoder.answers import matches, read_answer
from tablecoder.sandbox import Limits, run_code, shutdown

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"
PORT = 45871  # that hostile programs try to reach
LIMITS = Limits(cpu_seconds=0.5, wall_seconds=3.0, memory_mb=256, stdout_kb=64)

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="no ../shared/cases beside the checkout")


def cases(name: str) -> list[Any]:
    path = CASES / name
    content: Any = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    return list(content["cases"] if isinstance(content, dict) else content)


def by_id(items: list[Any]) -> dict[str, Any]:
    return {item["id"]: item for item in items}


BENIGN, REDTEAM = by_id(cases("benign.json")), by_id(cases("redteam.json"))
ANSWERS = by_id([case for case in cases("faults.json") if case["id"].startswith("B")])


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    content = json.loads((CASES / "benign.json").read_text(encoding="utf-8"))["tables"]
    return {name: frame(table) for name, table in content.items()}


def frame(table: dict[str, Any]) -> pd.DataFrame:
    made = pd.DataFrame(table["data"], columns=table["columns"])
    for column, kind in table["dtypes"].items():
        if kind == "datetime64[ns]":
            made[column] = pd.to_datetime(made[column])
        if kind != "str":
            made[column] = made[column].astype(kind)
    return made


@pytest.mark.parametrize("name", BENIGN)
def test_an_honest_program_prints_the_same_bytes(
    name: str, tables: dict[str, pd.DataFrame]
) -> None:
    case = BENIGN[name]
    ended = run_code(case["code"], tables)
    assert (ended.status, ended.stdout) == (case["expected_status"], case["expected_stdout"]), (
        ended.stderr
    )


class Trap:
    """A folder, a listening port and a secret that no program may touch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.token = f"GOLD-{secrets.token_hex(8)}"
        folder.chmod(0o777)
        (folder / "gold.txt").write_text(self.token)
        self._server = socket.create_server(("127.0.0.1", PORT))
        self._server.setblocking(False)

    def program(self, code: str) -> str:
        return code.replace("{marker_dir}", str(self.folder))

    def sprung(self, output: str) -> list[str]:
        """Return what a program has done; the trap is set again."""
        done = [str(path) for path in self.folder.glob("PWNED*")]
        for path in done:
            os.remove(path)
        try:
            self._server.accept()[0].close()
            done.append("a connection")
        except BlockingIOError:
            pass
        return done + (["the token"] if self.token in output else [])

    def close(self) -> None:
        self._server.close()


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trap]:
    made = Trap(tmp_path_factory.mktemp("trap"))
    os.environ["TABLECODER_TEST_GOLD"] = made.token
    shutdown()  # the workers of this test are started with the token in our environment
    yield made
    del os.environ["TABLECODER_TEST_GOLD"]
    made.close()


def accepted(case: dict[str, Any]) -> list[str]:
    return [*case["accept"], *(["syntax"] if "error" in case["accept"] else [])]


@pytest.mark.parametrize("name", REDTEAM)
def test_a_hostile_program_does_no_harm(
    name: str, tables: dict[str, pd.DataFrame], trap: Trap
) -> None:
    case = REDTEAM[name]
    code = trap.program(case["code"])
    started = time.monotonic()
    ended = run_code(code, tables, limits=LIMITS)
    seconds = time.monotonic() - started
    assert ended.status in accepted(case), ended
    assert trap.sprung(ended.stdout + ended.stderr) == []
    assert seconds < LIMITS.wall_seconds + 1
    if "probe" in case:
        probe = run_code(case["probe"], tables, limits=LIMITS)
        assert probe.stdout == case["probe_expect"]
    if case.get("same_on_new_worker"):
        shutdown()
        assert run_code(code, tables, limits=LIMITS).stdout == ended.stdout
    assert run_code("print(1)", {}).stdout == "1\n"


@pytest.mark.parametrize("name", [name for name, case in REDTEAM.items() if case.get("core")])
def test_without_the_gate_the_process_still_does_no_harm(
    name: str, tables: dict[str, pd.DataFrame], trap: Trap
) -> None:
    started = time.monotonic()
    ended = run_code(trap.program(REDTEAM[name]["code"]), tables, limits=LIMITS, gate=False)
    seconds = time.monotonic() - started
    if "seccomp" not in ended.level or "landlock" not in ended.level:
        pytest.skip(f"this machine has only {ended.level}")
    assert trap.sprung(ended.stdout + ended.stderr) == []
    assert seconds < LIMITS.wall_seconds + 1


# The strict policy reads a line that is one number, and one form of percent, so that the same
# question has one right answer and not several. These are right answers under another policy.
STRICTER = {
    "B03": "a sentence around the number",
    "B11": "a share where the question asks for percent",
    "B19": "a number with a word of a unit",
    "B25": "what is not in a program is not run",
}


@pytest.mark.parametrize("name", [name for name in ANSWERS if "stdout" in ANSWERS[name]["input"]])
def test_an_answer_is_taken_or_refused(name: str) -> None:
    given, expected = ANSWERS[name]["input"], ANSWERS[name]["expected"]
    gold = read_answer(given["gold"])
    assert gold is not None
    decimals = len(given["gold"].rstrip("%").partition(".")[2])
    taken = matches(read_answer(given["stdout"]), gold, decimals)
    assert taken == (expected["match"] and name not in STRICTER)
    for text in expected.get("also_accept", []) if name != "B19" else []:
        assert matches(read_answer(text), gold, decimals)
    for text in expected.get("reject", []):
        assert not matches(read_answer(text), gold, decimals)
