"""How a command that failed says so: one line, an exit code, and the traceback for --debug alone; and how it warns."""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping
from pathlib import Path

from ..errors import DxmatchError
from ..settings import cells_hidden


class WrongUsage(Exception):
    """A command that is typed in a way it cannot be meant (exit code 2)."""


_OWN = f"{Path(__file__).parents[1]}/"


def told(error: BaseException, options: Mapping[str, str]) -> tuple[int, str]:
    """The exit code and the line of an error: 1 the data or a provider failed, 70 a fault of dxmatch (sysexits.h).

    options : a parameter's name -> what the command calls it.
    """
    if isinstance(error, DxmatchError):
        return 1, spelt(error.worded(options), options)
    if isinstance(error, MemoryError):
        return 1, "out of memory; give it the data in parts."
    if isinstance(error, OSError) and error.strerror:
        return 1, f"{error.filename or 'the system'}: {error.strerror}."
    # not its words, which may hold a diagnosis
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(_OWN)]
    place = f" in {frames[-1].filename.removeprefix(_OWN)}, line {frames[-1].lineno}" if frames else ""
    return 70, f"this is a fault of dxmatch ({type(error).__name__}{place}). Run it with --debug for the traceback."


def spelt(message: str, options: Mapping[str, str]) -> str:
    """A message for Python in the words of a command: its options in the place of parameters."""
    message = re.sub(r"the option '(\w+)'", lambda each: f"the option {options.get(each[1], each[1])}", message)
    return re.sub(r"(?:load\()?\b([a-z_]+)=True\b\)?", lambda each: options.get(each[1], each[0]), message)


def traced(error: BaseException) -> str:
    """The traceback; where cells are hidden without the words of errors, which may hold one."""
    return "".join((traceback.format_tb(error.__traceback__)) if cells_hidden() else traceback.format_exception(error))
