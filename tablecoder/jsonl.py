"""JSON Lines files: one JSON object a line, UTF-8, keys in the order they were given."""

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def read(path: str | Path) -> list[dict[str, Any]]:
    """Return the objects in `path`, one for each line that is not blank.

    ValueError names the file and the line that is not a JSON object; a missing file is a
    FileNotFoundError, as with `open`.
    """
    with open(path, encoding="utf-8") as file:
        return [_object(path, n, line) for n, line in enumerate(file, start=1) if line.strip()]


def write(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write `rows` to `path`, all of them or, when anything fails, none.

    The lines go to a hidden file in the same folder that is renamed at the end, so a killed
    stage never leaves half a file under the name that the next stage reads. ValueError for a
    NaN or an infinity, which JSON does not have.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
        os.chmod(name, 0o644)  # mkstemp gives a file that only its owner may read
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _object(path: str | Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {number}: not JSON ({error.msg})") from None
    if not isinstance(row, dict):
        raise ValueError(f"{path}, line {number}: not a JSON object")
    return row
