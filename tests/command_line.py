"""`dxmatch` in this process: what a command leaves."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from dataclasses import dataclass
from unittest.mock import patch


@dataclass(frozen=True)
class Done:
    """What a command left: its exit code, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def output(self) -> str:
        """Both streams."""
        return self.out + self.err


def typed(*arguments: object, given: str | bytes = "") -> Done:
    """`dxmatch` with these arguments, in this process: all of the command line but the start of Python. given : by standard input."""
    from dxmatch.cli.main import main

    code, out, err = 0, io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    raw = given if isinstance(given, bytes) else given.encode("utf-8", "surrogateescape")
    try:
        with (
            patch.dict(os.environ),
            patch.object(sys, "argv", ["dxmatch", *map(str, arguments)]),
            patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw))),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            main()
    except SystemExit as end:
        code = int(end.code or 0)
    out.flush()
    return Done(code, out.buffer.getvalue().decode("utf-8", "replace"), err.getvalue())
