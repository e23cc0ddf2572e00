"""The first refusal: what a program may not say, told from its syntax tree.

This is no security boundary (every gate of this kind was broken again); the process isolation
is. It refuses early and with a reason, keeps honest programs honest, and is what is left on a
machine without Landlock and seccomp. The tree is checked, never the text: Python folds full-width
letters into plain ones, so that a name is not always what it looks like.
"""

import ast
import re
import string
from collections.abc import Iterator

from tablecoder.sandbox import modules
from tablecoder.sandbox.modules import words

MAX_CHARACTERS, MAX_NODES, MAX_DEPTH, MAX_STATEMENTS = 64 * 1024, 20_000, 100, 500

_INTROSPECTION = (
    "gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await cr_origin ag_frame ag_code ag_await "
    "f_back f_globals f_locals f_builtins f_code f_trace tb_frame tb_next tb_lasti co_code "
    "func_globals func_code mro attrgetter methodcaller get_type_hints format_map"
)
_MODULE_NAMES = (
    "os sys builtins ctypes ctypeslib subprocess importlib io core compat codecs inspect gc shutil "
    "pickle socket f2py testing npyio posix nt pathlib tempfile urllib runpy pkgutil"
)
_FILES = (
    "load save savez savez_compressed savetxt loadtxt genfromtxt fromfile tofile fromregex "
    "memmap open_memmap DataSource dump runstring ExcelWriter ExcelFile HDFStore "
    "to_pickle to_sql to_excel to_parquet to_feather to_hdf to_stata to_orc to_gbq to_clipboard "
    "to_xml to_iceberg show_versions"
)
_CLOCK = "now today utcnow"
_ATTRIBUTES = words(f"{_INTROSPECTION} {_MODULE_NAMES} {_FILES} {_CLOCK}")
_UNDERSCORE_ATTRIBUTES = frozenset({"__name__", "__init__", "_asdict", "_replace", "_fields"})
# Fine as text, refused with a path.
_TEXT_WRITERS = words("to_csv to_json to_string to_html to_latex to_markdown")
_TAKE_METHOD_NAMES = words("apply agg aggregate transform map applymap pipe")
_CLOCK_READERS = frozenset({"Timestamp", "to_datetime", "datetime64", "DatetimeIndex", "Period"})
_METHODS = words(
    "__init__ __repr__ __str__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __len__ __iter__ "
    "__next__ __getitem__ __setitem__ __delitem__ __contains__ __call__ __add__ __sub__ __mul__ "
    "__truediv__ __floordiv__ __mod__ __pow__ __neg__ __pos__ __abs__ __radd__ __rsub__ __rmul__ "
    "__rtruediv__ __iadd__ __isub__ __imul__ __enter__ __exit__ __bool__ __int__ __float__ "
    "__round__ __post_init__ __index__ __reversed__"
)


class Refused(Exception):
    """The program says something that programs may not say. The message names line and reason."""


def check_source(source: str) -> None:
    """Refuse, before it is parsed, a text that would take long to parse."""
    if len(source) > MAX_CHARACTERS:
        raise Refused(f"more than {MAX_CHARACTERS} characters")


def check(tree: ast.Module) -> None:
    """Refuse, by raising Refused, a program that is too large or uses what it may not."""
    _check_size(tree)
    bound = _bound_names(tree)
    methods = {
        id(item)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for item in node.body
        if isinstance(item, ast.FunctionDef)
    }
    for node in ast.walk(tree):
        reason = _reason(node, bound, id(node) in methods)
        if reason:
            raise Refused(f"line {getattr(node, 'lineno', 1)}: {reason}")


def check_expression(text: str) -> None:
    """Refuse the text of a `query` or `eval` that reaches what a program may not.

    pandas runs such text with attribute access and calls, and `@name` for the program's names.
    """
    plain = re.sub(r"`[^`\n]*`", "column", text).replace("@", "")
    try:
        tree = ast.parse(plain.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Refused("an expression that does not parse") from None
    for node in ast.walk(tree):
        reason = _reason(node, frozenset(), False)
        if reason:
            raise Refused(f"in an expression: {reason}")


def _check_size(tree: ast.Module) -> None:
    if len(tree.body) > MAX_STATEMENTS:
        raise Refused(f"more than {MAX_STATEMENTS} statements")
    count, depth = 0, 0
    nodes: list[ast.AST] = [tree]
    while nodes:
        count, depth = count + len(nodes), depth + 1
        if count > MAX_NODES or depth > MAX_DEPTH:
            raise Refused("too large or too deeply nested")
        nodes = [child for node in nodes for child in ast.iter_child_nodes(node)]


def _bound_names(tree: ast.Module) -> frozenset[str]:
    """Names that the program itself gives a meaning, so that they are not the builtins."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
    return frozenset(names)


def _reason(node: ast.AST, bound: frozenset[str], is_method: bool) -> str | None:
    """Return why `node` is refused, or None."""
    match node:
        case ast.Attribute(attr=name):
            return _attribute_reason(name) or _format_reason(node)
        case ast.Name(id=name, ctx=ast.Load()) if name in modules.HIDDEN_BUILTINS - bound:
            return f"{name} is not available"
        case ast.Import(names=aliases):
            return _first(_import_reason(alias.name) for alias in aliases) or _first(
                _name_reason(alias.asname) for alias in aliases
            )
        case ast.ImportFrom():
            return _import_from_reason(node)
        case ast.Call():
            return _call_reason(node)
        case ast.MatchClass(kwd_attrs=names):
            return _first(_attribute_reason(name) for name in names)
        case ast.ClassDef(keywords=[_, *_]):
            return "class keywords are not available"
        case ast.FunctionDef(name=name) if is_method and name in _METHODS:
            return None
        case (
            ast.AsyncFunctionDef() | ast.AsyncFor() | ast.AsyncWith() | ast.Await() | ast.TryStar()
        ):
            return f"{type(node).__name__} is not available"
    return _first(_name_reason(name) for name in _identifiers(node))


def _first(reasons: Iterator[str | None]) -> str | None:
    return next((reason for reason in reasons if reason), None)


def _identifiers(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node carries as plain text."""
    for field, value in ast.iter_fields(node):
        if isinstance(node, ast.Constant) or field == "type_comment":
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield item


def _name_reason(name: str | None) -> str | None:
    if name and name.startswith("__") and name != "__name__":
        return f"the name {name} is not available"
    return None


def _attribute_reason(name: str) -> str | None:
    hidden = name.startswith("_") and name not in _UNDERSCORE_ATTRIBUTES
    # `read_` is how pandas names each of its readers.
    if hidden or name in _ATTRIBUTES or name.startswith("read_"):
        return f".{name} is not available"
    return None


def _import_reason(module: str) -> str | None:
    return None if module in modules.ALLOWED else f"the module {module} is not available"


def _import_from_reason(node: ast.ImportFrom) -> str | None:
    if node.level or node.module is None:
        return "relative imports are not available"
    if node.module == "__future__":
        return None
    reason = _import_reason(node.module)
    if reason:
        return reason
    for alias in node.names:
        if f"{node.module}.{alias.name}" in modules.ALLOWED:
            continue
        if alias.name == "*" and node.module in modules.LIBRARIES:
            return "a star import of a library is not available"
        reason = _attribute_reason(alias.name) or _name_reason(alias.asname)
        if reason:
            return reason
    return None


def _call_reason(node: ast.Call) -> str | None:
    callee = node.func
    name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
    strings = [item for item in _strings(node) if isinstance(item, str)]
    if isinstance(callee, ast.Name) and name == "type" and (len(node.args) != 1 or node.keywords):
        return "type makes no classes here"
    if isinstance(callee, ast.Attribute) and name == "test" and isinstance(callee.value, ast.Name):
        return ".test is not available" if callee.value.id in ("pd", "np") else None
    if name in _TEXT_WRITERS:
        return _writer_reason(node)
    if name in _TAKE_METHOD_NAMES:
        return _first(_attribute_reason(text) for text in strings)
    if name in _CLOCK_READERS and {"now", "today"} & {text.strip().lower() for text in strings}:
        return "the clock is not available"
    if name in ("query", "eval") and node.args and isinstance(node.args[0], ast.Constant):
        return _expression_reason(node.args[0].value)
    return None


def _strings(node: ast.Call) -> Iterator[object]:
    """Yield the literal texts among the arguments that pandas may take for method names."""
    pending: list[ast.expr | None] = [*node.args, *(keyword.value for keyword in node.keywords)]
    while pending:
        item = pending.pop()
        if isinstance(item, ast.Constant):
            yield item.value
        elif isinstance(item, ast.List | ast.Set):
            pending += item.elts
        elif isinstance(item, ast.Tuple):  # total=("column", "method")
            pending += item.elts[1:]
        elif isinstance(item, ast.Dict):  # {"column": "method"}
            pending += item.values


def _writer_reason(node: ast.Call) -> str | None:
    paths = [*node.args, *(k.value for k in node.keywords if k.arg in (None, "path_or_buf", "buf"))]
    if any(not (isinstance(path, ast.Constant) and path.value is None) for path in paths):
        return "writing files is not available"
    return None


def _expression_reason(text: object) -> str | None:
    try:
        check_expression(str(text))
    except Refused as refused:
        return str(refused)
    return None


def _format_reason(node: ast.Attribute) -> str | None:
    """`"{0.__class__}".format(x)` walks attributes: only a literal without such fields passes."""
    if node.attr != "format":
        return None
    text = node.value.value if isinstance(node.value, ast.Constant) else None
    if not isinstance(text, str) or not all(re.fullmatch(r"\w*", f) for f in _fields(text)):
        return ".format is only available on a literal with plain fields"
    return None


def _fields(text: str) -> Iterator[str]:
    try:
        for _, field, specification, _ in string.Formatter().parse(text):
            if field is not None:
                yield field
                yield from _fields(specification or "")
    except ValueError:  # the program will meet the same error
        return
