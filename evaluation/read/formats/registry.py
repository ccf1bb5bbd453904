"""The formats by name, and which of them a file or folder is in.

A new one is a file beside this one with a title in a sentence; `reads`, whether a file is in it, told from its name and first bytes (`told_by`
the keys of its objects, which `objects_below` then asks of each); and `read`, of a file or folder, its answers, in order, or, of a format
that is a row for each diagnosis, the table in long form; a line below; and rows of `tests/cases/formats.csv`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....errors import InputError, OptionError
from ....files.tables import Table
from . import clinbench_hpb, craft_md, ddxplus, diagnosis_arena, direct, inspect_log, kernel29, lm_eval
from .answer import Answer, heads_of

FORMATS: dict[str, Any] = {
    "inspect": inspect_log, "lm-eval": lm_eval, "diagnosis-arena": diagnosis_arena, "clinbench-hpb": clinbench_hpb, "craft-md": craft_md,
    "ddxplus": ddxplus, "direct": direct, "kernel29": kernel29,
}  # fmt: skip


def recognised(path: Path) -> str:
    """The name of the format of a file or folder; "" where it is in none of these."""
    return next((name for head in heads_of(path) for name, one in FORMATS.items() if one.reads(head)), "")


def read_answers(path: Path, name: str) -> list[Answer] | Table:
    """What a file or folder holds. name : one of `FORMATS`.

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
        raise InputError(f"nothing of {FORMATS[name].TITLE} in it", source=str(path))
    return answers
