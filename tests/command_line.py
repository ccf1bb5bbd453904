"""`dxmatch` in this process: what a command leaves, with its errors raised."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from dataclasses import dataclass

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
