"""What a run of a program is: its limits, the closed set of endings, and the result."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a program ended. A fault of the sandbox itself is a `SandboxError`, none of these."""

    NO_CODE = "no_code"  # there was nothing to run
    SYNTAX = "syntax"  # it does not parse or compile
    BLOCKED = "blocked"  # it uses something that programs may not use
    ERROR = "error"  # it raised, left early, or crashed
    TIMEOUT = "timeout"  # it used up its CPU time, or sat until the wall limit
    MEMORY = "memory"  # it asked for more memory than its budget
    FLOOD = "flood"  # it printed more than its output cap
    OK = "ok"  # it ran to its end


class SandboxError(Exception):
    """The sandbox itself failed, twice; says nothing about the program."""


@dataclass(frozen=True)
class Limits:
    """What one program may use. Each figure holds for the program alone, not for its worker."""

    cpu_seconds: float  # the limit in use: the same on a busy machine as on an idle one
    wall_seconds: float  # far backstop, for a program that sleeps
    memory_mb: int  # address space beyond what the worker already has
    stdout_kb: int  # output cap, for stdout and for stderr; more is a flood

    def __post_init__(self) -> None:
        for name in ("cpu_seconds", "wall_seconds", "memory_mb", "stdout_kb"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")


DEFAULT_LIMITS = Limits(cpu_seconds=2.0, wall_seconds=10.0, memory_mb=512, stdout_kb=64)


@dataclass(frozen=True)
class Execution:
    """The outcome of one run.

    `done` of `total` top-level statements ran to their end; both survive a kill. `level` names
    the isolation layers that were really on, joined by "+" ("none" where nothing ran).
    """

    status: Status
    stdout: str
    stderr: str
    done: int
    total: int
    cpu_seconds: float
    wall_seconds: float
    level: str


NOTHING_RAN = Execution(Status.NO_CODE, "", "", 0, 0, 0.0, 0.0, "none")
