"""Questions as OpenAI batch files (JSON lines, as vLLM's batch runner and cloud batch services read them), and their results."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ..endpoints.replies import chat_reply
from ..errors import InputError
from ..files.atomic import make_folder, whole_file
from .asking import Job, Planned
from .asking_options import AskSummary
from .prompts.questions import Answer, Question
from .store.store import VoteStore

MAX_REQUESTS = 20_000
"""Of one file; OpenAI takes 50,000 requests and 200 MB, so each may have 10 kB."""


def write_batches(planned: Iterable[Planned], folder: str | os.PathLike[str], store: VoteStore) -> dict[Path, int]:
    """Writes what is planned and unknown to files such as `vote-1_Qwen2.5-7B-Instruct_001.jsonl`, and says how many requests each holds.

    One model a file, since batch services demand it. All files come to be or none.

    Raises
    ------
    InputError
        A file of that name is there already.
    DxmatchError
        A file cannot be written.
    """
    place, files, numbers = make_folder(folder), dict[Path, int](), Counter[str]()
    with ExitStack() as all_or_none:
        for job, anew in ((one.job, one.anew) for one in planned):
            stem = f"{job.config.prompt}_{re.sub(r'[^A-Za-z0-9._-]+', '-', job.config.model)[:80]}"
            requests = (_request(job, question) for question in chain(store.unknown(job.questions()), anew))
            while part := list(islice(requests, MAX_REQUESTS)):
                numbers[stem.lower()] += 1
                path = place / f"{stem}_{numbers[stem.lower()]:03d}.jsonl"
                if path.exists():
                    allowed = "a folder without earlier ones"
                    raise InputError("there is a batch file already", source=str(path), allowed=allowed)
                all_or_none.enter_context(whole_file(path)).write_bytes(b"".join(part))
                files[path] = len(part)
    return files


def _request(job: Job, question: Question) -> bytes:
    messages = job.prompt.messages(question.first, question.second)
    body = {"model": job.config.model, "messages": messages, **job.parameters}
    request = {"custom_id": custom_id(question), "method": "POST", "url": "/v1/chat/completions", "body": body}
    return json.dumps(request).encode("ascii") + b"\n"  # no separator of Unicode can break it


def custom_id(question: Question) -> str:
    """32 hexadecimal digits; batch services take up to 64 characters, each id once."""
    who = question.config
    key = who.model, who.prompt, who.parameters, question.first, question.second, question.repeat
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]


def import_batch(paths: Sequence[str | os.PathLike[str]], store: VoteStore, planned: Sequence[Planned]) -> AskSummary:
    """Stores the answers in results of exported files, in any order. An answer that is there already stays, but those asked anew.

    A line that is damaged, failed or unknown is reported, and the rest goes on. planned : what was exported, or more.

    Raises
    ------
    InputError
        A file that cannot be read.
    """
    summary = AskSummary()
    asked = {custom_id(question): (one.job, question) for one in planned for question in one.job.questions()}
    anew = {question for one in planned for question in one.anew}
    for path in paths:
        for number, entry in _entries(path):
            found = entry if isinstance(entry, str) else _answered(entry, asked)
            if not isinstance(found, str):
                store.forget(anew & {found[0]})
                if store.add(*found):
                    summary.count(found[0].config.model, found[1])
                    continue
                found = "answered already"
            summary.skipped[found].append(f"{os.fspath(path)}, line {number}")
    return summary


def _entries(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """The objects in the lines of a file, by number; or what else a line is."""
    try:
        with Path(path).open("rb") as handle:
            for number, line in ((number, line) for number, line in enumerate(handle, start=1) if line.strip()):
                try:
                    entry = json.loads(line.decode("utf-8-sig"))
                except (ValueError, RecursionError):
                    entry = None
                yield number, entry if isinstance(entry, dict) else "a damaged line"
    except OSError as error:
        raise InputError(f"could not be read ({error.strerror or error})", source=os.fspath(path)) from error


def _answered(entry: Mapping[str, Any], asked: Mapping[str, tuple[Job, Question]]) -> tuple[Question, Answer] | str:
    """A question and its answer, or what else the line is. asked : by custom id."""
    if (id := str(entry.get("custom_id"))) not in asked:
        return "of no question that is asked here"
    job, question = asked[id]
    response = entry.get("response")
    response = response if isinstance(response, dict) else {}
    status, body = response.get("status_code", 200), response if "choices" in response else response.get("body")
    if entry.get("error") or not response or status != 200:
        said = json.dumps([entry.get("error"), body])
        code = [found for key in ("code", "type") for found in re.findall(rf'"{key}": "([\w.-]{{1,40}})"', said)]
        return ", ".join(["failed", *([] if status == 200 else [f"status {status}"]), *code[:1]])
    try:
        return question, job.prompt.answer(question, chat_reply(body, seconds=None))
    except ValueError:
        return "not a chat completion"
