"""The check of the source: what honest programs say passes, what reaches out is refused."""

import ast

import pytest

from tablecoder.sandbox import gate

HONEST = [
    "import pandas as pd, numpy as np\nfrom datetime import datetime, timedelta",
    "from __future__ import annotations\nimport collections.abc\nfrom math import *",
    "from pandas.api.types import is_numeric_dtype\nimport numpy.random as rng",
    "df[df['gender'] == 'Male']['os'].value_counts()",
    "df.query('price > @low and `unit price` < 3').eval('a = b * 2')",
    "df.query('name.str.contains(\"a@b\")')",
    "for _, row in df.iterrows():\n    _total = row['x']",
    "print('{:.2f}'.format(x), '{name!r:>{width}}'.format(name=1, width=2), f'{x:,.2f}')",
    "df.apply(lambda r: r.x, axis=1).agg(['sum', 'mean'])",
    "df.groupby('k').agg(total=('open', 'sum')).agg({'load': 'max'})",
    "class Row:\n    def __init__(self, x):\n        super().__init__()\n        self.x = x",
    "print(type(x).__name__, hasattr(x, 'y'))\nif __name__ == '__main__':\n    pass",
    "input = df\nvars = input.sum()\ndef dir(x):\n    return x\nprint(dir(vars))",
    "print(df.to_string(), df.to_csv(None), df.to_json(), df.to_csv(index=False))",
    "pd.to_datetime(df['day'], format='mixed', errors='coerce').dt.strftime('%Y-%m')",
    "df.code.sum() + df.site.sum() + df.test.sum() + df.time.sum() + df.open.sum()",
    "match x:\n    case {'a': 1, **rest}:\n        pass\n    case [1, *others]:\n        pass",
    "p._replace(x=1)._asdict()",
]
HOSTILE = {
    "import os": "module os",
    "import os.path as p": "module os.path",
    "import pandas.io.common": "module pandas.io.common",
    "from importlib import import_module": "module importlib",
    "from . import x": "relative",
    "from numpy import load": ".load",
    "from pandas import *": "star import",
    "from pandas import read_csv": ".read_csv",
    "from operator import attrgetter": ".attrgetter",
    "open('x')": "open",
    "f = getattr": "getattr",
    "@exec\ndef f(): pass": "exec",
    "x.__class__": ".__class__",
    "x.__ｄict__": ".__dict__",
    "ｅｖａｌ('1')": "eval",
    "x._mgr": "._mgr",
    "__import__('os')": "__import__",
    "def f(__builtins__): pass": "__builtins__",
    "f(__x=1)": "__x",
    "try: pass\nexcept E as __e: pass": "__e",
    "match x:\n    case object(__class__=c): pass": ".__class__",
    "match x:\n    case __c: pass": "__c",
    "g.gi_frame.f_back": ".f_back",
    "class A(metaclass=M): pass": "class keywords",
    "class A:\n    def __getattr__(self, n): pass": "__getattr__",
    "def __eq__(a, b): pass": "__eq__",
    "type('X', (), {})": "type",
    "async def f(): pass": "AsyncFunctionDef",
    "try: pass\nexcept* E: pass": "TryStar",
    "'{0.x}'.format(a)": ".format",
    "'{0[x]}'.format(a)": ".format",
    "'{:{0.x}}'.format(a)": ".format",
    "text.format(a)": ".format",
    "text.format_map(a)": ".format_map",
    "df.to_csv('x')": "writing",
    "df.to_csv(path_or_buf=p)": "writing",
    "df.to_json(*a)": "writing",
    "df.to_string(**k)": "writing",
    "df.apply('to_pickle', args=('x',))": ".to_pickle",
    "df.agg({'a': ['sum', 'to_sql']})": ".to_sql",
    "df.pipe('_x')": "._x",
    "pd.read_csv('x')": ".read_csv",
    "pd.io.common.os": ".os",
    "np.test()": ".test",
    "df.query('@pd.io.common.os.x == 0')": ".os",
    "df.eval('x = @pd.__class__')": ".__class__",
    "pd.eval('__import__(\"os\")')": "__import__",
    "pd.Timestamp.now()": ".now",
    "pd.Timestamp('now')": "clock",
    "x = 1\n" * 501: "statements",
    "x = " + "-" * 150 + "1": "nested",
    "x = [" + "1," * 30_000 + "]": "large",
}


@pytest.mark.parametrize("code", HONEST)
def test_honest_programs_pass(code: str) -> None:
    gate.check(ast.parse(code))


@pytest.mark.parametrize("code", HOSTILE)
def test_what_reaches_out_is_refused_with_the_reason(code: str) -> None:
    with pytest.raises(gate.Refused) as refused:
        gate.check(ast.parse(code))
    assert HOSTILE[code] in str(refused.value)


def test_a_long_text_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(gate.Refused, match="characters"):
        gate.check_source("#" * 70_000)


def test_the_reason_names_the_line() -> None:
    with pytest.raises(gate.Refused, match=r"^line 2: \.to_pickle"):
        gate.check(ast.parse("x = 1\ndf.to_pickle('x')"))


def test_an_expression_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(gate.Refused, match="does not parse"):
        gate.check_expression("a ==")
