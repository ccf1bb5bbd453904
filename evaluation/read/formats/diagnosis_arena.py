"""DiagnosisArena: answers in `MODEL_answer.jsonl` (id, "Final Diagnosis", "LLM Response"), and the cases themselves.

The cases ("Case Information", …, "Final Diagnosis") tell only the right answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .answer import Answer, objects_below, told_by

TITLE = "DiagnosisArena"
_RESPONSE, _RIGHT = "LLM Response", "Final Diagnosis"
_KEYS = (("id", _RIGHT, _RESPONSE), ("id", _RIGHT, "Case Information"))
reads = told_by(_KEYS)


def read(path: Path) -> Iterator[Answer]:
    """One file a model. Errors: `InputError` for a line that is neither."""
    for file, row, item in objects_below(path, _KEYS, "*_answer.jsonl", "*.jsonl"):
        model, text = file.stem.partition("_answer")[0] if _RESPONSE in item else None, str(item.get(_RESPONSE) or "")
        yield Answer(str(item["id"]), model, text=text, references=item[_RIGHT], source=file, row=row)
