"""Questions as OpenAI batch files (JSON lines, as vLLM's batch runner and cloud batch services read them), and their results."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from ..endpoints.replies import chat_reply
from ..errors import InputError
from ..files.atomic import make_folder, whole_file
from ..files.wording import counted
from .prompts.prompt import Prompt
from .prompts.questions import REASONS, Answer, Question
from .prompts.versions import PROMPTS, answer_of
from .store.store import VoteStore

MAX_REQUESTS = 50_000
MAX_BYTES = 150_000_000
"""Of one file; OpenAI takes 50,000 requests and 200 MB."""

OF_CASES = "of cases, and taken in with them alone"
_CASES_FILE = "diagnosis-file-"
_CUSTOM_ID = re.compile(r"[0-9a-f]{32}")
_CODE = re.compile(r"[\w.-]{1,40}")
_LINES_TO_KNOW_A_FILE = 100
_LINES_AT_ONCE = 10_000


# Out


@dataclass
class BatchFile:
    path: Path
    requests: int = 0
    size: int = 0
    """In bytes."""

    def __str__(self) -> str:
        return f"{self.path} ({self.requests:,} requests, {self.size / 1e6:.1f} MB)"


def export(
    questions: Iterable[Question],
    folder: str | os.PathLike[str],
    store: VoteStore,
    *,
    max_requests: int = MAX_REQUESTS,
    max_bytes: int = MAX_BYTES,
    prompts: Mapping[str, Prompt] = PROMPTS,
) -> list[BatchFile]:
    """Writes `questions`, each once, to files such as `vote-1_Qwen2.5-7B-Instruct_001.jsonl`; `store` remembers them.

    One model a file, since batch services demand it. All files come to be or none. Bounded memory.
    prompts : what the questions are put with, by version.

    Raises
    ------
    InputError
        A file of that name is there already.
    DxmatchError
        A file cannot be written.
    """
    with ExitStack() as open_files:
        writer = _Writer(make_folder(folder), open_files, max_requests, max_bytes, prompts)
        store.remember_exported(writer.write(questions))
    return writer.files


def custom_id(question: Question) -> str:
    """32 hexadecimal digits; batch services take up to 64 characters, each id once."""
    who = question.config
    key = [who.model, who.prompt, who.parameters, question.first, question.second, question.repeat]
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]


class _Writer:
    def __init__(
        self, folder: Path, open_files: ExitStack, max_requests: int, max_bytes: int, prompts: Mapping[str, Prompt]
    ) -> None:
        self._folder, self._open_files, self._prompts = folder, open_files, prompts
        self._max_requests, self._max_bytes = max_requests, max_bytes
        self._current: dict[tuple[str, str], tuple[BatchFile, IO[bytes]]] = {}
        self._numbers: Counter[str] = Counter()
        self.files: list[BatchFile] = []

    def write(self, questions: Iterable[Question]) -> Iterator[tuple[str, Question]]:
        """Writes each question, then yields it with its id; all is on disk when this ends."""
        for question in questions:
            id = custom_id(question)
            line = _request(id, question, self._prompts)
            file, handle = self._file_for(question, len(line))
            handle.write(line)
            file.requests += 1
            file.size += len(line)
            yield id, question
        for _, handle in self._current.values():
            handle.close()

    def _file_for(self, question: Question, size: int) -> tuple[BatchFile, IO[bytes]]:
        kind = question.config.prompt, question.config.model
        if kind in self._current:
            file, handle = self._current[kind]
            if file.requests < self._max_requests and file.size + size <= self._max_bytes:
                return file, handle
            handle.close()
        self._current[kind] = self._opened(*kind)
        return self._current[kind]

    def _opened(self, prompt: str, model: str) -> tuple[BatchFile, IO[bytes]]:
        stem = f"{prompt}_{re.sub(r'[^A-Za-z0-9._-]+', '-', model)[:80]}"
        self._numbers[stem.lower()] += 1
        path = self._folder / f"{stem}_{self._numbers[stem.lower()]:03d}.jsonl"
        if path.exists():
            raise InputError("there is a batch file already", source=str(path), allowed="a folder without earlier ones")
        temporary = self._open_files.enter_context(whole_file(path))
        handle = self._open_files.enter_context(temporary.open("wb"))
        self.files.append(BatchFile(path))
        return self.files[-1], handle


def _request(id: str, question: Question, prompts: Mapping[str, Prompt]) -> bytes:
    """One line. ASCII alone, so that no separator of Unicode can break it."""
    who = question.config
    messages = prompts[who.prompt].messages(question.first, question.second)
    body = {"model": who.model, "messages": messages, **json.loads(who.parameters)}
    request = {"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": body}
    return json.dumps(request).encode("ascii") + b"\n"


# In


@dataclass
class BatchSummary:
    """What became of the lines of all files.

    stored : new answers. unscored : of these, those without a verdict, by reason.
    skipped : the lines that gave no new answer, by what they are. Failed ones ("failed, batch_expired") stay unanswered.
    places : where the first three of each kind are.
    """

    n_lines: int = 0
    stored: int = 0
    unscored: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    places: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def skip(self, what: str, place: str) -> None:
        self.skipped[what] += 1
        if self.skipped[what] <= 3:
            self.places[what].append(place)

    def lines(self, lacking: str = "a verdict") -> list[str]:
        """For the user to read. lacking : what unscored answers are without."""
        out = [f"{counted(self.n_lines, 'line')}, {counted(self.stored, 'new answer')}."]
        if self.unscored:
            reasons = "; ".join(f"{count:,}: {REASONS[reason]}" for reason, count in self.unscored.most_common())
            out.append(f"{self.unscored.total():,} of these without {lacking} ({reasons}).")
        for what, count in self.skipped.items():
            out.append(f"{what}: {count:,} ({', '.join(self.places[what])}{', …' if count > 3 else ''}).")
        return out


def import_batch(
    paths: Sequence[str | os.PathLike[str]], store: VoteStore, prompts: Mapping[str, Prompt] = PROMPTS
) -> BatchSummary:
    """Stores the answers in results of exported files, in any order. An answer that is there already stays.

    A line that is damaged, failed or unknown is reported, and the rest goes on. prompts : what reads the answers, by version.

    Raises
    ------
    InputError
        A file that cannot be read or is not the result of a batch; nothing is stored then.
    """
    for path in paths:
        if not is_batch_result(path):
            requests = any(_first_entries(path))
            problem = "the requests of a batch, not its results" if requests else "not the result of a batch"
            raise InputError(problem, source=os.fspath(path), allowed='lines such as {"custom_id": …, "response": …}')
    summary = BatchSummary()
    lines = ((f"{os.fspath(path)}, line {number}", line) for path in paths for number, line in _lines(path))
    for line in lines:
        _import_lines(chain([line], islice(lines, _LINES_AT_ONCE - 1)), store, summary, prompts)
    return summary


def is_batch_result(path: str | os.PathLike[str]) -> bool:
    """Whether one of the first 100 lines is the result of a request. Raises `InputError` where it cannot be read."""
    return any("response" in entry or "error" in entry for entry in _first_entries(path))


def _first_entries(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    for _, line in islice(_lines(path), _LINES_TO_KNOW_A_FILE):
        if (entry := _parsed(line)) and "custom_id" in entry:
            yield entry


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    try:
        with Path(path).open("rb") as handle:
            yield from enumerate(handle, start=1)
    except OSError as error:
        raise InputError(f"could not be read ({error.strerror or error})", source=os.fspath(path)) from error


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _import_lines(
    lines: Iterable[tuple[str, bytes]], store: VoteStore, summary: BatchSummary, prompts: Mapping[str, Prompt]
) -> None:
    answers: dict[Question, tuple[Answer, str]] = {}
    for place, line in lines:
        summary.n_lines += 1
        found = _answered(line, store, prompts)
        if isinstance(found, str):
            summary.skip(found, place)
        elif found[0] in answers:
            summary.skip("answered already", place)
        else:
            answers[found[0]] = found[1], place
    new = dict.fromkeys(store.unknown(answers))
    for question, (_, place) in answers.items():
        if question not in new:
            summary.skip("answered already", place)
    summary.stored += store.add_many((question, answers[question][0]) for question in new)
    summary.unscored.update(reason for question in new if (reason := answers[question][0].reason))


def _answered(line: bytes, store: VoteStore, prompts: Mapping[str, Prompt]) -> tuple[Question, Answer] | str:
    """A question and its answer, or what else the line is."""
    if not line.strip():
        return "a blank line"
    if (entry := _parsed(line)) is None:
        return "a damaged line"
    id = entry.get("custom_id")
    question = store.exported(id) if isinstance(id, str) and _CUSTOM_ID.fullmatch(id) else None
    if question is None:
        return "an unknown custom id"
    if (prompt := prompts.get(question.config.prompt)) is None:
        return f"an answer to the prompt {question.config.prompt}, {_unread(question.config.prompt)}"
    if failure := _failure(entry):
        return failure
    response = entry["response"]
    body = response if "choices" in response else response.get("body")
    try:
        return question, answer_of(question, chat_reply(body, seconds=None), prompt)
    except ValueError:
        return "not a chat completion"


def _unread(version: str) -> str:
    """Why nothing reads its answers."""
    if version.startswith(_CASES_FILE):
        return OF_CASES
    if "-file-" not in version:
        return "which is not asked here"
    return "of a file that was not given (or was changed since)"


def _failure(entry: dict[str, Any]) -> str | None:
    """None for a success; else its kind: the status, and the code or type of the error where it has one."""
    response, error = entry.get("response"), entry.get("error")
    if not isinstance(response, dict):
        response = {}
    status = response.get("status_code", 200)
    if response and not error and status == 200:
        return None
    body = response.get("body")
    kinds = [f"status {status}"] if status != 200 else []
    kinds += [code for source in (error, body) if (code := _error_code(source))][:1]
    return ", ".join(["failed", *kinds])


def _error_code(error: Any) -> str | None:
    while isinstance(error, dict) and "error" in error:
        error = error["error"]
    if not isinstance(error, dict):
        return None
    codes = (error.get("code"), error.get("type"))
    return next((code for code in codes if isinstance(code, str) and _CODE.fullmatch(code)), None)
