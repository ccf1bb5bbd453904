"""DiagnosisArena: answers in `MODEL_answer.jsonl` (id, "Final Diagnosis", "LLM Response"), and the cases themselves.

The cases ("Case Information", …, "Final Diagnosis") tell only the right answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .answer import Answer, references_in
from .files_of import files_below, first_object, json_lines, some_below

_RESPONSE, _RIGHT, _CASE = "LLM Response", "Final Diagnosis", "Case Information"


def reads(path: Path) -> bool:
    """A file of answers or of cases, or a folder that holds one."""
    return any(
        {"id", _RIGHT} <= (keys := {*first_object(file)}) and (_RESPONSE in keys or _CASE in keys)
        for file in some_below(path, "*.jsonl")
    )


def read(path: Path) -> Iterator[Answer]:
    """One file a model. Errors: `InputError` for a line that is no JSON."""
    for file in files_below(path, "*_answer.jsonl", "*.jsonl"):
        model = file.stem.partition("_answer")[0]
        for row, item in json_lines(file):
            said = item.get(_RESPONSE)
            yield Answer(
                str(item.get("id", row)),
                None if _RESPONSE not in item else model,
                text=None if _RESPONSE not in item else str(said or ""),
                references=references_in(item.get(_RIGHT)),
                source=str(file),
                row=row,
            )
