"""Write into dvc.yaml what each stage's code depends on; `--check` only compares.

    python tools/deps.py            rewrite the .py files and the params of every stage
    python tools/deps.py --check    name what is missing or too much, exit 1 if anything is

DVC sees the files that a stage lists, not those that it imports: a helper that is not listed can
change without anything running again, and one that is listed for nothing trains a model again for
nothing. So a stage's .py deps are the closure of its imports, and its params are the sections that
this code loads.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("stages", "tablecoder")
UNTRACKED = {"runtime"}  # speed, never results


def imported_files(start: Path, root: Path = ROOT) -> set[str]:
    """Return the first-party files that run when `start` is imported, itself included.

    Paths are relative to `root`. An empty `__init__.py` does nothing and is left out.
    """
    found: set[Path] = set()
    queue = [start.resolve()]
    while queue:
        file = queue.pop()
        if file not in found:
            found.add(file)
            queue += _uses(file, root)
    return {str(file.relative_to(root)) for file in found if _has_code(file)}


def loaded_sections(files: set[str], root: Path = ROOT) -> set[str]:
    """Return the sections of params.yaml that the files load, without the untracked ones.

    `params.load("x", …)` loads one, `params.sections()` all. Raises ValueError where a section is
    not written out as text.
    """
    sections = {name for file in files for name in _loads(root / file, root)}
    return sections - UNTRACKED


def stage_module(cmd: str) -> Path:
    """Return the file behind a stage's `cmd`, which has the form `python -m stages.x`."""
    return Path(*cmd.split()[2].split(".")).with_suffix(".py")


def problems(pipeline: dict[str, Any], root: Path = ROOT) -> list[str]:
    """Return one sentence for each dep or params section that is missing or too much."""
    found = []
    for name, stage in pipeline["stages"].items():
        stage = stage.get("do", stage)
        files, sections = _wanted(stage, root)
        listed = {dep for dep in stage.get("deps", []) if dep.endswith(".py")}
        found += _differences(f"{name}: deps", listed, files)
        found += _differences(f"{name}: params", set(stage.get("params", [])), sections)
    return found


def rewrite(path: Path) -> None:
    """Bring the .py deps and the params of every stage in dvc.yaml up to date, in place."""
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = 1000
    pipeline = yaml.load(path)
    for stage in pipeline["stages"].values():
        stage = stage.get("do", stage)
        files, sections = _wanted(stage, path.parent)
        _replace(stage["deps"], [dep for dep in stage["deps"] if dep.endswith(".py")], files)
        _replace(stage["params"], list(stage["params"]), sections)
    yaml.dump(pipeline, path)


def _wanted(stage: dict[str, Any], root: Path) -> tuple[set[str], set[str]]:
    files = imported_files(root / stage_module(stage["cmd"]), root)
    return files, loaded_sections(files, root)


def _replace(entries: list[str], old: list[str], new: set[str]) -> None:
    """Exchange entries in place, one at a time, so that the others keep their comments."""
    for entry in old:
        if entry not in new:
            entries.remove(entry)
    for place, entry in enumerate(sorted(new)):
        if entry not in entries:
            entries.insert(place, entry)


def _differences(where: str, listed: set[str], wanted: set[str]) -> Iterator[str]:
    yield from (f"{where} lacks {item}" for item in sorted(wanted - listed))
    yield from (f"{where} lists {item} for nothing" for item in sorted(listed - wanted))


def _uses(file: Path, root: Path) -> Iterator[Path]:
    for node in _nodes(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _module(alias.name, root)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, file, root)
            yield from _module(base, root)
            for alias in node.names:
                yield from _module(f"{base}.{alias.name}", root)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _started(node.value, file, root)


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk the tree, leaving out what only a type checker reads."""
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")):
            yield child
            yield from _nodes(child)


def _absolute(node: ast.ImportFrom, file: Path, root: Path) -> str:
    if not node.level:
        return node.module or ""
    package = file.relative_to(root).parts[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


def _module(name: str, root: Path) -> Iterator[Path]:
    """Yield the file of a first-party module and those of the packages that it lies in."""
    parts = name.split(".")
    if parts[0] not in PACKAGES:
        return
    for end in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:end])
        for file in (place / "__init__.py", place.with_suffix(".py")):
            if file.is_file():
                yield file


def _started(text: str, file: Path, root: Path) -> Iterator[Path]:
    """Yield the module that a text names: a program that is started with -m or by its path."""
    if text.endswith(".py") and "/" not in text and (file.parent / text).is_file():
        yield file.parent / text
    elif text.startswith(PACKAGES) and root.joinpath(*text.split(".")).with_suffix(".py").is_file():
        yield from _module(text, root)


def _has_code(file: Path) -> bool:
    return file.name != "__init__.py" or bool(file.read_text(encoding="utf-8").strip())


def _loads(file: Path, root: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        call = ast.unparse(node.func)
        if call == "params.sections":
            yield from _sections(root / "params.yaml")
        elif call == "params.load":
            section = node.args[0]
            if not isinstance(section, ast.Constant):
                raise ValueError(f"{file}:{node.lineno}: write out the section of params.load")
            yield str(section.value)


def _sections(path: Path) -> list[str]:
    return re.findall(r"^(\w+):", path.read_text(encoding="utf-8"), re.MULTILINE)


def main() -> None:
    path = ROOT / "dvc.yaml"
    if "--check" not in sys.argv[1:]:
        rewrite(path)
        return
    import yaml

    found = problems(yaml.safe_load(path.read_text(encoding="utf-8")))
    if found:
        raise SystemExit("\n".join(f"dvc.yaml: {line}" for line in found))


if __name__ == "__main__":
    main()
