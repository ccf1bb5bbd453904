"""Sample files of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, written with `--log_samples`.

`doc_id` (or the document's own `case_id` or `id`) is the case, `target` the right answer, `filtered_resps` what the model
wrote. The model is told by `results_DATE.json` beside the file, else by the name of its folder. Where a task has several
filters, or repeats, each becomes a rater: "model (strict-match)", "model [repeat 2]". Short fields of the document are groups.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....errors import InputError
from ....files.json_records import objects_in_lines, read_json
from .answer import Answer, Head, files_below, groups_in, references_in

TITLE = "samples of lm-evaluation-harness"
_CASE = ("case_id", "id")


def reads(head: Head) -> bool:
    """A sample file."""
    said = {"doc_id", "target"} <= head.keys and not head.keys.isdisjoint({"resps", "filtered_resps"})
    return said and head.path.name.startswith("samples_")


def read(path: Path) -> Iterator[Answer]:
    """The samples of a file, or of the files of a folder. Errors: `InputError` for a task that generates no text."""
    files = files_below(path, "samples_*.jsonl")
    for file in files:
        rows, model = list(objects_in_lines(file)), _model(file)
        several = len({str(sample.get("filter", "")) for _, sample in rows}) > 1
        for row, sample in rows:
            doc, target = sample["doc"] if isinstance(sample.get("doc"), dict) else {}, sample.get("target")
            case = next((doc[key] for key in _CASE if doc.get(key) is not None), sample.get("doc_id"))
            case = f"{_task(file)}/{case}" if len({*map(_task, files)}) > 1 else str(case)
            # a filter is another reading of the same answer, and so no prompt or repeat to average over
            name = f"{model} ({sample['filter']})" if several else model
            right = _references(target)
            more = groups_in({key: value for key, value in doc.items() if key not in _CASE})
            texts = _texts(sample, file, row)
            for at, text in enumerate(texts, 1):
                rater = f"{name} [repeat {at}]" if len(texts) > 1 else name
                yield Answer(case, rater, text=text, references=right, more=more, source=file, row=row)


def _texts(sample: dict[str, Any], file: Path, row: int) -> list[str]:
    """What was generated, once for each repeat."""
    said: Any = sample.get("filtered_resps") or sample.get("resps")
    while isinstance(said, list) and len(said) == 1 and isinstance(said[0], list):
        said = said[0]
    texts = said if isinstance(said, list) and all(isinstance(text, str) for text in said) else []
    if not texts or texts[1:] in (["True"], ["False"]):  # a likelihood
        allowed = "samples of a task that generates text (output_type: generate_until)"
        raise InputError("no text that a model wrote", source=str(file), row=row, allowed=allowed, got=said)
    return texts


def _references(target: Any) -> tuple[str, ...]:
    """A target is kept as text, a list of them as Python writes it."""
    try:
        return references_in(ast.literal_eval(target) if str(target).startswith("[") else target)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return references_in(target)


def _task(file: Path) -> str:
    """Of "samples_TASK_DATE.jsonl"."""
    return file.stem.removeprefix("samples_").rpartition("_")[0] or file.stem


def _model(file: Path) -> str:
    results = file.parent / f"results_{file.stem.rpartition('_')[2]}.json"
    told = read_json(results).value if results.is_file() else {}
    return (told.get("model_name") or "").strip() or file.parent.resolve().name.replace("__", "/") or file.stem
