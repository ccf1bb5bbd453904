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
from itertools import islice
from pathlib import Path
from typing import IO, Any

from ..endpoints.replies import chat_reply
from ..errors import InputError
from ..files.atomic import make_folder, whole_file
from ..files.wording import counted
from .prompts.files import PROMPTS
from .prompts.prompt import Prompt
from .prompts.questions import REASONS, Answer, Question
from .store.store import VoteStore

MAX_REQUESTS, MAX_BYTES = 50_000, 150_000_000
"""Of one file; OpenAI takes 50,000 requests and 200 MB."""
OF_CASES = "of cases, which takes it in with them: dxmatch ask CASES --prompt FILE --results RESULTS"


@dataclass
class BatchFile:
    """size : in bytes."""

    path: Path
    requests: int = 0
    size: int = 0

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

    One model a file, since batch services demand it. All files come to be or none.
    prompts : what the questions are put with, by version.

    Raises
    ------
    InputError
        A file of that name is there already.
    DxmatchError
        A file cannot be written.
    """
    place, files = make_folder(folder), list[BatchFile]()
    with ExitStack() as open_files:
        current: dict[tuple[str, str], tuple[BatchFile, IO[bytes]]] = {}
        numbers = Counter[str]()

        def written() -> Iterator[tuple[str, Question]]:
            for question in questions:
                who, id = question.config, custom_id(question)
                messages = prompts[who.prompt].messages(question.first, question.second)
                body = {"model": who.model, "messages": messages, **json.loads(who.parameters)}
                request = {"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": body}
                line = json.dumps(request).encode("ascii") + b"\n"  # no separator of Unicode can break it
                stem = f"{who.prompt}_{re.sub(r'[^A-Za-z0-9._-]+', '-', who.model)[:80]}"
                file, handle = current.get(key := (who.prompt, who.model), (None, None))
                if not file or not handle or file.requests >= max_requests or file.size + len(line) > max_bytes:
                    numbers[stem.lower()] += 1
                    file = BatchFile(place / f"{stem}_{numbers[stem.lower()]:03d}.jsonl")
                    if file.path.exists():
                        allowed = "a folder without earlier ones"
                        raise InputError("there is a batch file already", source=str(file.path), allowed=allowed)
                    temporary = open_files.enter_context(whole_file(file.path))
                    handle = open_files.enter_context(temporary.open("wb"))
                    files.append(file)
                    current[key] = file, handle
                handle.write(line)
                file.requests, file.size = file.requests + 1, file.size + len(line)
                yield id, question

        store.remember_exported(written())
    return files


def custom_id(question: Question) -> str:
    """32 hexadecimal digits; batch services take up to 64 characters, each id once."""
    who = question.config
    key = [who.model, who.prompt, who.parameters, question.first, question.second, question.repeat]
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]


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
            allowed = 'the results of a batch, lines such as {"custom_id": …, "response": …}'
            raise InputError("not the result of a batch", source=os.fspath(path), allowed=allowed)
    summary, seen = BatchSummary(), set[Question]()

    def answered() -> Iterator[tuple[Question, Answer]]:
        for path in paths:
            for number, line in _lines(path):
                summary.n_lines += 1
                found = _answered(line, store, prompts)
                if not isinstance(found, str) and found[0] not in seen and next(store.stored([found[0]])) is None:
                    seen.add(found[0])
                    yield found
                    continue
                what = found if isinstance(found, str) else "answered already"
                summary.skipped[what] += 1
                if summary.skipped[what] <= 3:
                    summary.places[what].append(f"{os.fspath(path)}, line {number}")

    lines = answered()
    while some := list(islice(lines, 10_000)):
        summary.stored += store.add_many(some)
        summary.unscored.update(answer.reason for _, answer in some if answer.reason)
    return summary


def is_batch_result(path: str | os.PathLike[str]) -> bool:
    """Whether one of the first 100 lines is the result of a request. Raises `InputError` where it cannot be read."""
    entries = (_parsed(line) or {} for _, line in islice(_lines(path), 100))
    return any("custom_id" in entry and ("response" in entry or "error" in entry) for entry in entries)


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


def _answered(line: bytes, store: VoteStore, prompts: Mapping[str, Prompt]) -> tuple[Question, Answer] | str:
    """A question and its answer, or what else the line is."""
    if (entry := _parsed(line)) is None:
        return "a damaged line" if line.strip() else "a blank line"
    question = store.exported(str(entry.get("custom_id")).encode("utf-8", "replace").decode())
    if question is None:
        return "an unknown custom id"
    version, response = question.config.prompt, entry.get("response")
    if (prompt := prompts.get(version)) is None:
        of_file = (
            OF_CASES if version.startswith("diagnosis-file-") else "of a file that was not given (or was changed since)"
        )
        return f"an answer to the prompt {version}, {of_file if '-file-' in version else 'which is not asked here'}"
    response = response if isinstance(response, dict) else {}
    status, body = response.get("status_code", 200), response if "choices" in response else response.get("body")
    if entry.get("error") or not response or status != 200:
        errors = [one.get("error", one) for one in (entry.get("error"), body) if isinstance(one, dict)]
        codes = (one.get(key) for one in errors if isinstance(one, dict) for key in ("code", "type"))
        code = next((one for one in codes if isinstance(one, str) and re.fullmatch(r"[\w.-]{1,40}", one)), "")
        return ", ".join(filter(None, ["failed", "" if status == 200 else f"status {status}", code]))
    try:
        return question, prompt.answer(question, chat_reply(body, seconds=None))
    except ValueError:
        return "not a chat completion"
