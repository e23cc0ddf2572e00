"""What travels between parent, worker and program.

Parent and worker exchange messages with a length before them. A program's progress comes through
a pipe of its own as lines of one fixed form that begin with a secret of this run:

    <nonce> begin <total>      <nonce> done <count>      <nonce> end <ok|error|...>

Nothing from that pipe is unpickled or evaluated, and a line of any other form voids the run.
"""

import re
import socket
import struct
from dataclasses import dataclass

MAX_MESSAGE = 256 << 20  # bytes; beyond this a length is taken for garbage
ENDINGS = frozenset({"ok", "error", "memory", "flood", "blocked", "syntax"})
_HEADER = struct.Struct("!Q")
_RECORD = re.compile(rb"([0-9a-f]{32}) (begin|done|end) ([a-z]{1,8}|[0-9]{1,9})")


def send(channel: socket.socket, payload: bytes) -> None:
    """Send one message. Raises OSError (also TimeoutError) where the other side is gone."""
    channel.sendall(_HEADER.pack(len(payload)) + payload)


def receive(channel: socket.socket) -> bytes:
    """Return the next message. Raises EOFError at the end, OSError as `socket.recv` does."""
    (length,) = _HEADER.unpack(_exactly(channel, _HEADER.size))
    if length > MAX_MESSAGE:
        raise OSError(f"a message of {length} bytes")
    return _exactly(channel, length)


def _exactly(channel: socket.socket, size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = channel.recv(min(size, 1 << 20))
        if not part:
            raise EOFError("the other side is gone")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


@dataclass(frozen=True)
class Progress:
    """How far a program came, by its control pipe; `end` is None where it never reached one."""

    total: int = 0
    done: int = 0
    end: str | None = None
    tampered: bool = False


TAMPERED = Progress(tampered=True)


def read_records(data: bytes, nonce: str) -> Progress:
    """Return the progress that the control stream tells.

    A last line without a newline was cut by a kill and is left out. Anything else that the
    harness would not write (another nonce, wrong order, a count that goes back, a second end)
    makes the whole stream worthless.

    >>> read_records(b"0" * 32 + b" begin 2\\n" + b"0" * 32 + b" done 1\\n", "0" * 32).done
    1
    """
    total, done, end = -1, 0, None
    for line in data.split(b"\n")[:-1]:
        match = _RECORD.fullmatch(line)
        if match is None or match[1].decode() != nonce or end is not None:
            return TAMPERED
        kind, value = match[2], match[3].decode()
        if kind == b"end":
            if value not in ENDINGS or total < 0:
                return TAMPERED
            end = value
        elif not value.isdigit():
            return TAMPERED
        elif kind == b"begin" and total < 0:
            total = int(value)
        elif kind == b"done" and done < int(value) <= total:
            done = int(value)
        else:
            return TAMPERED
    if end == "ok" and done != total:
        return TAMPERED
    return Progress(max(total, 0), done, end)
