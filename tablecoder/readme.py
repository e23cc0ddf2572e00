"""The table of README.md is the one of reports/results.md: `python -m tablecoder.readme`.

README.md is written by hand and tracked by git, so it cannot be an output of a DVC stage. This
copies the block between the two markers, and a test says when that was forgotten.
"""

from pathlib import Path

from tablecoder.results import BEGIN, END

RESULTS, README = Path("reports/results.md"), Path("README.md")


def block(path: Path) -> str:
    """Return what stands between the markers of a file; ValueError unless it has them once each."""
    text = path.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"{path} needs {BEGIN} and {END}, once each and in this order")
    return text.split(BEGIN)[1].split(END)[0]


def update(results: Path, readme: Path) -> bool:
    """Put the results' block into the README; return whether that changed it."""
    old, new = block(readme), block(results)
    text = readme.read_text(encoding="utf-8")
    if old == new:
        return False
    changed = text.replace(BEGIN + old + END, BEGIN + new + END)
    readme.write_text(changed, encoding="utf-8", newline="\n")
    return True


def main() -> None:
    changed = update(RESULTS, README)
    print(f"{README}: {'updated' if changed else 'is up to date'}")


if __name__ == "__main__":
    main()
