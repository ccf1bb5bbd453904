"""`dxmatch` in this process: what a command leaves, with its errors raised."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from unittest.mock import patch

from cyclopts import CycloptsError


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


def invoke(arguments: Sequence[object]) -> Done:
    """Runs a command as it is typed. Errors: those of the data; of wrong usage the exit code tells."""
    from dxmatch.cli.main import run

    code, out, err = 0, io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            run([*map(str, arguments)])
    except SystemExit as end:
        code = int(end.code or 0)
    except CycloptsError as error:
        return Done(2, out.getvalue(), err.getvalue() + str(error))
    return Done(code, out.getvalue(), err.getvalue())


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
