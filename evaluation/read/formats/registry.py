"""The formats by name, and which of them a file or folder is in.

A new one is a file beside this one with `reads` and `read`, and a line below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ....errors import InputError, OptionError
from ....files.tables import Table
from . import clinbench_hpb, craft_md, ddxplus, diagnosis_arena, direct, inspect_log, kernel29, lm_eval
from .answer import Answer


class Format(NamedTuple):
    """A format in which answers, right answers, or both are kept.

    title : in a sentence. reads : whether a file or folder is in it, told from names and first bytes. read : its answers, in order; or, of a
    format that is a row for each diagnosis, the table in long form.
    """

    title: str
    reads: Callable[[Path], bool]
    read: Callable[[Path], Iterator[Answer] | Table]


def _format(title: str, module: Any) -> Format:
    return Format(title, module.reads, module.read)


FORMATS = {
    "inspect": _format("a log of Inspect", inspect_log),
    "lm-eval": _format("samples of lm-evaluation-harness", lm_eval),
    "diagnosis-arena": _format("DiagnosisArena", diagnosis_arena),
    "clinbench-hpb": _format("ClinBench-HPB", clinbench_hpb),
    "craft-md": _format("CRAFT-MD", craft_md),
    "ddxplus": _format("DDXPlus", ddxplus),
    "direct": _format("DiReCT", direct),
    "kernel29": _format("Kernel29", kernel29),
}


def recognised(path: Path) -> str:
    """The name of the format of a file or folder; "" where it is in none of these."""
    found = (name for name, one in FORMATS.items() if path.exists() and one.reads(path))
    return next(found, "")


def read_answers(path: Path, name: str) -> list[Answer] | Table:
    """What a file or folder holds.

    name : one of `FORMATS`.

    Raises
    ------
    InputError
        For a file or folder that its format's reader refuses, or that holds nothing of it.
    OptionError
        For a format that is none.
    """
    if name not in FORMATS:
        raise OptionError("format", f"one of {', '.join(FORMATS)}", name)
    found = FORMATS[name].read(path)
    answers = found if isinstance(found, Table) else list(found)
    if not len(answers):
        raise InputError(f"nothing of {FORMATS[name].title} in it", source=str(path))
    return answers
