"""The warm worker: a clean process that has pandas loaded and forks once for each program.

It is started by its path (`python -P -s -B worker.py <descriptor of its socket>`), never forked
from the caller, which may hold threads, gold answers and keys. It sees programs and tables only.
"""

import errno
import gc
import json
import os
import pickle
import resource
import secrets
import select
import signal
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tablecoder.sandbox import isolate, protocol
from tablecoder.sandbox.execution import Limits, Status

if TYPE_CHECKING:
    import pandas as pd

_IDLE_MS, _TURN_MS = 500, 20
_CHUNK = 1 << 16
_CONTROL_BYTES = 1 << 20  # more is no honest program's progress
_CACHED_TABLES, _CACHED_CHARACTERS = 256, 1 << 20
_SETUP_FAILED = 97
_RSS_SHARE = 0.8  # of the budget: killed by the kernel above it counts as out of memory


def main() -> None:
    """Serve requests from the socket until the caller is gone."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    parent = os.getppid()
    worker = Worker(channel, parent)
    protocol.send(channel, json.dumps({"level": worker.isolation.level}).encode())
    while os.getppid() == parent:
        if not _readable(channel, _IDLE_MS):
            continue
        try:
            request = pickle.loads(protocol.receive(channel))
            protocol.send(channel, json.dumps(worker.answer(request)).encode())
        except (EOFError, ConnectionError):
            return


def _readable(channel: socket.socket, timeout_ms: int) -> bool:
    return bool(select.select([channel], [], [], timeout_ms / 1000)[0])


class Worker:
    """Holds what stays warm between programs."""

    def __init__(self, channel: socket.socket, parent: int) -> None:
        # Imported here: the module is also imported by the caller, which needs no pandas.
        from tablecoder.sandbox import child, tables, warm

        warm.up()
        self._child, self._read_csv = child, tables.read_csv
        self._channel, self._parent = channel, parent
        self._tables: dict[str, pd.DataFrame] = {}
        self.isolation = isolate.Isolation()
        if "landlock" not in self.isolation.level:
            warm.load_time_zones()
        self.isolation.adopt_orphans()
        gc.collect()
        gc.freeze()  # a collection in a child would touch, and so copy, every shared page

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run one program. Returns the fields of an Execution, or {"fault": why}.

        {"unusable": why} is for a request that no worker could serve.
        """
        try:
            frames = {name: self._frame(table) for name, table in request["tables"].items()}
        except Exception as error:
            return {"unusable": f"a table cannot be read: {type(error).__name__}: {error}"}
        limits = Limits(**request["limits"])
        nonce = secrets.token_hex(16)
        job = self._child.Job(request["code"], frames, limits, request["gate"], nonce)
        run = self._start(job)
        run.watch()
        _end_orphans()
        return run.result(nonce, self.isolation.level)

    def _frame(self, table: "str | pd.DataFrame") -> "pd.DataFrame":
        if not isinstance(table, str):
            return table
        frame = self._tables.pop(table, None)
        if frame is None:
            frame = self._read_csv(table)
        if len(table) <= _CACHED_CHARACTERS:
            self._tables[table] = frame  # at the end: the first is the one unused for longest
            if len(self._tables) > _CACHED_TABLES:
                del self._tables[next(iter(self._tables))]
        return frame

    def _start(self, job: Any) -> "Run":
        pipes = [os.pipe() for _ in range(3)]
        started = time.monotonic()
        worker = os.getpid()
        pid = os.fork()
        if pid == 0:
            out, err, control = (write for _, write in pipes)
            self._child.run(job, (out, err, control), self.isolation, worker)
        for _, write in pipes:
            os.close(write)
        out, err, control = (read for read, _ in pipes)
        cap = job.limits.stdout_kb * 1024
        streams = (Stream(out, cap), Stream(err, cap), Stream(control, _CONTROL_BYTES))
        return Run(pid, streams, job.limits, started, self._channel, self._parent)


@dataclass
class Stream:
    """The read end of one pipe of a program: keeps the first `cap` bytes, notes that more came."""

    descriptor: int
    cap: int
    data: bytearray = field(default_factory=bytearray)
    over: bool = False
    open: bool = True

    def __post_init__(self) -> None:
        os.set_blocking(self.descriptor, False)

    def take(self) -> bool:
        """Take what is there; False when that is nothing, at least for now."""
        try:
            part = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return False
        self.open = bool(part)
        room = self.cap - len(self.data)
        self.data += part[:room]
        self.over = self.over or len(part) > room
        return self.open and not self.over

    def text(self) -> str:
        return self.data.decode("utf-8", "replace")


@dataclass
class Run:
    """One program's process as its worker watches it."""

    pid: int
    streams: tuple[Stream, Stream, Stream]  # stdout, stderr, control
    limits: Limits
    started: float
    channel: socket.socket
    parent: int
    killed: Status | None = None  # why the worker ended it
    code: int = 0  # exit code, negative for a signal
    usage: resource.struct_rusage | None = None
    wall: float = 0.0
    starved: bool = False  # it sat until the wall limit because the machine was busy

    def watch(self) -> None:
        """Drain the pipes until the process is gone, and end it when it passes a limit.

        The end of its streams is not the end of the process, and the other way round.
        """
        handle = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else -1
        try:
            while not self._gone(handle):
                self._wait_for_news(handle)
                self.killed = self.killed or self._passed_limit()
                if self.killed:
                    break
        finally:
            self._end()
            if handle >= 0:
                os.close(handle)
            for stream in self.streams:
                while stream.take():
                    pass
                os.close(stream.descriptor)

    def _gone(self, handle: int) -> bool:
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.pid, options) is not None

    def _wait_for_news(self, handle: int) -> None:
        poll = select.poll()
        for stream in self.streams:
            if stream.open:
                poll.register(stream.descriptor, select.POLLIN)
        poll.register(self.channel, select.POLLIN)
        if handle >= 0:
            poll.register(handle, select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll(_TURN_MS)}
        # The caller sends nothing while it waits: news from it is its end.
        if self.channel.fileno() in ready or os.getppid() != self.parent:
            os.killpg(self.pid, signal.SIGKILL)
            os._exit(1)
        for stream in self.streams:
            if stream.descriptor in ready:
                stream.take()

    def _passed_limit(self) -> Status | None:
        if any(stream.over for stream in self.streams):
            return Status.FLOOD
        if self._cpu_seconds() > self.limits.cpu_seconds:
            return Status.TIMEOUT
        if time.monotonic() - self.started > self.limits.wall_seconds:
            self.starved = _seconds_in_line(self.pid) > self.limits.wall_seconds / 2
            return Status.TIMEOUT
        return None

    def _cpu_seconds(self) -> float:
        """CPU time of the process so far, by its own clock (see clock_getcpuclockid(3))."""
        try:
            return time.clock_gettime((~self.pid << 3) | 2)
        except OSError:
            return 0.0

    def _end(self) -> None:
        """End the process and its group, then reap it."""
        for target in (os.killpg, os.kill):  # the process may not yet lead a group
            try:
                target(self.pid, signal.SIGKILL)
            except OSError as error:
                if error.errno not in (errno.ESRCH, errno.EPERM):
                    raise
        _, status, self.usage = os.wait4(self.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        self.wall = time.monotonic() - self.started

    def result(self, nonce: str, level: str) -> dict[str, Any]:
        """Return the fields of an Execution, or {"fault": why}."""
        out, err, control = self.streams
        progress = protocol.read_records(bytes(control.data), nonce)
        if self.code == _SETUP_FAILED and not control.data:
            return {"fault": f"the locks could not be put on: {err.text()}"}
        if self.starved and progress.end is None:
            return {"fault": "the machine had no time for the program"}
        status = self._status(progress)
        if status is None:
            return {"fault": "the program's process was killed from outside"}
        assert self.usage is not None
        return {
            "status": status.value,
            "stdout": out.text(),
            "stderr": err.text() + self._note(status, progress),
            "done": progress.done,
            "total": progress.total,
            "cpu_seconds": self.usage.ru_utime + self.usage.ru_stime,
            "wall_seconds": self.wall,
            "level": level,
        }

    def _status(self, progress: protocol.Progress) -> Status | None:
        """Return how the program ended; None where something outside ended it.

        First the worker's own reason, then a signal, then the program's last record.
        """
        if progress.tampered:
            return Status.ERROR
        if self.killed and progress.end is None:
            return self.killed
        if self.code < 0 and not self.killed:
            return self._status_of_signal(-self.code)
        # No last record: it left early (os._exit(0)), which is never a good end.
        return Status(progress.end or "error")

    def _status_of_signal(self, number: int) -> Status | None:
        if number == signal.SIGXCPU:
            return Status.TIMEOUT
        if number != signal.SIGKILL:
            return Status.ERROR  # a crash
        assert self.usage is not None
        full = self.usage.ru_maxrss * 1024 > _RSS_SHARE * (self.limits.memory_mb << 20)
        return Status.MEMORY if full else None

    def _note(self, status: Status, progress: protocol.Progress) -> str:
        if progress.tampered:
            return "sandbox: the control records were tampered with\n"
        if status is Status.ERROR and self.code < 0 and not self.killed:
            return f"sandbox: ended by signal {-self.code}\n"
        if status is Status.ERROR and progress.end is None:
            return "sandbox: left before its end\n"
        return ""


def _seconds_in_line(pid: int) -> float:
    """How long a process was ready to run and had no processor; 0 where the kernel tells not."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def _end_orphans() -> None:
    """End and reap what a program left running; without seccomp it may have started processes."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            for child in _children():
                os.kill(child, signal.SIGKILL)
            time.sleep(0.001)


def _children() -> list[int]:
    text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return [int(word) for word in text.split()]


if __name__ == "__main__":
    main()
