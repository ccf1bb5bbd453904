"""`-`: standard input and standard output where a command takes a file.

What comes in is kept in a private temporary file and read from there, as any file is; what goes out is written to such a file, whole, and
copied when the command has ended well. So each command, each kind of table and each check works as it does with files.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, TextIO

from ..errors import InputError
from .faults import WrongUsage

_IN, _OUT = ("-", "./-", "/dev/stdin"), ("-", "/dev/stdout")


class Streams:
    """The files that stand for standard input and output while one command runs, and for pipes that it is given by path."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self.output: Path | None = None
        """What standard output gets in the end."""
        self._called: dict[str, str] = {}

    def read(self, given: str) -> str:
        """`given`, or the file that holds what came by standard input or a pipe. Errors: `InputError` where nothing came."""
        if given not in _IN and not Path(given).is_fifo():
            return given
        called = "standard input" if given in _IN else given
        if called in self._called.values():
            raise WrongUsage(f"{called} can be read once, and is given twice")
        if called == "standard input" and sys.stdin.isatty():
            print("dxmatch: reading what you type; Ctrl-D ends it.", file=sys.stderr)
        spooled = self._place(f"standard input {len(self._called)}", called)
        with spooled.open("wb") as handle:
            if given in _IN:
                shutil.copyfileobj(sys.stdin.buffer, handle)
            else:
                with Path(given).open("rb") as pipe:
                    shutil.copyfileobj(pipe, handle)
        with spooled.open("rb") as handle:
            head = handle.read(1 << 16)
        if not head.strip():
            raise InputError("nothing came", source=called, allowed="a table with a header")
        named = spooled.with_suffix(suffix_of(head))
        self._called = {str(named) if path == str(spooled) else path: name for path, name in self._called.items()}
        return str(spooled.rename(named))

    def written(self, given: Path, suffix: str) -> Path:
        """`given`, or the file whose content goes to standard output in the end: `-`, or with another suffix `-.jsonl`."""
        if str(given).startswith("-."):
            suffix = str(given)[1:]
        elif str(given) not in _OUT:
            return given
        if self.output is not None:
            raise WrongUsage("standard output takes one file, and is given twice")
        self.output = self._place(f"standard output{suffix}", "standard output")
        return self.output

    def _place(self, name: str, called: str) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="dxmatch-"))
        path = self._folder / name
        self._called[str(path)] = called
        return path

    def said(self, text: str) -> str:
        """A message with the streams' own names in the place of the files."""
        for path, called in self._called.items():
            text = text.replace(path, called)
        return text

    def deliver(self) -> None:
        """Copies what was written to standard output."""
        if self.output is None or not self.output.exists():
            return
        with self.output.open("rb") as handle:
            if (raw := getattr(sys.stdout, "buffer", None)) is None:
                sys.stdout.write(handle.read().decode())
            else:
                sys.stdout.flush()
                shutil.copyfileobj(handle, raw)
                raw.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    @contextlib.contextmanager
    def messages(self, *, silent: bool) -> Iterator[None]:
        """While the command runs: what it prints goes to standard error where standard output belongs to data, and nowhere if `silent`."""
        with contextlib.ExitStack() as stack:
            error = sys.stderr
            if self._folder is not None:
                stack.enter_context(contextlib.redirect_stderr(_Said(error, self)))
            if silent:
                stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            elif self._folder is not None:
                stack.enter_context(
                    contextlib.redirect_stdout(_Said(error if self.output is not None else sys.stdout, self))
                )
            yield


class _Said:
    """A stream of messages, in which the streams have their own names."""

    def __init__(self, stream: TextIO, streams: Streams) -> None:
        self._stream, self._streams = stream, streams

    def write(self, text: str) -> int:
        self._stream.write(self._streams.said(text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def suffix_of(head: bytes) -> str:
    """The suffix of a file that begins so: what is neither Parquet, a workbook nor JSON is a CSV, or a TSV where the first line has more tabs."""
    for magic, suffix in ((b"PAR1", ".parquet"), (b"PK\x03\x04", ".xlsx")):
        if head.startswith(magic):
            return suffix
    line = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    if line.startswith(b"["):
        return ".json"
    if line.startswith(b"{"):
        try:
            json.loads(line)
        except ValueError:
            return ".json"
        return ".jsonl"
    return ".tsv" if line.count(b"\t") > max(line.count(b","), line.count(b";")) else ".csv"


def print_document(document: Any) -> None:
    """One JSON document on standard output; a table in it is a list of rows."""

    def as_rows(value: Any) -> Any:
        from ..pages.rows import json_rows

        return json_rows(value.to_pylist()) if hasattr(value, "to_pylist") else str(value)

    print(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1, default=as_rows))
