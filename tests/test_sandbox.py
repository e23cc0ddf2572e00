"""The sandbox: how programs end, what they find, and what is left of them. Real processes."""

import ast
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecoder.sandbox import (
    DEFAULT_LIMITS,
    Execution,
    Limits,
    SandboxError,
    Status,
    program,
    protocol,
    run_code,
    run_many,
    shutdown,
)
from tablecoder.sandbox.tables import read_csv

TABLES = {"orders": "region,sold,day\nNA,3,2024-01-05\n,4,2024-02-01\nN/A,5,2024-02-09\n"}
SHORT = Limits(cpu_seconds=0.3, wall_seconds=2.0, memory_mb=128, stdout_kb=4)
ROOT = Path(__file__).resolve().parents[1]


def run(code: str, limits: Limits = SHORT, gate: bool = True) -> Execution:
    return run_code(code, TABLES, limits=limits, gate=gate)


def children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            found += map(int, (task / "children").read_text().split())
    return found


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.fixture
def locked() -> None:
    """Skips a test that shows what Landlock and seccomp hold back, on a machine without them."""
    level = run("1").level
    if level != "landlock+seccomp+rlimits":
        pytest.skip(f"this machine has only {level}")


# What a program finds.


def test_tables_are_frames_by_name_and_only_an_empty_cell_is_missing() -> None:
    ended = run("print(orders['region'].isna().tolist(), orders['sold'].sum())")
    assert ended.stdout == "[False, True, False] 12\n"


def test_a_program_sees_the_table_as_read_csv_reads_it() -> None:
    ended = run("print(orders.dtypes.to_dict(), orders.values.tolist())")
    frame = read_csv(TABLES["orders"])
    assert ended.stdout == f"{frame.dtypes.to_dict()} {frame.values.tolist()}\n"


def test_frames_keep_their_types() -> None:
    frame = pd.DataFrame({"day": pd.to_datetime(["2024-01-05"]), "code": ["007"]})
    ended = run_code("print(t['day'].dt.year.iloc[0], t['code'].iloc[0])", {"t": frame})
    assert ended.stdout == "2024 007\n"


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("import pandas as p, numpy\nprint(p is pd, numpy is np)", "True True"),
        ("import numpy.random\nprint(numpy is np)", "True"),
        ("import numpy.linalg as la\nprint(la.norm([3, 4]))", "5.0"),
        ("from math import sqrt as root, pi\nprint(root(4), round(pi, 2))", "2.0 3.14"),
        ("from math import *\nprint(floor(2.5))", "2"),
        ("import collections.abc\nprint(isinstance([], collections.abc.Sized))", "True"),
        ("from collections import abc\nprint(isinstance([], abc.Sized))", "True"),
        ("def f():\n    import json\n    return json.dumps([1])\nprint(f())", "[1]"),
        (
            "try:\n    from math import nope\nexcept ImportError as e:\n    print(e)",
            "cannot import",
        ),
        ("'doc'\nfrom __future__ import annotations\nprint(__name__)", "__main__"),
        ("from datetime import datetime\nprint(datetime.strptime('7', '%d').day)", "7"),
        ("n = 3\nprint(orders.query('sold > @n')['sold'].tolist())", "[4, 5]"),
        ("print(pd.Timestamp('2024-07-01', tz='Europe/Berlin').utcoffset())", "2:00:00"),
        ("import warnings\nwarnings.simplefilter('ignore')\nwarnings.warn('x')\nprint(1)", "1"),
    ],
)
def test_allowed_modules_work(code: str, printed: str) -> None:
    ended = run(code)
    assert (ended.status, ended.stdout[: len(printed)]) == (Status.OK, printed), ended.stderr


# How programs end.


@pytest.mark.parametrize(
    ("code", "status", "done", "total"),
    [
        ("", Status.NO_CODE, 0, 0),
        ("\n# nothing\n", Status.OK, 0, 0),
        ("'doc'\nfrom __future__ import annotations\nx = 1", Status.OK, 3, 3),
        ("import json, math\nprint(1)", Status.OK, 2, 2),
        ("x = 1\ny = 2\n1 / 0\nz = 3", Status.ERROR, 2, 4),
        ("x = 1\nraise SystemExit(0)", Status.ERROR, 1, 2),
        ("raise KeyboardInterrupt", Status.ERROR, 0, 1),
        ("x = 1\ndef f(n): return f(n)\nf(1)", Status.ERROR, 2, 3),
        ("x = 1\ny = (", Status.SYNTAX, 0, 1),
        ("x = 1\ny = 2\nfor i in range(3):\n    print(i", Status.SYNTAX, 0, 2),
        ("return 1", Status.SYNTAX, 0, 1),
        ("print('a\x00b')", Status.SYNTAX, 0, 0),
        ("x = '\ud800'", Status.SYNTAX, 0, 0),
        ("x = 1\nimport os", Status.BLOCKED, 0, 2),
        ("x = 1\nwhile True:\n    pass\ny = 2", Status.TIMEOUT, 1, 3),
        ("x = 1\ny = [0] * 10**9", Status.MEMORY, 1, 2),
        ("x = 1\nd = [bytes(10**6) for _ in range(10**4)]", Status.MEMORY, 1, 2),
        ("x = 1\nprint('y' * 5000)\nz = 2", Status.FLOOD, 1, 3),
        ("x = 1\nwhile True:\n    print(x)", Status.FLOOD, 1, 2),
        ("q = '@pd.io.com' + 'mon.os'\norders.query(q)", Status.BLOCKED, 1, 2),
    ],
)
def test_each_ending_has_its_status_and_its_progress(
    code: str, status: Status, done: int, total: int
) -> None:
    ended = run(code)
    assert (ended.status, ended.done, ended.total) == (status, done, total), ended


def test_leaving_early_is_no_good_end_even_without_the_gate() -> None:
    ended = run("print(42)\nimport os\nos._exit(0)", gate=False)
    assert (ended.status, ended.done) == (Status.ERROR, 2)
    assert "left before its end" in ended.stderr


def test_a_crash_is_an_error() -> None:
    ended = run("import ctypes\nctypes.string_at(0)", gate=False)
    assert ended.status is Status.ERROR and "signal 11" in ended.stderr


def test_a_sleeper_meets_the_wall_limit_also_with_its_pipes_closed() -> None:
    code = "import os, time\nos.close(1)\nos.close(2)\ntime.sleep(60)"
    ended = run(code, Limits(1.0, 0.5, 128, 4), gate=False)
    assert ended.status is Status.TIMEOUT
    assert ended.wall_seconds < 3


def test_output_up_to_the_cap_comes_whole() -> None:
    ended = run("print('y' * 4095)")
    assert (ended.status, len(ended.stdout)) == (Status.OK, 4096)


def test_what_was_printed_before_the_end_is_kept() -> None:
    assert run("print('a')\n1 / 0").stdout == "a\n"
    assert run("print('a')\nwhile True:\n    pass").stdout == "a\n"


def test_an_error_names_the_lines_of_the_program() -> None:
    ended = run("def f(x):\n    return x['nope']\nf(orders)")
    assert ended.stderr == "line 3: f(orders)\nline 2: return x['nope']\nKeyError: 'nope'\n"


def test_rebinding_the_builtins_breaks_no_report() -> None:
    ended = run("print = len = str = repr = None\nx = 1")
    assert (ended.status, ended.done) == (Status.OK, 2)


def test_cpu_time_is_the_limit_and_is_reported() -> None:
    ended = run("while True: pass")
    assert SHORT.cpu_seconds <= ended.cpu_seconds < SHORT.cpu_seconds + 0.2


def test_limits_must_be_positive() -> None:
    with pytest.raises(ValueError, match="memory_mb"):
        Limits(1.0, 1.0, 0, 1)


# The progress is that of separate runs of each prefix.

PREFIX_PROGRAMS = [
    "x = 1\nfor i in range(3):\n    x += i\nprint(x)\nprint(y)\nprint(x)",
    "'doc'\nfrom __future__ import annotations\ndef f(a: int) -> int:\n    return a\nf()",
    "t = orders.copy()\nt['v'] = t['sold'] * 2\nprint(t['w'].sum())",
    "try:\n    1 / 0\nexcept ZeroDivisionError:\n    x = 1\nassert x == 2\nx = 3",
    "class A:\n    x = 1\nif A.x:\n    print(1)\nwith open('x') as f:\n    pass",
]


@pytest.mark.parametrize("code", PREFIX_PROGRAMS)
def test_progress_is_what_running_each_prefix_would_tell(code: str) -> None:
    body = ast.parse(code).body
    prefixes = [ast.unparse(ast.Module(body[:n], [])) for n in range(1, len(body) + 1)]
    good = [run(prefix, gate=False).status is Status.OK for prefix in prefixes]
    ended = run(code, gate=False)
    assert (ended.done, ended.total) == (sum(good), len(body))


@given(st.integers(0, 6), st.booleans(), st.integers(0, 3))
def test_a_tick_counts_every_statement_once(count: int, doc: bool, futures: int) -> None:
    lines = ["'doc'"] * doc + ["from __future__ import division"] * futures + ["x = 1"] * count
    tree = ast.parse("\n".join(lines))
    program.add_ticks(tree)
    seen: list[int] = []
    exec(compile(tree, "x", "exec"), {program.TICK: seen.append})
    assert (seen[-1] if seen else 0) == len(lines)
    assert seen == sorted(set(seen))


def test_the_longest_prefix_of_a_cut_program_is_found() -> None:
    code = "x = 1\nif x:\n    y = 2\nprint(x)\nz = foo(1,\n  2"
    with pytest.raises(SyntaxError) as error:
        ast.parse(code)
    assert program.longest_prefix(code, error.value) == 3


# Equal runs.


def test_a_program_prints_the_same_on_every_worker() -> None:
    code = (
        "import random\n"
        "print(random.random(), np.random.rand(), np.random.default_rng().random())\n"
        "print({'a', 'b', 'c', 'd', 'e'}, hash('x'), orders.sample(2).index.tolist())"
    )
    printed = {run(code).stdout for _ in range(2)}
    shutdown()
    assert len(printed | {run(code).stdout}) == 1


def test_nothing_of_one_run_is_left_for_the_next() -> None:
    run("orders['sold'] = 0\npd.DataFrame.sum = None\npd.set_option('display.max_rows', 1)")
    run("import json\njson.dumps = None", gate=False)
    code = "import json\nprint(json.dumps(int(orders['sold'].sum())))\n"
    assert run(code + "print(pd.get_option('display.max_rows'))").stdout == "12\n60\n"


# Isolation, with the gate off.


def test_the_callers_environment_stays_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "do-not-tell")
    shutdown()
    ended = run("import os\nprint(dict(os.environ))", gate=False)
    assert ended.status is Status.OK and "do-not-tell" not in ended.stdout


@pytest.mark.usefixtures("locked")
@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/hostname').read()",
        "open('{folder}/made', 'w')",
        "import os; os.mkdir('{folder}/made')",
        "import os; os.symlink('/', '{folder}/made')",
        "import os; os.listdir('{folder}')",
        "import os; os.kill(os.getppid(), 9)",
        "import os; os.fork()",
        "import subprocess; subprocess.run(['touch', '{folder}/made'])",
        "import os; os.execv('/bin/sh', ['sh'])",
        "import socket; socket.socket()",
        "import threading; threading.Thread(target=print).start()",
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (99, 99))",
        "import os; open(f'/proc/{os.getppid()}/mem', 'rb')",
        "import os; print(*map(os.fstat, range(4, 64)))",
    ],
)
def test_the_process_is_held_without_the_gate(code: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    ended = run(code.replace("{folder}", str(tmp_path)), gate=False)
    assert ended.status is Status.ERROR, ended
    assert not list(tmp_path.iterdir())


def test_the_level_says_what_is_on() -> None:
    assert run("1").level in ("landlock+seccomp+rlimits", "seccomp+rlimits", "rlimits")


@pytest.mark.usefixtures("locked")
@pytest.mark.parametrize(
    ("fault", "level"),
    [
        ("isolate._LANDLOCK_CREATE = 100_000", "seccomp+rlimits"),
        ("isolate._LANDLOCK_RESTRICT = 39", "seccomp+rlimits"),  # succeeds and does nothing
        ("isolate._seccomp_program = lambda files: None", "landlock+rlimits"),
        ("isolate._COMPUTE += ' socket=41'", "landlock+rlimits"),
        ("isolate._LINUX = False", "rlimits"),
    ],
)
def test_a_layer_that_does_not_hold_is_not_claimed(fault: str, level: str) -> None:
    code = f"from tablecoder.sandbox import isolate\n{fault}\nprint(isolate.Isolation().level)"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout.strip() == level, ended.stderr


# Batches, faults and what is left.


def test_results_come_in_the_order_of_the_programs() -> None:
    programs = [(f"print({n} + t['x'].iloc[0])", {"t": f"x\n{n}\n"}) for n in range(40)]
    results = run_many(programs, workers=3)
    assert [r.stdout for r in results if isinstance(r, Execution)] == [
        f"{2 * n}\n" for n in range(40)
    ]


def test_a_fault_of_the_sandbox_stands_in_its_place() -> None:
    broken = {"t": ""}  # no table at all: the caller's slip, not the program's
    results = run_many([("print(1)", {}), ("print(2)", broken), ("print(3)", {})])
    assert [type(result) for result in results] == [Execution, SandboxError, Execution]
    with pytest.raises(SandboxError, match="table cannot be read"):
        run_code("print(2)", broken)


def test_a_killed_worker_loses_no_result() -> None:
    run_many([("print(1)", {})] * 4)
    victim = children(os.getpid())[0]
    killer = threading.Timer(0.2, os.kill, (victim, signal.SIGKILL))
    killer.start()
    results = run_many([(f"print({n})", {}) for n in range(80)])
    killer.join()
    assert not alive(victim)
    assert [r.stdout for r in results if isinstance(r, Execution)] == [f"{n}\n" for n in range(80)]


def test_a_batch_leaves_no_process_and_no_descriptor() -> None:
    run_many([("print(1)", TABLES)] * 4)
    workers = children(os.getpid())

    def held() -> list[int]:
        return [len(os.listdir(f"/proc/{pid}/fd")) for pid in [os.getpid(), *workers]]

    before = held()
    run_many([("print(1)", TABLES), ("1 / 0", TABLES)] * 60)
    assert held() == before
    assert children(os.getpid()) == workers
    assert not [child for pid in workers for child in children(pid)]


def test_it_runs_from_many_threads_at_once() -> None:
    printed: list[str] = []
    threads = [
        threading.Thread(
            target=lambda n=n: printed.append(run(f"print({n})", DEFAULT_LIMITS).stdout)
        )
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(printed) == [f"{n}\n" for n in range(8)]


def test_a_process_forked_from_the_caller_has_workers_of_its_own() -> None:
    run("1")
    code = (
        "import os\nfrom tablecoder.sandbox import run_code\n"
        "assert run_code('print(1)', {}).stdout == '1\\n'\n"
        "pid = os.fork()\n"
        "same = run_code(f'print({os.getpid()})', {}).stdout == f'{os.getpid()}\\n'\n"
        "if pid == 0:\n    import sys\n    sys.exit(0 if same else 1)\n"
        "print(same and os.waitpid(pid, 0)[1] == 0)"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout == "True\n", ended.stderr


@pytest.fixture
def busy() -> Iterator[tuple["subprocess.Popen[bytes]", list[int]]]:
    """A caller in the middle of a batch, and the processes below it."""
    code = (
        "import signal\nfrom tablecoder.sandbox import run_many, Limits\n"
        # A shell starts what runs in its background with this signal ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "limits = Limits(60.0, 60.0, 64, 1)\n"
        "run_many([('while True: pass', {})] * 9, limits=limits)"
    )
    caller = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True
    )
    below: list[int] = []
    deadline = time.monotonic() + 30
    while len(below) < 4 and time.monotonic() < deadline:  # two workers, a program in each
        time.sleep(0.1)
        workers = children(caller.pid)
        below = workers + [child for pid in workers for child in children(pid)]
    yield caller, below
    caller.kill()
    caller.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_the_caller(
    number: signal.Signals, busy: tuple["subprocess.Popen[bytes]", list[int]]
) -> None:
    caller, below = busy
    assert len(below) == 4 and all(map(alive, below))
    caller.send_signal(number)
    caller.wait(timeout=10)
    deadline = time.monotonic() + 5
    while any(map(alive, below)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, below))


# The control records.

NONCE = "0123456789abcdef" * 2


def records(*lines: str) -> bytes:
    return "".join(f"{NONCE} {line}\n" for line in lines).encode()


def test_records_tell_the_progress() -> None:
    told = protocol.read_records(records("begin 2", "done 1", "done 2", "end ok"), NONCE)
    assert told == protocol.Progress(total=2, done=2, end="ok")


@pytest.mark.parametrize(
    "stream",
    [
        records("begin 2", "end ok"),
        records("begin 2", "done 2", "end ok", "end ok"),
        records("begin 2", "begin 3"),
        records("begin 2", "done 1", "done 1"),
        records("begin 2", "done 3"),
        records("done 1"),
        records("end ok"),
        records("begin ok"),
        records("begin 2", "end great"),
        records("begin 2").replace(b"0", b"1"),
        records("begin 2") + b"hello\n",
        b"\n",
    ],
)
def test_a_stream_that_the_harness_would_not_write_voids_the_run(stream: bytes) -> None:
    assert protocol.read_records(stream, NONCE) == protocol.TAMPERED


@given(st.binary())
def test_no_stream_without_the_nonce_is_a_good_end(stream: bytes) -> None:
    told = protocol.read_records(stream, NONCE)
    assert told.end is None and told.done == 0


@given(st.data())
def test_a_cut_stream_tells_a_prefix_of_the_progress(data: st.DataObject) -> None:
    whole = records("begin 3", "done 1", "done 2", "done 3", "end ok")
    cut = data.draw(st.integers(0, len(whole) - 1))
    told = protocol.read_records(whole[:cut], NONCE)
    assert not told.tampered and told.end is None
    assert told.done == whole[:cut].count(b"\n") - 1 if told.total else told.done == 0
