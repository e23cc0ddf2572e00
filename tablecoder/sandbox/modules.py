"""What a program finds around it: the modules it may import, and its builtins.

Modules of the standard library are handed out as facades, which hold the public names and none
of the modules that they themselves import: `json.codecs.open` opens files. Imports are rewritten
in the syntax tree. A hook in `__import__` would also catch the imports that C code makes on
behalf of the program (`datetime.strptime` imports `_strptime`).
"""

import ast
import builtins
import importlib
from types import ModuleType
from typing import Any

LOAD = " load"  # no source can spell it


def words(text: str) -> frozenset[str]:
    """Return the set of the words in `text`."""
    return frozenset(text.split())


FACADES = words(
    "abc bisect calendar cmath collections collections.abc copy dataclasses datetime dateutil "
    "dateutil.parser dateutil.relativedelta decimal enum fractions functools heapq itertools json "
    "math numbers operator random re statistics string textwrap typing unicodedata warnings"
)
LIBRARIES = words("numpy numpy.linalg numpy.random pandas pandas.api.types pandas.tseries.offsets")
ALLOWED = FACADES | LIBRARIES | {"__future__"}

# Public names that reach attributes or evaluate text by another way, or that read files.
_WITHHELD = {
    "functools": {"singledispatch", "singledispatchmethod"},
    "operator": {"attrgetter", "methodcaller"},
    "random": {"SystemRandom"},
    "string": {"Formatter"},
    "typing": {"get_type_hints", "ForwardRef"},
    "warnings": {"warn_explicit", "showwarning", "formatwarning"},
}
HIDDEN_BUILTINS = words(
    "open eval exec compile globals locals vars dir input getattr setattr delattr breakpoint help "
    "exit quit copyright credits license memoryview"
)


def program_builtins() -> dict[str, Any]:
    """Return the builtins of a program. Names with underscores stay: only C code can spell them."""
    return {name: item for name, item in vars(builtins).items() if name not in HIDDEN_BUILTINS}


def load(name: str, attribute: str | None = None) -> Any:
    """Return the module `name`, or what `from name import attribute` would bind."""
    module = _FACADE_CACHE[name] if name in FACADES else importlib.import_module(name)
    if attribute is None:
        return module
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise ImportError(f"cannot import name {attribute!r} from {name!r}") from None


class ImportRewriter(ast.NodeTransformer):
    """Turns each import statement into assignments from `load`."""

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        return [self._bind(node, *self._plain(alias)) for alias in node.names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | list[ast.stmt]:
        if node.module == "__future__" or node.module is None:
            return node
        names = [(alias.asname or alias.name, alias.name) for alias in node.names]
        if names == [("*", "*")]:
            names = [(name, name) for name in public_names(load(node.module))]
        return [self._bind(node, bound, node.module, name) for bound, name in names]

    def _plain(self, alias: ast.alias) -> tuple[str, str]:
        """`import a.b` binds a, `import a.b as c` binds the module a.b."""
        if alias.asname:
            return alias.asname, alias.name
        root = alias.name.partition(".")[0]
        return root, root

    def _bind(self, node: ast.stmt, bound: str, *arguments: str) -> ast.stmt:
        call = ast.Call(ast.Name(LOAD, ast.Load()), [ast.Constant(a) for a in arguments], [])
        statement = ast.Assign([ast.Name(bound, ast.Store())], call)
        for part in ast.walk(statement):
            ast.copy_location(part, node)
        return statement


def public_names(module: ModuleType) -> list[str]:
    """Return the names that a star import of `module` binds."""
    listed = getattr(module, "__all__", None)
    names = listed if listed is not None else vars(module)
    return sorted(name for name in names if not name.startswith("_"))


def _facade(name: str) -> ModuleType:
    real = importlib.import_module(name)
    facade = ModuleType(name)
    for attribute in public_names(real):
        item = getattr(real, attribute)
        if attribute not in _WITHHELD.get(name, ()) and not isinstance(item, ModuleType):
            setattr(facade, attribute, item)
    return facade


def _facades() -> dict[str, ModuleType]:
    made = {name: _facade(name) for name in sorted(FACADES)}
    for name, facade in made.items():
        root, dot, leaf = name.rpartition(".")
        if dot:
            setattr(made[root], leaf, facade)
    return made


_FACADE_CACHE = _facades()
