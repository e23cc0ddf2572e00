"""The caller's side: warm workers, and the one way to run a program in them.

Workers are started from a clean command line, never forked from this process, and end with it.
"""

import atexit
import contextlib
import json
import os
import pickle
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tablecoder.sandbox import protocol, worker
from tablecoder.sandbox.execution import (
    DEFAULT_LIMITS,
    NOTHING_RAN,
    Execution,
    Limits,
    SandboxError,
    Status,
)

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_WORKERS = 2
_START_SECONDS, _GRACE_SECONDS = 120.0, 10.0

# All that a worker finds in its environment. Nothing of the caller's is passed on but the path of
# the C libraries, without which some Pythons do not start. `python -I` would ignore the hash seed.
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "COLUMNS": "80",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_MAX_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # the default one reserves 1 GiB of addresses
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
_PASSED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


def run_code(
    code: str,
    tables: "Mapping[str, str | pd.DataFrame]",
    *,
    limits: Limits = DEFAULT_LIMITS,
    gate: bool = True,
) -> Execution:
    """Run a program in a process of its own and return how it ended.

    `tables` are CSV texts (or DataFrames); the program finds them as DataFrames by their names,
    and `pd` and `np`. `gate=False` leaves out the check of the source, not the isolation.
    Raises SandboxError where the sandbox itself failed twice.
    """
    return _pool(DEFAULT_WORKERS).run(code, tables, limits, gate)


def run_many(
    programs: "Sequence[tuple[str, Mapping[str, str | pd.DataFrame]]]",
    *,
    limits: Limits = DEFAULT_LIMITS,
    workers: int | None = None,
) -> list[Execution | SandboxError]:
    """Run (code, tables) pairs on warm workers; return one result for each, in order.

    A program on which the sandbox failed twice has a SandboxError in its place.
    """
    count = workers or DEFAULT_WORKERS
    pool = _pool(count)

    def run(item: "tuple[str, Mapping[str, str | pd.DataFrame]]") -> Execution | SandboxError:
        try:
            return pool.run(*item, limits, True)
        except SandboxError as error:
            return error

    executor = ThreadPoolExecutor(max_workers=count)
    try:
        return list(executor.map(run, programs))
    except BaseException:  # Ctrl-C: what is running ends with its worker
        pool.close()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def shutdown() -> None:
    """End all workers. The next run starts new ones."""
    global _current
    with _lock:
        if _current is not None and _current.owner == os.getpid():
            _current.close()
        _current = None


class _Worker:
    """One worker process and the socket to it. Raises _Fault where it does not start."""

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._process = self._start(theirs.fileno())
        try:
            self.level = str(self._receive(_START_SECONDS)["level"])
        except _Fault as fault:
            self.close()
            raise _Fault(f"a sandbox worker does not start: {fault}") from None

    def _start(self, descriptor: int) -> "subprocess.Popen[bytes]":
        passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        return subprocess.Popen(
            [sys.executable, "-P", "-s", "-B", worker.__file__, str(descriptor)],
            env=_ENVIRONMENT | passed_on,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[descriptor],
            start_new_session=True,  # Ctrl-C in the terminal is for the caller
        )

    def ask(self, payload: bytes, seconds: float) -> dict[str, Any]:
        """Return the worker's answer. Raises _Fault where none comes within `seconds`."""
        try:
            self._channel.settimeout(seconds)
            protocol.send(self._channel, payload)
        except OSError as error:
            raise _Fault(f"the worker is gone ({error})") from None
        return self._receive(seconds)

    def _receive(self, seconds: float) -> dict[str, Any]:
        # JSON, never pickle: what comes back holds text that a program wrote.
        try:
            self._channel.settimeout(seconds)
            answer = json.loads(protocol.receive(self._channel))
        except (EOFError, OSError, ValueError) as error:
            raise _Fault(f"no answer from the worker ({error})") from None
        if "fault" in answer:
            raise _Fault(answer["fault"])
        return dict(answer)

    def close(self) -> None:
        """End the worker, and with it the program that it runs."""
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits for an answer
        self._process.kill()
        self._process.wait()
        self._channel.close()


class _Fault(Exception):
    """One failure of the sandbox, before the second try."""


class _Pool:
    """Idle workers, lent to one program at a time."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        # None stands for a worker not yet started. Last in, first out: one caller at a time keeps
        # to one worker, and the second try of a program that lost its worker gets a fresh one.
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        self._workers: set[_Worker] = set()
        self._size = 0
        self._closed = False
        self._lock = threading.Lock()

    def grow(self, size: int) -> None:
        with self._lock:
            for _ in range(self._size, size):
                self._idle.put(None)
            self._size = max(self._size, size)

    def run(
        self,
        code: str,
        tables: "Mapping[str, str | pd.DataFrame]",
        limits: Limits,
        gate: bool,
    ) -> Execution:
        if not code:
            return NOTHING_RAN
        request = {"code": code, "tables": dict(tables), "limits": asdict(limits), "gate": gate}
        payload = pickle.dumps(request, protocol=5)
        seconds = limits.wall_seconds + _GRACE_SECONDS
        with contextlib.suppress(_Fault):
            return self._run_once(payload, seconds)
        try:
            return self._run_once(payload, seconds)
        except _Fault as fault:
            raise SandboxError(str(fault)) from None

    def _run_once(self, payload: bytes, seconds: float) -> Execution:
        with self._lent() as lent:
            answer = lent.ask(payload, seconds)
        if "unusable" in answer:
            raise SandboxError(answer["unusable"])
        return Execution(**(answer | {"status": Status(answer["status"])}))

    @contextlib.contextmanager
    def _lent(self) -> Iterator[_Worker]:
        """Lend a worker; one that failed or was interrupted is not used again."""
        lent = self._idle.get()
        try:
            lent = lent or self._started()
            yield lent
        except BaseException:
            if lent is not None:
                self._retire(lent)
            lent = None
            raise
        finally:
            self._idle.put(lent)

    def _started(self) -> _Worker:
        if not self._closed:
            started = _Worker()
            with self._lock:
                if not self._closed:  # still: it takes a second to start
                    self._workers.add(started)
                    return started
            started.close()
        raise SandboxError("the sandbox is shut down")

    def _retire(self, lent: _Worker) -> None:
        with self._lock:
            self._workers.discard(lent)
        lent.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            workers, self._workers = self._workers, set()
        for item in workers:
            item.close()


_lock = threading.Lock()
_current: _Pool | None = None


def _pool(size: int) -> _Pool:
    global _current
    with _lock:
        # A process that was forked from one with a pool must not write to the same sockets.
        if _current is None or _current._closed or _current.owner != os.getpid():
            _current = _Pool()
        _current.grow(size)
        return _current


atexit.register(shutdown)
