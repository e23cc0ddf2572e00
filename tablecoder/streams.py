"""Named random streams: every random choice of the pipeline comes from one of these."""

import random


def stream(seed: int, *path: str | int) -> random.Random:
    """Return the random stream named by `path`, e.g. `stream(0, "train", 17, "tables")`.

    Equal names give equal streams on every machine; different names give unrelated ones. Seeds
    and indices are parts of the name and are never added up: with seed + index, the item 1 of
    seed 0 would be the item 0 of seed 1, and neighbouring seeds would share nearly all items.

    ValueError for a text part with a slash, which could make two paths read alike.

    >>> stream(0, "a", 1).random() == stream(0, "a", 1).random()
    True
    >>> stream(0, "a", 1).random() == stream(1, "a", 0).random()
    False
    """
    if any("/" in part for part in path if isinstance(part, str)):
        raise ValueError(f"a part of a stream's name must not contain '/', got {path}")
    # Random hashes a text seed with SHA-512, so it does not depend on PYTHONHASHSEED.
    return random.Random("/".join(map(str, (seed, *path))))
