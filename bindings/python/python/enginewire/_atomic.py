"""Files that are replaced completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, cast

from ._errors import DecodeError

try:
    import fcntl
except ImportError:  # not POSIX
    fcntl = None  # type: ignore[assignment]

#: The extended attributes that are true of the old content only, or that the system gives each file itself.
_OF_CONTENT = {"security.capability", "security.ima", "security.evm"}


class ChangedMeanwhile(OSError):
    """Another program wrote to a file between reading and writing it. Nothing was written."""

    __module__ = "enginewire"


class NotCopied:
    """An object that holds a file, and refuses to be copied: `save` could not tell a copy from the file."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> Any:
        raise TypeError(f"{type(self).__name__} objects are not copied or pickled; save one to another path, and open that")


class Seen:
    """A file as it was when it was read, to notice what others do to it."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self._digest = hashlib.sha256(data).digest()

    def check(self) -> None:
        """Raises `ChangedMeanwhile` if the file is another one now."""
        try:
            now = hashlib.sha256(self.path.read_bytes()).digest()
        except OSError:
            now = None
        if now != self._digest:
            raise ChangedMeanwhile(errno.EBUSY, "another program changed the file meanwhile; nothing was written", str(self.path))


@contextlib.contextmanager
def naming(path: Path | None) -> Generator[None, None, None]:
    """Names the file in a `DecodeError`."""
    try:
        yield
    except DecodeError as error:
        raise named(path, error) from None


def named(path: Path | None, error: DecodeError) -> DecodeError:
    """The same error with the name of the file."""
    return error if path is None else DecodeError(f"{path}: {error.message}", *error.args[1:])


def missing(what: str, like: list[str], problems: list[Any]) -> str:
    """The message about a missing thing, with similar names, or with the reason why a part could not be read."""
    if like:
        return f"{what}; did you mean {' or '.join(map(repr, like))}?"
    return f"{what}; the rest cannot be read: {problems[0]}" if problems else what


def save(what: str, opened: Path | None, path: str | os.PathLike[str] | None, data: bytes, seen: Seen | None) -> bool:
    """Writes a file to `path`, or to the one that was opened and is as it was seen. True unless that is a copy."""
    target = opened if path is None else Path(path)
    if target is None:
        raise ValueError(f"the {what} was not read from a file; name one to save it to")
    names = {True: (".rbxm", ".rbxl"), False: (".rbxmx", ".rbxlx")}
    is_binary = data.startswith(b"<roblox!")
    if data.startswith(b"<roblox") and target.suffix.lower() in names[not is_binary]:
        wanted = " and ".join(names[is_binary])
        raise ValueError(f"{target}: the {what} is not converted; as it is, its name ends in {wanted}")
    is_own = is_same(target, opened)
    replace(target, lambda temporary: temporary.write_bytes(data), seen if is_own else None)
    return is_own or opened is None or target == opened


def source(file: Any) -> tuple[Path | None, Any]:
    """The path, if there is one, and the bytes of a file: of its path, the bytes themselves, or a file opened as binary."""
    if isinstance(file, (str, os.PathLike)):
        path = Path(cast(str, file))
        return path, path.read_bytes()
    return None, file.read() if hasattr(file, "read") else file


def is_same(path: Path, other: Path | None) -> bool:
    """True if both are one file that is there."""
    return other is not None and path.exists() and other.exists() and path.samefile(other)


def replace(path: Path, write: Callable[[Path], object], seen: Seen | None = None) -> None:
    """Has `write` fill a new file beside `path`, which is then renamed to `path`, once it is on the disk.

    A file that is there keeps its mode, its owner and its extended attributes; a link stays a link. A file that is read-only
    or has several names is refused.
    """
    target = Path(os.path.realpath(path))
    old = _replaceable(path, target)
    try:
        descriptor, name = tempfile.mkstemp(prefix=".enginewire-", suffix=".tmp", dir=target.parent)
    except OSError as error:
        # with the name that the user knows
        raise OSError(error.errno, f"no file can be made in its folder: {error.strerror}", str(path)) from None
    os.close(descriptor)
    temporary = Path(name)
    try:
        write(temporary)
        with open(temporary, "rb+") as file:
            _keep(old, target, file.fileno())
            os.fsync(file.fileno())
        with _locked(target):
            if seen is not None:
                seen.check()
            os.replace(temporary, target)
    except BaseException:
        for ending in ("", "-journal", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name + ending)
        raise
    _sync_folder(target.parent)


def check_writable(path: Path) -> None:
    """Raises an `OSError` if a file must not be written to."""
    if not os.stat(path).st_mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only", str(path))


@contextlib.contextmanager
def _locked(path: Path) -> Generator[None, None, None]:
    """While this holds, other runs of this package and of the program `enginewire` wait. The system ends it with the process."""
    if fcntl is None or not path.exists():
        yield
        return
    with open(path, "rb") as file:
        with contextlib.suppress(OSError):  # not every file system has locks
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _replaceable(path: Path, target: Path) -> os.stat_result | None:
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory", str(path))
    if not stat.S_ISREG(old.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    if old.st_nlink > 1:
        raise OSError(errno.EINVAL, f"it has {old.st_nlink} hard links, whose other names would keep the old content", str(path))
    check_writable(target)
    return old


def _keep(old: os.stat_result | None, target: Path, descriptor: int) -> None:
    """Gives the new file the mode, owner and extended attributes of the old one."""
    if os.name != "posix":
        return
    if old is None:
        # what new files of this user have
        mask = os.umask(0o022)
        os.umask(mask)
        os.fchmod(descriptor, 0o666 & ~mask)
        return
    if hasattr(os, "listxattr"):
        _keep_attributes(target, descriptor)
    new = os.fstat(descriptor)
    mode = stat.S_IMODE(old.st_mode)
    kept = {"owner": old.st_uid == new.st_uid, "group": old.st_gid == new.st_gid}
    for what, owner, group in (("owner", old.st_uid, -1), ("group", -1, old.st_gid)):
        if not kept[what]:
            with contextlib.suppress(OSError):
                os.fchown(descriptor, owner, group)
                kept[what] = True
    # what was allowed to the old owner or group is not allowed to another
    if not all(kept.values()):
        mode &= 0o1777
    if not kept["group"]:
        mode = (mode & ~0o070) | ((mode & 0o007) << 3)
    os.fchmod(descriptor, mode)


def _keep_attributes(target: Path, descriptor: int) -> None:
    try:
        names = os.listxattr(target)
    except OSError:
        return  # not every file system has them
    for name in names:
        if name in _OF_CONTENT:
            continue
        try:
            os.setxattr(descriptor, name, os.getxattr(target, name))
        except OSError:
            # those of the system may need rights that few have
            if name.startswith("user.") or name == "system.posix_acl_access":
                raise


def _sync_folder(folder: Path) -> None:
    """So that the rename survives a power failure."""
    if os.name != "posix":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)
