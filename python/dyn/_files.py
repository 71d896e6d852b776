"""Files of one call."""

import contextlib
import os
import secrets
import stat
import tempfile

from dyn import _dyn


class OwnFiles:
    """Files that a call makes for itself: gone at its end, or when a signal ends the process."""

    def __init__(self):
        self._names: dict[str, str] = {}

    def __enter__(self) -> "OwnFiles":
        return self

    def __exit__(self, *_) -> None:
        for path in self._names:
            with contextlib.suppress(OSError):
                os.unlink(path)
            _dyn.keep_on_signal(path)

    def create(self, suffix: str, contents: bytes = b"") -> str:
        """The path of a new file."""
        while True:
            path = os.path.join(tempfile.gettempdir(), f"dyn-{secrets.token_hex(8)}{suffix}")
            # Before there is a file, so that no signal comes between.
            _dyn.remove_on_signal(path)
            try:
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except OSError as error:
                _dyn.keep_on_signal(path)
                if isinstance(error, FileExistsError):
                    continue
                raise
            self._names[path] = "model" + suffix
            with open(descriptor, "wb") as file:
                file.write(contents)
            return path

    def __contains__(self, path: str) -> bool:
        return path in self._names

    def tidy(self, text: str) -> str:
        """A text for people, who did not name these files."""
        for path, name in self._names.items():
            text = text.replace(path, name).replace(os.path.basename(path), name)
        return text


@contextlib.contextmanager
def output_file(path: str | os.PathLike, mode: int = 0o666):
    """A file to write bytes to that appears at `path` complete or not at all.

    A symbolic link stays, and what it points to is replaced; a device or a pipe is written to. OSError, about `path`,
    where that is impossible.
    """
    target = os.path.realpath(os.fsdecode(path))
    try:
        kind = os.stat(path).st_mode
    except FileNotFoundError:
        kind = stat.S_IFREG
    if not stat.S_ISREG(kind):
        with open(os.open(path, os.O_WRONLY | os.O_CLOEXEC), "wb") as file:
            yield file
        return
    temporary = os.path.join(os.path.dirname(target), f".dyn-{secrets.token_hex(6)}.tmp")
    _dyn.remove_on_signal(temporary)
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CLOEXEC | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            yield file
        os.replace(temporary, target)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, os.fsdecode(path)) from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        _dyn.keep_on_signal(temporary)
