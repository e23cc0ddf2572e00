"""Apply a profile to params.yaml, or print it as flags for `dvc exp run`.

    python tools/profile.py tiny                                   change params.yaml in place
    python tools/profile.py cpu                                    back to the committed values
    dvc exp run --queue $(python tools/profile.py --args tiny)     leave params.yaml as it is

A profile is an overlay: it changes keys that params.yaml has, and all profiles change the same,
so that each leads from any other to one state. Comments and the order of the keys stay.
"""

import argparse
import io
import re
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import PlainScalarString

ROOT = Path(__file__).resolve().parent.parent


class ProfileError(ValueError):
    """The profile does not fit; the message is one sentence."""


def names(root: Path = ROOT) -> list[str]:
    """Return the names of the profiles."""
    return sorted(path.stem for path in root.joinpath("profiles").glob("*.yaml"))


def overlay(name: str, root: Path = ROOT) -> dict[str, dict[str, Any]]:
    """Return what a profile changes: section → key → value.

    Raises ProfileError where there is no such profile, or it names a key that params.yaml lacks.
    """
    if name not in names(root):
        raise ProfileError(f"no profile `{name}`; there are {', '.join(names(root))}")
    changes: dict[str, dict[str, Any]] = _yaml().load(root / "profiles" / f"{name}.yaml")
    values = _yaml().load(root / "params.yaml")
    for section, keys in changes.items():
        for key in keys:
            if key not in values.get(section, {}):
                raise ProfileError(f"profiles/{name}.yaml: params.yaml has no {section}.{key}")
    return changes


def applied(text: str, changes: dict[str, dict[str, Any]]) -> str:
    """Return the text of params.yaml with the changes made."""
    values = _yaml().load(text)
    for section, keys in changes.items():
        # As plain text, or ruamel would keep the quotes that the old value had.
        values[section].update(
            {key: PlainScalarString(new) if type(new) is str else new for key, new in keys.items()}
        )
    out = io.StringIO()
    _yaml().dump(values, out)
    return _tidy(out.getvalue())


def flags(changes: dict[str, dict[str, Any]]) -> str:
    """Return the changes as `-S section.key=value …`, without spaces or quotes in a flag."""
    pairs = (
        (f"{section}.{key}", value)
        for section in changes
        for key, value in changes[section].items()
    )
    return " ".join(f"-S {name}={_plain(value)}" for name, value in pairs)


def _yaml() -> YAML:
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1000
    return yaml


def _tidy(text: str) -> str:
    """Give the text the spacing of params.yaml, which a value of another length shifts.

    One space before a comment behind a value, one empty line before a section.
    """
    text = re.sub(r"(?<=\S)[ ]+# ", " # ", text)
    return re.sub(r"\n+(?=\w+:)", "\n\n", text)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return f"[{','.join(map(_plain, value))}]"
    return str(value).replace("=", r"\=")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", help=", ".join(names()))
    parser.add_argument("--args", action="store_true", help="print the flags, change nothing")
    options = parser.parse_args()
    try:
        changes = overlay(options.name)
    except ProfileError as error:
        raise SystemExit(str(error)) from None
    if options.args:
        print(flags(changes))
        return
    path = ROOT / "params.yaml"
    path.write_text(applied(path.read_text(encoding="utf-8"), changes), encoding="utf-8")


if __name__ == "__main__":
    main()
