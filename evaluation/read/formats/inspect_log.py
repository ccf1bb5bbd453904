"""Logs of Inspect (`.eval`, or `.json`): the sample's id, its target, and what the model wrote.

A sample that was asked several times (epochs) becomes several raters, "model [epoch 2]". A sample that ended in an error has
no answer. What its metadata hold may be a group. That a run was not finished is told, with how many samples there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....errors import InputError, MissingExtra
from .answer import Answer, Head, files_below, heads_of

TITLE = "a log of Inspect"


def reads(head: Head) -> bool:
    """A log, packed or JSON."""
    return head.path.suffix == ".eval" or {"version", "status", "eval", "task", "model"} <= head.keys


def read(path: Path) -> Iterator[Answer]:
    """The samples of a log, or of the logs of a folder, by name.

    Raises
    ------
    MissingExtra
        Without the extra `inspect`.
    InputError
        For a log that cannot be read, or holds no samples.
    """
    logs = [(file, _log(file)) for file in files_below(path, "*.eval", "*.json") if any(map(reads, heads_of(file)))]
    runs, seen = Counter((log.eval.model, log.eval.task) for _, log in logs), Counter[tuple[str, str]]()
    for file, log in logs:
        model, task = key = (log.eval.model, log.eval.task)
        seen[key] += 1
        run = model if runs[key] == 1 else f"{model} (run {seen[key]})"
        told = f"The run in {file.name} was not finished (its status: {log.status}): {len(log.samples):,} samples are in it, and others may not have been asked."
        doubt = "" if log.status == "success" else told
        epochs = len({sample.epoch for sample in log.samples}) > 1
        for row, sample in enumerate(log.samples, 1):
            case = f"{task}/{sample.id}" if len({task for _, task in runs}) > 1 else str(sample.id)
            rater = None if sample.error else f"{run} [epoch {sample.epoch}]" if epochs else run
            text, right, more = sample.output.completion, sample.target, sample.metadata or {}
            yield Answer(case, rater, text=text, references=right, more=more, source=file, row=row, doubt=doubt)


def _log(file: Path) -> Any:
    try:
        from inspect_ai.log import read_eval_log  # pyright: ignore[reportMissingImports]

        log = read_eval_log(str(file), resolve_attachments="core")
    except ImportError:
        raise MissingExtra("A log of Inspect", "inspect") from None
    except Exception as error:  # whatever its reader meets in a damaged file
        raise InputError(f"a log that Inspect cannot read ({error})", source=str(file)) from None
    if all(sample.error for sample in log.samples or ()):
        raise InputError(f"a log without an answer (its status: {log.status})", source=str(file))
    return log
