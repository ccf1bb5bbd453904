"""DiagnosisArena: answers in `MODEL_answer.jsonl` (id, "Final Diagnosis", "LLM Response"), and the cases themselves.

The cases ("Case Information", …, "Final Diagnosis") tell only the right answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ....files.json_records import objects_in_lines
from .answer import Answer, Head, files_below, references_in

TITLE = "DiagnosisArena"
_RESPONSE, _RIGHT, _CASE = "LLM Response", "Final Diagnosis", "Case Information"


def reads(head: Head) -> bool:
    """A file of answers or of cases."""
    return {"id", _RIGHT} <= head.keys and not head.keys.isdisjoint({_RESPONSE, _CASE})


def read(path: Path) -> Iterator[Answer]:
    """One file a model. Errors: `InputError` for a line that is no JSON."""
    for file in files_below(path, "*_answer.jsonl", "*.jsonl"):
        for row, item in objects_in_lines(file):
            case, right = str(item.get("id", row)), references_in(item.get(_RIGHT))
            model, text = file.stem.partition("_answer")[0], str(item.get(_RESPONSE) or "")
            model, text = (model, text) if _RESPONSE in item else (None, None)
            yield Answer(case, model, text=text, references=right, source=file, row=row)
