"""Questions as OpenAI batch files (JSON lines, as vLLM's batch runner and cloud batch services read them), and their results."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ..endpoints.replies import chat_reply
from ..errors import InputError
from ..files.atomic import make_folder, whole_file
from ..files.wording import counted
from .asking import Job, Planned
from .asking_options import AskSummary
from .prompts.files import PROMPTS
from .prompts.prompt import Prompt
from .prompts.questions import Answer, Question
from .store.store import VoteStore

MAX_REQUESTS, MAX_BYTES = 50_000, 150_000_000
"""Of one file; OpenAI takes 50,000 requests and 200 MB."""
UNKNOWN_PROMPT = "its text is not given here, or was changed since (that of cases is by dxmatch ask CASES --prompt FILE --results RESULTS)"


class BatchFile(NamedTuple):
    """One that was written."""

    path: Path
    requests: int

    def __str__(self) -> str:
        return f"{self.path} ({counted(self.requests, 'request')})"


def write_batches(planned: Iterable[Planned], folder: str | os.PathLike[str], store: VoteStore) -> list[BatchFile]:
    """Writes what is planned and unknown to files such as `vote-1_Qwen2.5-7B-Instruct_001.jsonl`; `store` remembers it.

    One model a file, since batch services demand it. All files come to be or none.

    Raises
    ------
    InputError
        A file of that name is there already.
    DxmatchError
        A file cannot be written.
    """
    place, files, asked = make_folder(folder), list[BatchFile](), dict[str, Question]()
    numbers = Counter[str]()
    with ExitStack() as all_or_none:
        for job in (one.job for one in planned):
            stem = f"{job.config.prompt}_{re.sub(r'[^A-Za-z0-9._-]+', '-', job.config.model)[:80]}"
            for part in _parts(job, store.unknown(job.questions())):
                numbers[stem.lower()] += 1
                path = place / f"{stem}_{numbers[stem.lower()]:03d}.jsonl"
                if path.exists():
                    allowed = "a folder without earlier ones"
                    raise InputError("there is a batch file already", source=str(path), allowed=allowed)
                all_or_none.enter_context(whole_file(path)).write_bytes(b"".join(part.values()))
                files.append(BatchFile(path, len(part)))
                asked |= {custom_id(question): question for question in part}
        store.remember_exported(asked.items())
    return files


def _parts(job: Job, questions: Iterable[Question]) -> Iterator[dict[Question, bytes]]:
    """The requests of a job, as many together as one file may hold."""
    part, size = dict[Question, bytes](), 0
    for question in questions:
        messages = job.prompt.messages(question.first, question.second)
        body = {"model": job.config.model, "messages": messages, **job.parameters}
        request = {"custom_id": custom_id(question), "method": "POST", "url": "/v1/chat/completions", "body": body}
        line = json.dumps(request).encode("ascii") + b"\n"  # no separator of Unicode can break it
        if part and (len(part) >= MAX_REQUESTS or size + len(line) > MAX_BYTES):
            yield part
            part, size = {}, 0
        part[question] = line
        size += len(line)
    if part:
        yield part


def custom_id(question: Question) -> str:
    """32 hexadecimal digits; batch services take up to 64 characters, each id once."""
    who = question.config
    key = who.model, who.prompt, who.parameters, question.first, question.second, question.repeat
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]


def import_batch(
    paths: Sequence[str | os.PathLike[str]], store: VoteStore, prompts: Mapping[str, Prompt] = PROMPTS
) -> AskSummary:
    """Stores the answers in results of exported files, in any order. An answer that is there already stays.

    A line that is damaged, failed or unknown is reported, and the rest goes on. prompts : what reads the answers, by version.

    Raises
    ------
    InputError
        A file that cannot be read or is not the result of a batch; nothing is stored then.
    """
    for path in paths:
        if not is_batch_result(path):
            allowed = 'the results of a batch, lines such as {"custom_id": …, "response": …}'
            raise InputError("not the result of a batch", source=os.fspath(path), allowed=allowed)
    summary = AskSummary()
    for path in paths:
        for number, entry in _entries(path):
            found = entry if isinstance(entry, str) else _answered(entry, store, prompts)
            if not isinstance(found, str):
                if store.add(*found):
                    summary.count(found[0].config.model, found[1])
                    continue
                found = "answered already"
            summary.skipped[found].append(f"{os.fspath(path)}, line {number}")
    return summary


def is_batch_result(path: str | os.PathLike[str]) -> bool:
    """Whether one of the first 100 lines is the result of a request. Raises `InputError` where it cannot be read."""
    entries = (entry for _, entry in islice(_entries(path), 100) if isinstance(entry, dict))
    return any("custom_id" in entry and ("response" in entry or "error" in entry) for entry in entries)


def _entries(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """The objects in the lines of a file, by number; or what else a line is."""
    try:
        with Path(path).open("rb") as handle:
            for number, line in enumerate(handle, start=1):
                try:
                    entry = json.loads(line.decode("utf-8-sig"))
                except (ValueError, RecursionError):
                    entry = None
                other = "a damaged line" if line.strip() else "a blank line"
                yield number, entry if isinstance(entry, dict) else other
    except OSError as error:
        raise InputError(f"could not be read ({error.strerror or error})", source=os.fspath(path)) from error


def _answered(
    entry: Mapping[str, Any], store: VoteStore, prompts: Mapping[str, Prompt]
) -> tuple[Question, Answer] | str:
    """A question and its answer, or what else the line is."""
    question = store.exported(str(entry.get("custom_id")).encode("utf-8", "replace").decode())
    if question is None:
        return "an unknown custom id"
    version, response = question.config.prompt, entry.get("response")
    if (prompt := prompts.get(version)) is None:
        return f"an answer to the prompt {version}: {UNKNOWN_PROMPT}"
    response = response if isinstance(response, dict) else {}
    status, body = response.get("status_code", 200), response if "choices" in response else response.get("body")
    if entry.get("error") or not response or status != 200:
        said = json.dumps([entry.get("error"), body])
        code = [found for key in ("code", "type") for found in re.findall(rf'"{key}": "([\w.-]{{1,40}})"', said)]
        return ", ".join(["failed", *([] if status == 200 else [f"status {status}"]), *code[:1]])
    try:
        return question, prompt.answer(question, chat_reply(body, seconds=None))
    except ValueError:
        return "not a chat completion"
