"""Locks that a program's process puts on itself, by ctypes: Landlock, seccomp, resource limits.

None needs root, namespaces or a package. Which of them hold is measured by doing: a throw-away
process puts them on and tries what must fail. A layer that the kernel lacks is left out of
`Isolation.level`, never claimed; a layer that was measured and then cannot be put on is a fault.

Sources: landlock(7), seccomp(2), linux/landlock.h, linux/filter.h.
"""

import ctypes
import errno
import fcntl
import os
import platform
import resource
import signal
import socket
import struct
import sys
import sysconfig
import zoneinfo
from collections.abc import Callable, Iterable

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_PR_SET_CHILD_SUBREAPER = 36
_SECCOMP_MODE_FILTER = 2
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # equal on every architecture
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_MAX_DESCRIPTORS = 64
_LINUX = sys.platform == "linux"

# What a computation needs on x86_64. Everything else (sockets, processes, signals to others,
# writing names into the file system) answers EPERM; a kill would turn one forgotten call into a
# random crash.
_COMPUTE = (
    "read=0 write=1 close=3 fstat=5 poll=7 lseek=8 mmap=9 mprotect=10 munmap=11 brk=12 "
    "rt_sigaction=13 rt_sigprocmask=14 rt_sigreturn=15 pread64=17 readv=19 writev=20 select=23 "
    "sched_yield=24 mremap=25 madvise=28 nanosleep=35 getpid=39 exit=60 uname=63 gettimeofday=96 "
    "getrlimit=97 getrusage=98 sysinfo=99 times=100 getuid=102 getgid=104 geteuid=107 getegid=108 "
    "getppid=110 sigaltstack=131 gettid=186 time=201 futex=202 sched_getaffinity=204 "
    "restart_syscall=219 clock_gettime=228 clock_getres=229 clock_nanosleep=230 exit_group=231 "
    "getrandom=318 rseq=334 close_range=436"
)
# Only where Landlock decides which files may be read: late imports and time zones need these.
_FILES = (
    "open=2 stat=4 lstat=6 access=21 getcwd=79 readlink=89 getdents64=217 fadvise64=221 "
    "openat=257 newfstatat=262 readlinkat=267 faccessat=269 statx=332 faccessat2=439"
)
_CLONE3 = 435
_AUDIT_ARCH_X86_64 = 0xC000003E


class SetupError(Exception):
    """A layer that holds on this machine could not be put on."""


class Isolation:
    """The layers of this machine. Made once in a worker; `enter` is called in each run's child."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._ruleset: int | None = None
        self._filter: ctypes.Array[ctypes.c_char] | None = None
        # One at a time, so that a layer which fails does not hide another.
        if _LINUX:
            self._ruleset = self._landlock_ruleset()
            if not self._holds(self._try_files):
                self._ruleset = None
        if _LINUX and platform.machine() == "x86_64":
            self._filter = _seccomp_program(self._ruleset is not None)
            if not self._holds(self._try_calls):
                self._filter = None

    @property
    def level(self) -> str:
        """The layers that hold, joined by "+", strongest first."""
        landlock = ["landlock"] if self._ruleset is not None else []
        seccomp = ["seccomp"] if self._filter is not None else []
        return "+".join([*landlock, *seccomp, "rlimits"])

    def enter(self) -> None:
        """Put the layers on the calling process, for good. Raises SetupError."""
        if not _LINUX:
            return
        self._prctl(_PR_SET_NO_NEW_PRIVS, 1)
        self._prctl(_PR_SET_DUMPABLE, 0)
        if self._ruleset is not None:
            self._check(self._libc.syscall(_LANDLOCK_RESTRICT, self._ruleset, 0), "landlock")
        if self._filter is not None:
            program = _fprog(self._filter)  # held by a name: the kernel reads it by its address
            self._prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(program))

    def die_with_parent(self, parent: int) -> None:
        """Let the kernel kill this process when `parent`, its maker, ends."""
        if _LINUX:
            self._prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before the call above
            os._exit(1)

    def adopt_orphans(self) -> None:
        """Become the parent of every process that a program leaves behind."""
        if _LINUX:
            self._prctl(_PR_SET_CHILD_SUBREAPER, 1)

    def _prctl(self, option: int, value: int, pointer: int = 0) -> None:
        arguments = [ctypes.c_ulong(item) for item in (value, pointer, 0, 0)]
        self._check(self._libc.prctl(option, *arguments), f"prctl {option}")

    def _check(self, result: int, what: str) -> None:
        if result < 0:
            raise SetupError(f"{what}: {os.strerror(ctypes.get_errno())}")

    def _landlock_ruleset(self) -> int | None:
        """Return a ruleset that allows nothing but to read Python's own files and time zones."""
        abi = self._libc.syscall(_LANDLOCK_CREATE, None, 0, 1)
        if abi < 1:
            return None
        rights = (1 << (13 + (abi >= 2) + (abi >= 3) + (abi >= 5))) - 1
        network, scopes = (3 if abi >= 4 else 0), (3 if abi >= 6 else 0)
        attributes = struct.pack("QQQ", rights, network, scopes)
        size = 8 if abi < 4 else 16 if abi < 6 else 24
        ruleset = self._libc.syscall(_LANDLOCK_CREATE, attributes, size, 0)
        if ruleset < 0:
            return None
        for path in _readable():
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rule = struct.pack("=Qi", _READ_FILE | _READ_DIR, handle)
            self._libc.syscall(_LANDLOCK_ADD, ruleset, 1, rule, 0)
            os.close(handle)
        # Out of the way of the low descriptors, which a program's process gives new meanings.
        moved = fcntl.fcntl(ruleset, fcntl.F_DUPFD_CLOEXEC, 100)
        os.close(ruleset)
        return moved

    def _holds(self, attempt: Callable[[], bool]) -> bool:
        """Whether `attempt` succeeds in a process that has put the layers on."""
        child = os.fork()
        if child == 0:
            refused = False
            try:
                self.enter()
                refused = attempt()
            finally:
                os._exit(0 if refused else 1)
        return os.waitpid(child, 0)[1] == 0

    def _try_files(self) -> bool:
        return self._ruleset is not None and _refused(lambda: os.listdir("/"))

    def _try_calls(self) -> bool:
        return (
            self._filter is not None
            and _refused(socket.socket)
            and _refused(os.fork)
            and _refused(lambda: os.kill(os.getppid(), 0))
        )


def limit_resources(memory: int, cpu_seconds: float) -> None:
    """Set the kernel's own limits: `memory` bytes beyond what is mapped now, no file, no core."""
    mapped = _mapped_bytes()
    if mapped:  # elsewhere than on Linux the limit is not kept, or refused
        resource.setrlimit(resource.RLIMIT_AS, (mapped + memory, mapped + memory))
    seconds = int(cpu_seconds) + 2  # behind the worker, which reads the clock more finely
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MAX_DESCRIPTORS, _MAX_DESCRIPTORS))


def _mapped_bytes() -> int:
    # By plain calls: each page of Python's that a forked process touches is copied for it.
    try:
        handle = os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return 0
    pages = int(os.read(handle, 100).split()[0])
    os.close(handle)
    return pages * resource.getpagesize()


def _refused(action: Callable[[], object]) -> bool:
    try:
        action()
    except OSError as error:
        return error.errno in (errno.EPERM, errno.EACCES)
    return False


def _readable() -> Iterable[str]:
    """Folders that late imports and time zones are read from."""
    paths = sysconfig.get_paths()
    names = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    return sorted({path for path in [*names, *zoneinfo.TZPATH] if os.path.isdir(path)})


def _seccomp_program(files: bool) -> "ctypes.Array[ctypes.c_char]":
    """Return the filter as classic BPF: the allowed calls, clone3 as unknown, the rest EPERM."""
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    allow, refuse, unknown = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
    steps = [
        (load, 0, 0, 4),  # the architecture
        (equal, 1, 0, _AUDIT_ARCH_X86_64),
        (answer, 0, 0, refuse),
        (load, 0, 0, 0),  # the number of the call
        (at_least, 0, 1, 0x40000000),  # the x32 calls
        (answer, 0, 0, refuse),
        (equal, 0, 1, _CLONE3),  # so that the C library falls back to clone, which is refused
        (answer, 0, 0, unknown),
    ]
    for entry in (_COMPUTE + " " + _FILES if files else _COMPUTE).split():
        steps += [(equal, 0, 1, int(entry.partition("=")[2])), (answer, 0, 0, allow)]
    steps.append((answer, 0, 0, refuse))
    packed = b"".join(struct.pack("HBBI", *step) for step in steps)
    return ctypes.create_string_buffer(packed, len(packed))


def _fprog(program: "ctypes.Array[ctypes.c_char]") -> "ctypes.Array[ctypes.c_char]":
    packed = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(program))
    return ctypes.create_string_buffer(packed, len(packed))
