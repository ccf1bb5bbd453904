"""Sample files of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, or of another name, written with `--log_samples`.

`doc_id` (or the document's own `case_id` or `id`) is the case, `target` the right answer, `filtered_resps` what the model
wrote. The model is told by `results_DATE.json` beside the file, else by the name of its folder. Where there are several
filters, or repeats, each becomes a rater: "model (strict-match)", "model [repeat 2]". A field of the document may be a group.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ....errors import InputError
from ....files.json_records import read_json
from .answer import Answer, listed, objects_below, told_by

TITLE = "samples of lm-evaluation-harness"
_KEYS = (("doc_id", "target", "filtered_resps"),)
reads = told_by(_KEYS)


def read(path: Path) -> Iterator[Answer]:
    """The samples of a file, or of the files of a folder. Errors: `InputError` for a task that generates no text."""
    found = [*objects_below(path, _KEYS, "samples_*.jsonl", "*.jsonl")]
    of = {file: _task_and_model(file) for file, *_ in found}
    several = len({sample.get("filter") for *_, sample in found}) > 1
    for file, row, sample in found:
        task, model = of[file]
        doc = sample["doc"] if isinstance(sample.get("doc"), dict) else {}
        case = next((doc[key] for key in ("case_id", "id") if doc.get(key) is not None), sample["doc_id"])
        case = f"{task}/{case}" if len({task for task, _ in of.values()}) > 1 else str(case)
        # a filter is another reading of the same answer, and so no prompt or repeat to average over
        name = f"{model} ({sample.get('filter')})" if several else model
        said = listed(sample["filtered_resps"]) or []
        texts = [text for one in said for text in (one if isinstance(one, list) else [one])]
        if not texts or texts[1:2] in (["True"], ["False"]) or not all(isinstance(text, str) for text in texts):
            problem, allowed = "no text that a model wrote", "output_type: generate_until, no likelihoods"
            raise InputError(problem, source=str(file), row=row, allowed=allowed, got=said)
        for at, text in enumerate(texts, 1):
            rater = f"{name} [repeat {at}]" if len(texts) > 1 else name
            yield Answer(case, rater, text=text, references=sample["target"], more=doc, source=file, row=row)


def _task_and_model(file: Path) -> tuple[str, str]:
    """Of "samples_TASK_DATE.jsonl"."""
    task, _, date = file.stem.removeprefix("samples_").rpartition("_")
    results = file.with_name(f"results_{date}.json")
    told = read_json(results).value if results.is_file() else {}
    return task, (told.get("model_name") or "").strip() or file.parent.resolve().name.replace("__", "/")
