"""Settings that change how fast a stage runs, never what it writes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Runtime:
    """Section `runtime` of params.yaml."""

    sandbox_workers: int  # programs that run at once
