"""Loads into a worker what programs would otherwise each load for themselves."""

import importlib
import io
import os
import pkgutil
import warnings
import zoneinfo

import numpy as np
import pandas as pd

# Left out: they start things (a window system, a temporary folder) or are no use in a program.
_SKIPPED = ("pandas.tests", "pandas.plotting", "pandas.conftest", "pandas.io.clipboard")
_ZONES: list[zoneinfo.ZoneInfo] = []  # the library itself keeps but a few of them alive


def up() -> None:
    """Import the rest of pandas and use it once. Raises RuntimeError where that left a thread.

    A process with threads must not be forked: a lock that another thread holds stays locked.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _import_all()
        _use()
    if os.path.isdir("/proc/self/task") and len(os.listdir("/proc/self/task")) != 1:
        raise RuntimeError("the worker has more than one thread after loading pandas")


def load_time_zones() -> None:
    """Load every time zone and keep it, for programs that will not be able to read files.

    Both forms of each: pandas reads the transitions from the one that is written in Python.
    """
    in_python = importlib.import_module("zoneinfo._zoneinfo").ZoneInfo
    for name in sorted(zoneinfo.available_timezones()):
        _ZONES.extend((zoneinfo.ZoneInfo(name), in_python(name)))


def _import_all() -> None:
    for module in pkgutil.walk_packages(pd.__path__, "pandas.", onerror=lambda name: None):
        if not module.name.startswith(_SKIPPED):
            try:
                importlib.import_module(module.name)
            except ImportError:  # needs a package that is not here
                continue


def _use() -> None:
    text = "day,name,value\n2024-01-01,a,1\n2024-02-01,b,2\n2024-03-01,,3.5\n"
    frame = pd.read_csv(io.StringIO(text))
    frame["day"] = pd.to_datetime(frame["day"])
    total = frame.merge(frame, on="name").groupby("name")["value_x"].agg(["sum", "mean"])
    pieces = [
        total.sort_values("sum").round(2).to_string(),
        frame.pivot_table(index="name", values="value", aggfunc="sum").to_string(),
        frame["name"].fillna("").str.upper().str.contains("A").sum(),
        frame.set_index("day")["value"].resample("MS").sum().to_dict(),
        frame.query("value > 1").eval("value * 2").tolist(),
        pd.to_datetime(pd.Series(["2024/1/2", "3 Jan 2024"]), format="mixed").dt.strftime("%b"),
        np.linalg.norm(np.random.default_rng(0).normal(size=3)),
    ]
    str(pieces)
