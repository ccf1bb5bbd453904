"""The formats by name, and which of them a file or folder is in.

A new one is a file beside this one with `reads` and `read`, and a line below.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ....errors import InputError, OptionError
from . import clinbench_hpb, craft_md, ddxplus, diagnosis_arena, direct, inspect_log, kernel29, lm_eval
from .answer import Answer


@dataclass(frozen=True)
class Format:
    """A format in which answers, right answers, or both are kept.

    name : what it is called as an option. title : in a sentence. reads : whether a file or folder is in it, told from names
    and first bytes. read : its answers, in order.
    """

    name: str
    title: str
    reads: Callable[[Path], bool]
    read: Callable[[Path], Iterator[Answer]]


FORMATS = {
    one.name: one
    for one in (
        Format("inspect", "a log of Inspect", inspect_log.reads, inspect_log.read),
        Format("lm-eval", "samples of lm-evaluation-harness", lm_eval.reads, lm_eval.read),
        Format("diagnosis-arena", "DiagnosisArena", diagnosis_arena.reads, diagnosis_arena.read),
        Format("clinbench-hpb", "ClinBench-HPB", clinbench_hpb.reads, clinbench_hpb.read),
        Format("craft-md", "CRAFT-MD", craft_md.reads, craft_md.read),
        Format("ddxplus", "DDXPlus", ddxplus.reads, ddxplus.read),
        Format("direct", "DiReCT", direct.reads, direct.read),
        Format("kernel29", "Kernel29", kernel29.reads, kernel29.read),
    )
}


def recognised(path: str | os.PathLike[str]) -> Format | None:
    """The format of a file or folder; None where it is in none of these."""
    place = Path(path)
    if not place.exists():
        return None
    return next((one for one in FORMATS.values() if one.reads(place)), None)


def read_answers(path: str | os.PathLike[str], format: str | None = None) -> list[Answer]:
    """The answers that a file or folder holds.

    format : one of `FORMATS`; told from the file where it is None.

    Raises
    ------
    InputError
        For a file or folder in no known format, or one that its format's reader refuses.
    OptionError
        For a format that is none.
    """
    if format is not None and format not in FORMATS:
        raise OptionError("format", f"one of {', '.join(FORMATS)}", format)
    found = recognised(path) if format is None else FORMATS[format]
    if found is None:
        raise InputError(
            "in no known format", source=os.fspath(path), allowed=", ".join(f.title for f in FORMATS.values())
        )
    answers = list(found.read(Path(path)))
    if not answers:
        raise InputError(f"nothing of {found.title} in it", source=os.fspath(path))
    return answers
