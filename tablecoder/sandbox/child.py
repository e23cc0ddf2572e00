"""What happens in the process of one program: locks on, gate, run, a last word, gone.

The process is forked from a warm worker, runs one program and ends by `os._exit`, so that no
exit hook, finaliser or open file outlives it.
"""

import ast
import builtins
import io
import os
import random
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from numpy.random import bit_generator
from pandas.core.computation import eval as pandas_eval

from tablecoder.sandbox import gate, isolate, modules, program, protocol
from tablecoder.sandbox.execution import Limits

SETUP_FAILED = 97  # exit code of a process that could not put its locks on; no program ran in it
_CONTROL = 3  # the descriptor of the control pipe in a program's process
_SEED = 0
_MESSAGE_CHARACTERS, _MESSAGE_FRAMES = 2000, 5
_BUILTINS = modules.program_builtins()


@dataclass(frozen=True)
class Job:
    """One program to run; `nonce` marks the control records of this run."""

    code: str
    frames: Mapping[str, pd.DataFrame]
    limits: Limits
    gate: bool
    nonce: str


def run(
    job: Job, pipes: tuple[int, int, int], isolation: isolate.Isolation, parent: int
) -> NoReturn:
    """Run `job` in this process and end the process.

    `pipes` are the write ends for stdout, stderr and the control records; `parent` is the
    worker's process id.
    """
    report = _Reporter(job.nonce, job.limits.stdout_kb * 1024)
    try:
        _enter(job.limits, pipes, isolation, parent)
        report.take_output()
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}".encode())
        os._exit(SETUP_FAILED)
    try:
        ending = _ending(job, report)
    except BaseException:  # such as no memory for the message about no memory
        ending = "error"
    report.end(ending)
    os._exit(0)


def _enter(
    limits: Limits, pipes: tuple[int, int, int], isolation: isolate.Isolation, parent: int
) -> None:
    """Cut this process off from the worker and put its locks on."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDONLY)
    for target, source in enumerate((null, *pipes)):
        os.dup2(source, target, inheritable=False)
    isolate.limit_resources(limits.memory_mb << 20, limits.cpu_seconds)
    isolation.die_with_parent(parent)
    isolation.enter()
    os.closerange(_CONTROL + 1, 1 << 16)
    _seed()


def _seed() -> None:
    """Give every program the same randomness, also in a generator that it makes without a seed."""
    random.seed(_SEED)
    np.random.seed(_SEED)
    bit_generator.randbits = random.Random(_SEED).getrandbits  # type: ignore[attr-defined]


class _Output(io.RawIOBase):
    """A stream of the program; at its cap it ends the program, at the same byte in every run.

    Left to the worker, the end would come now one statement earlier and now one later.
    """

    def __init__(self, descriptor: int, cap: int, flood: Callable[[], NoReturn]) -> None:
        self._descriptor, self._room, self._flood = descriptor, cap, flood
        self._write = os.write

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data[: self._room])
        written = self._write(self._descriptor, part) if part else 0
        self._room -= written
        if written < len(data) and not self._room:
            self._flood()
        return written


class _Reporter:
    """Writes the control records. Its parts are taken before the program can rebind anything."""

    def __init__(self, nonce: str, cap: int) -> None:
        self._nonce, self._cap, self._write, self._exit = nonce, cap, os.write, os._exit
        self._streams: list[io.TextIOWrapper] = []
        # Made now, because a program that is out of memory leaves no room to make them.
        self._endings = {name: f"{nonce} end {name}\n".encode() for name in protocol.ENDINGS}
        self.begun = False

    def take_output(self) -> None:
        """Put streams of this run in the place of the worker's."""
        for descriptor in (1, 2):
            raw = io.BufferedWriter(_Output(descriptor, self._cap, self._flood))
            self._streams.append(
                io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", newline="\n")
            )
        sys.stdin = io.StringIO()
        sys.stdout, sys.stderr = self._streams

    def _flood(self) -> NoReturn:
        self._write(_CONTROL, self._endings["flood"])
        self._exit(0)

    def begin(self, total: int) -> None:
        self.begun = True
        self._write(_CONTROL, f"{self._nonce} begin {total}\n".encode())

    def done(self, count: int) -> None:
        self._streams[0].flush()
        self._write(_CONTROL, f"{self._nonce} done {count}\n".encode())

    def say(self, message: str) -> None:
        self._streams[1].write(message + "\n")

    def end(self, ending: str) -> None:
        for stream in self._streams:
            try:
                stream.flush()
            except BaseException:  # the program broke its own stream, and has lost that output
                continue
        self._write(_CONTROL, self._endings[ending])


def _ending(job: Job, report: _Reporter) -> str:
    """Parse, check and run the program; return the word for how it ended."""
    try:
        if job.gate:
            gate.check_source(job.code)
        tree = ast.parse(job.code)
        report.begin(len(tree.body))
        compiled = _compiled(job, tree)
    except gate.Refused as refused:
        report.say(f"blocked: {refused}")
        return "blocked"
    except program.PARSE_ERRORS as error:
        return _syntax(job, report, error)
    return _execute(compiled, _namespace(job, report), job.code, report)


def _compiled(job: Job, tree: ast.Module) -> CodeType:
    if job.gate:
        gate.check(tree)
    program.add_ticks(tree)
    if job.gate:  # after the ticks: one import statement may become several assignments
        tree = modules.ImportRewriter().visit(tree)
    return compile(tree, program.FILENAME, "exec", dont_inherit=True)


def _syntax(job: Job, report: _Reporter, error: BaseException) -> str:
    if not report.begun:
        report.begin(program.longest_prefix(job.code, error))
    report.say(_describe(error, job.code))
    return "syntax"


def _namespace(job: Job, report: _Reporter) -> dict[str, Any]:
    """Return the globals of the program: tables, pd, np, and what its tree was rewritten to use."""
    module = ModuleType("__main__")
    sys.modules["__main__"] = module  # where dataclasses and the like look a class's module up
    names = vars(module)
    names["__builtins__"] = _BUILTINS if job.gate else builtins
    names.update(pd=pd, np=np)
    names.update(job.frames)
    names[program.TICK] = report.done
    names[modules.LOAD] = modules.load
    if job.gate:
        _check_expressions()
    return names


def _check_expressions() -> None:
    """Check each `query` and `eval` text when pandas takes it, also one built at run time.

    Wrapping `pandas.eval` itself would add a frame, and `@name` looks names up by frames.
    """
    convert: Callable[[object], str] = pandas_eval._convert_expression

    def checked(expression: object) -> str:
        text = convert(expression)
        gate.check_expression(text)
        return text

    pandas_eval._convert_expression = checked


def _execute(compiled: CodeType, names: dict[str, Any], code: str, report: _Reporter) -> str:
    try:
        exec(compiled, names)
    except gate.Refused as refused:
        report.say(f"blocked: {refused}")
        return "blocked"
    except BaseException as error:
        names.clear()  # so that there is memory for the message
        report.say(_describe(error, code))
        return "memory" if isinstance(error, MemoryError) else "error"
    return "ok"


def _describe(error: BaseException, code: str) -> str:
    """Return the program's lines that led to `error`, and its type and message."""
    source = code.split("\n")
    numbers = [
        number
        for frame, number in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == program.FILENAME and 0 < number <= len(source)
    ]
    lines = [f"line {n}: {source[n - 1].strip()[:200]}" for n in numbers[-_MESSAGE_FRAMES:]]
    try:
        message = str(error)[:_MESSAGE_CHARACTERS]
    except BaseException:  # the program's own __str__
        message = "(no message)"
    return "\n".join([*lines, f"{type(error).__name__}: {message}"])
