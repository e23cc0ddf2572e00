"""A program as a syntax tree: parsing it, and counting how far its statements come.

One instrumented run gives what a separate run of each prefix would give, several times faster.
The module is compiled as a whole, so line numbers and constants are those of the plain program.
"""

import ast

FILENAME = "<program>"
TICK = " tick"  # no source can spell a name with a space in it
_PREFIX_TRIES = 200  # parses spent on the longest prefix of a broken program

# What `ast.parse` raises on hostile text besides SyntaxError: NUL or lone surrogates, deep nesting.
PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)


def longest_prefix(source: str, error: BaseException) -> int:
    """Return the number of statements in the longest run of first lines that parses.

    A cut-off generation is a good start and a broken last line. The search goes up from the line
    that `error` names, because a later line cannot mend it.
    """
    lines = source.splitlines(keepends=True)
    last = min(getattr(error, "lineno", None) or len(lines), len(lines))
    for count in range(last, max(last - _PREFIX_TRIES, 0), -1):
        try:
            return len(ast.parse("".join(lines[:count])).body)
        except PARSE_ERRORS:
            continue
    return 0


def add_ticks(tree: ast.Module) -> None:
    """Insert, after each top-level statement, a call that reports how many have run.

    A docstring and `from __future__` lines must stay first and together; the tick after the
    next statement counts them.
    """
    body: list[ast.stmt] = []
    for count, statement in enumerate(tree.body, start=1):
        body.append(statement)
        if count == len(tree.body) or not _must_stay_first(tree.body[count]):
            body.append(_tick(count, statement))
    tree.body = body


def _must_stay_first(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _tick(count: int, after: ast.stmt) -> ast.stmt:
    name = ast.Name(TICK, ast.Load())
    call = ast.Expr(ast.Call(name, [ast.Constant(count)], []))
    place = ast.Constant(0, lineno=after.end_lineno or after.lineno, col_offset=0)
    place.end_lineno, place.end_col_offset = place.lineno, 0
    for node in ast.walk(call):
        ast.copy_location(node, place)
    return call
