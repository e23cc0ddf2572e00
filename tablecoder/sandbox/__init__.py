"""Runs a program that a model wrote, over tables, in a process that can harm nothing.

`run_code(code, tables)` gives an `Execution`; `run_many` runs a batch. The only place in the
project that starts a process for a program.
"""

from tablecoder.sandbox.execution import DEFAULT_LIMITS, Execution, Limits, SandboxError, Status
from tablecoder.sandbox.pool import run_code, run_many, shutdown

__all__ = [
    "DEFAULT_LIMITS",
    "Execution",
    "Limits",
    "SandboxError",
    "Status",
    "run_code",
    "run_many",
    "shutdown",
]
