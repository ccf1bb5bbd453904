"""`-`: standard input and standard output where a command takes a file.

What comes in is kept in a private temporary file and read from there, as any file is; what goes out is written to such a file, whole, and
copied when the command has ended well. So each command, each kind of table and each check works as it does with files.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from cyclopts import CycloptsError

from ..errors import InputError

_IN, _OUT = ("-", "./-", "/dev/stdin"), ("-", "/dev/stdout")
_BEGINNINGS = ((b"PAR1", ".parquet"), (b"PK\x03\x04", ".xlsx"), (b"[", ".json"), (b"{", ".jsonl"), (b"", ".csv"))
"""How a file begins -> its suffix; what is separated by tabs or semicolons is a CSV, too."""


class Streams:
    """The files that stand for standard input and output while one command runs, and for pipes that it is given by path."""

    def __init__(self) -> None:
        self.output: Path | None = None
        """What standard output gets in the end."""
        self._read: list[str] = []

    @cached_property
    def _folder(self) -> Path:
        return Path(tempfile.mkdtemp(prefix="dxmatch-"))

    def read(self, given: str) -> str:
        """`given`, or the file that holds what came by standard input or a pipe. Errors: `InputError` where nothing came."""
        if given not in _IN and not Path(given).is_fifo():
            return given
        called = "standard input" if given in _IN else f"pipe {Path(given).name}"
        if called in self._read:
            raise CycloptsError(msg=f"{called} can be read once, and is given twice")
        self._read.append(called)
        came = sys.stdin.buffer.read() if given in _IN else Path(given).read_bytes()
        if not came.strip():
            raise InputError("nothing came", source=called, allowed="a table with a header")
        line = came.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0].rstrip()
        suffix = next(suffix for beginning, suffix in _BEGINNINGS if line.startswith(beginning))
        if suffix == ".jsonl" and not line.endswith(b"}"):
            suffix = ".json"
        path = self._folder / f"{called}{suffix}"
        path.write_bytes(came)
        return str(path)

    def written(self, given: Path, suffix: str) -> Path:
        """`given`, or the file whose content goes to standard output in the end: `-`, or with another suffix `-.jsonl`."""
        if str(given) not in _OUT and not str(given).startswith("-."):
            return given
        if self.output is not None:
            raise CycloptsError(msg="standard output takes one file, and is given twice")
        self.output = self._folder / f"standard output{suffix if str(given) in _OUT else str(given)[1:]}"
        return self.output

    def said(self, text: str) -> str:
        """A message with "standard input" in the place of its file."""
        folder = re.escape(str(vars(self).get("_folder", "-")))
        return re.sub(rf"{folder}/([\w ]+)\.\w+", r"\1", text)

    @contextlib.contextmanager
    def words(self, *, silent: bool) -> Iterator[None]:
        """While the command runs: what it prints; with streams it comes at the end, on standard error where standard output belongs to data."""
        held = io.StringIO()
        try:
            with contextlib.redirect_stdout(held) if silent or "_folder" in vars(self) else contextlib.nullcontext():
                yield
        finally:
            if not silent:
                print(self.said(held.getvalue()), end="", file=sys.stderr if self.output else sys.stdout)

    def deliver(self) -> None:
        """Copies what was written to standard output."""
        if self.output is not None and self.output.exists():
            with self.output.open("rb") as handle:
                if hasattr(sys.stdout, "buffer"):
                    sys.stdout.flush()
                    shutil.copyfileobj(handle, sys.stdout.buffer)
                else:
                    sys.stdout.write(handle.read().decode())

    def close(self) -> None:
        if "_folder" in vars(self):
            shutil.rmtree(self._folder, ignore_errors=True)
