"""How a stage ends when something outside its code is wrong: in one sentence."""

from collections.abc import Callable


class StageError(Exception):
    """Something the user can mend; the message names the thing and the remedy."""


def run(name: str, main: Callable[[], None]) -> None:
    """Run a stage's `main`; turn errors of the user's world into one sentence and exit code 1.

    Errors of the file system (a full disk, a missing file) are among them; what was finished is
    kept, and `dvc repro` goes on from there. Any other exception is a bug and shows its traceback.
    """
    try:
        main()
    except StageError as error:
        raise SystemExit(f"{name}: {error}") from None
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        reason = error.strerror or str(error)
        raise SystemExit(
            f"{name}: {reason}{where}; mend that, then `dvc repro` goes on from what is finished"
        ) from None
    except KeyboardInterrupt:
        raise SystemExit(
            f"{name}: interrupted; `dvc repro` goes on from what is finished"
        ) from None
