"""The values of params.yaml, read section by section into frozen dataclasses.

A value is written once, in params.yaml: the dataclasses have no defaults, and a key that is
missing, unknown or of the wrong type is refused by its name. The file is read as DVC reads it
(YAML 1.2), not as PyYAML does by itself: `dvc exp run -S sft.learning_rate=1e-5` writes `1e-05`,
which PyYAML takes for text, and `-S reward.gate=off` writes `off`, which it takes for a boolean.
"""

import dataclasses
import difflib
import re
import typing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")

PATH = Path("params.yaml")

_NAMES = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list[str]: "a list of texts",
    list[int]: "a list of whole numbers",
    list[float]: "a list of numbers",
}


class ParamsError(ValueError):
    """The file cannot be used; the message is one sentence that names the key."""


def load(section: str, cls: type[T]) -> T:
    """Return a section of ./params.yaml as a `cls`, or end the process with one sentence (code 1).

    This is what a stage calls, so that a slip in the file reaches the user as a sentence and not as
    a traceback. Code that wants the error as an exception calls `read`.
    """
    try:
        return read(section, cls)
    except ParamsError as error:
        raise SystemExit(str(error)) from None


def read(section: str, cls: type[T], path: Path = PATH) -> T:
    """Return a section of the file as a `cls`, a dataclass whose fields are exactly its keys.

    Raises ParamsError where the file, the section or a key is not as `cls` says.
    """
    values = sections(path)
    if section not in values:
        raise ParamsError(f"{path.name}: section `{section}` is missing{_hint(section, values)}")
    if not isinstance(values[section], dict):
        raise ParamsError(f"{path.name}: section `{section}` must hold keys and values")
    return _build(f"{path.name}: {section}", values[section], cls)


def sections(path: Path = PATH) -> dict[str, Any]:
    """Return the whole file, unchecked: section → key → value."""
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except FileNotFoundError:
        raise ParamsError(f"{path}: no such file; run from the root of the project") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ParamsError(f"{path}: cannot be read: {error}") from None
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise ParamsError(f"{path.name}: is not YAML: {reason}") from None
    if not isinstance(content, dict):
        raise ParamsError(f"{path.name}: has no sections")
    return content


def _build(where: str, values: dict[str, Any], cls: type[T]) -> T:
    types = typing.get_type_hints(cls)
    names = [field.name for field in dataclasses.fields(cls)]
    for key in values:
        if key not in names:
            raise ParamsError(f"{where}.{key}: unknown key{_hint(key, names)}")
    for name in names:
        if name not in values:
            raise ParamsError(f"{where}.{name}: missing ({_NAMES[types[name]]})")
    return cls(**{name: _typed(f"{where}.{name}", values[name], types[name]) for name in names})


def _typed(where: str, value: Any, kind: Any) -> Any:
    if _is(value, kind):
        return value
    if kind is float and _is(value, int):  # `1` and `1.0` are the same number to who writes them
        return float(value)
    if kind == list[float] and isinstance(value, list):
        return [_typed(f"{where}[{place}]", item, float) for place, item in enumerate(value)]
    raise ParamsError(f"{where}: {value!r} is {_what(value)}, not {_NAMES[kind]}")


def _is(value: Any, kind: Any) -> bool:
    if typing.get_origin(kind) is list:
        (item,) = typing.get_args(kind)
        return isinstance(value, list) and all(_is(each, item) for each in value)
    return type(value) is kind  # not isinstance: True is an int to Python, never to a reader


def _what(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, dict):
        return "a section"
    return "a list" if isinstance(value, list) else _NAMES[type(value)]


def _hint(name: Any, known: typing.Iterable[str]) -> str:
    close = difflib.get_close_matches(str(name), list(map(str, known)), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


class _Loader(yaml.SafeLoader):
    """YAML 1.2 scalars: no `off` as a boolean, no dates, no base 60; `1e-05` is a number."""

    yaml_implicit_resolvers: typing.ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}


for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(0|[1-9][0-9]*)", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+.0123456789")),
):
    _regex = re.compile(f"^(?:{_pattern})$")
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", _regex, _first)
