"""Questions out as batch files, results in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.errors import InputError
from dxmatch.votes import batch_files
from dxmatch.votes.asking import Job, LanguageModel, Planned
from dxmatch.votes.batch_files import custom_id, import_batch, write_batches
from dxmatch.votes.prompts.files import PROMPTS
from dxmatch.votes.prompts.questions import ModelConfig, Question, canonical
from dxmatch.votes.store.store import VoteStore

QWEN = ModelConfig("Qwen/Qwen2.5-7B-Instruct", "vote-1", canonical({"max_tokens": 16, "temperature": 0.0}))
PHI = ModelConfig("phi-4", "vote-1", canonical({"max_tokens": 16, "logprobs": True, "top_logprobs": 10}))
PICKER = ModelConfig("phi-4", "icd-pick-1", canonical({"max_tokens": 16}))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VoteStore]:
    with VoteStore(tmp_path / "votes.sqlite") as opened:
        yield opened


def questions(n: int, who: ModelConfig = QWEN) -> list[Question]:
    return [Question(who, f"disease {i}", f"illness {i}") for i in range(n)]


def job(who: ModelConfig, asked: Callable[[], Iterable[Question]]) -> Planned:
    model = LanguageModel(Endpoint("lab", "http://localhost/v1"), who.model, json.loads(who.parameters))
    return Planned(Job(model, PROMPTS[who.prompt], asked), 0, 0)


def jobs(asked: Sequence[Question]) -> list[Planned]:
    """A job for each model configuration."""
    of = {who: [question for question in asked if question.config == who] for who in (one.config for one in asked)}
    return [job(who, partial(iter, own)) for who, own in of.items()]


def export(asked: Sequence[Question], folder: Path, store: VoteStore) -> dict[Path, int]:
    return write_batches(jobs(asked), folder, store)


def requests(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def completion(text: str | None = "Yes", **choice: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, **choice.pop("message", {})}
    usage = {"prompt_tokens": 152, "completion_tokens": 2, "total_tokens": 154}
    choices = [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop", **choice}]
    return {"id": "chatcmpl-1", "object": "chat.completion", "model": "m", "choices": choices, "usage": usage}


def result(id: str, body: Any = None, status: int = 200, error: Any = None) -> dict[str, Any]:
    response = {"status_code": status, "request_id": "r", "body": completion() if body is None else body}
    return {"id": "batch_req_1", "custom_id": id, "response": response, "error": error}


def written(path: Path, lines: Sequence[dict[str, Any] | bytes]) -> Path:
    path.write_bytes(b"\n".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines) + b"\n")
    return path


def places(path: Path, *lines: int) -> list[str]:
    return [f"{path}, line {line}" for line in lines]


def test_a_request_is_what_batch_services_read(store: VoteStore, tmp_path: Path) -> None:
    question = Question(PHI, "heart attack", "инфаркт миокарда", repeat=3)
    ((path, count),) = export([question], tmp_path / "out", store).items()
    assert path == tmp_path / "out" / "vote-1_phi-4_001.jsonl"
    assert count == 1 and path.read_bytes().isascii()
    asked = {"messages": PROMPTS["vote-1"].messages("heart attack", "инфаркт миокарда"), "max_tokens": 16, "logprobs": True, "top_logprobs": 10}  # fmt: skip
    assert requests(path) == [
        {"custom_id": custom_id(question), "method": "POST", "url": "/v1/chat/completions", "body": {"model": "phi-4", **asked}}
    ]  # fmt: skip


def test_one_model_a_file_and_no_file_beyond_its_limit(
    store: VoteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_files, "MAX_REQUESTS", 10)
    mixed = [one for both in zip(questions(25, QWEN), questions(25, PHI), strict=True) for one in both]
    mixed += [Question(PICKER, "heart attack", json.dumps([["I21", "Acute myocardial infarction"]]))]
    files = export(mixed, tmp_path, store)
    qwen, phi = (f"vote-1_{name}_00{{}}.jsonl" for name in ("Qwen-Qwen2.5-7B-Instruct", "phi-4"))
    numbers = {name.format(at): count for name in (qwen, phi) for at, count in ((1, 10), (2, 10), (3, 5))}
    assert {path.name: count for path, count in files.items()} == {**numbers, "icd-pick-1_phi-4_001.jsonl": 1}
    written = [requests(path) for path in files]
    assert all(len({line["body"]["model"] for line in lines}) == 1 for lines in written)
    assert sorted(line["custom_id"] for lines in written for line in lines) == sorted(map(custom_id, mixed))


def test_models_of_any_names_give_files_of_their_own(store: VoteStore, tmp_path: Path) -> None:
    names = ["a/b", "a-b", "../../etc/passwd", 'a b:c*?"<>|\\', "модель", "x" * 300, ".hidden"]
    files = export([questions(1, ModelConfig(name, "vote-1"))[0] for name in names], tmp_path, store)
    assert [requests(path)[0]["body"]["model"] for path in files] == names
    assert all(path.parent == tmp_path and path.name.isascii() and len(path.name) < 120 for path in files)


def test_an_export_is_whole_or_not_at_all(store: VoteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_files, "MAX_REQUESTS", 10)

    def failing() -> Iterator[Question]:
        yield from questions(25)
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        write_batches([job(QWEN, failing)], tmp_path / "out", store)
    assert list((tmp_path / "out").iterdir()) == []
    (path,) = export(questions(1), tmp_path, store)
    before = path.read_bytes()
    with pytest.raises(InputError, match="there is a batch file already"):
        export(questions(5), tmp_path, store)
    assert path.read_bytes() == before


TOP = {"content": [{"token": "Yes", "logprob": -0.1, "top_logprobs": [
    {"token": "Yes", "logprob": -0.1}, {"token": "No", "logprob": -2.4}, {"token": " yes", "logprob": -9.0}]}]}  # fmt: skip
# an answer as OpenAI, Azure and vLLM write it, and without an envelope -> verdict, reason, probability
ANSWERED = [
    (result("", completion(logprobs=TOP, message={"refusal": None, "annotations": []})), 1, None, pytest.approx(0.9089, abs=1e-3)),
    ({"response": {"body": completion("No"), "request_id": "", "status_code": 200}, "error": None}, 0, None, None),
    ({"id": "vllm-1", "error": None, "response": {"status_code": 200, "request_id": "vllm-batch-1", "body": completion(
        "Yes", logprobs={"content": [{"token": "Yes", "logprob": -0.5, "top_logprobs": []}]}, message={"reasoning_content": None}, stop_reason=None)}},
        1, None, 1.0),
    ({"id": "1", "response": completion(None, message={"refusal": "I cannot."})}, None, "refusal", None),
]  # fmt: skip
EXPIRED, BY_VLLM = (
    {"code": "batch_expired", "message": "This request …"},
    {"error": {"type": "NotFoundError", "code": 404}},
)
# what is no answer, of a question that was exported -> what is said of it
SKIPPED = [
    ({"response": None, "error": EXPIRED}, "failed, batch_expired"),
    (result("", {"error": {"type": "invalid_request_error", "code": "context_length_exceeded"}}, 400), "failed, status 400, context_length_exceeded"),
    (result("", {"error": {"message": "oops", "code": None}}, 500), "failed, status 500"),
    ({"response": {"status_code": 400, "body": None}, "error": "Request must not be …"}, "failed, status 400"),
    ({"response": {"status_code": 404}, "error": BY_VLLM}, "failed, status 404, NotFoundError"),
    ({"response": None, "error": None}, "failed"), (result("", error={"code": "a code\nwith a line", "type": 7}), "failed"),
    (result("", {"choices": []}), "not a chat completion"), (result("", []), "not a chat completion"),
    (result("", {"choices": [{"message": {"content": [{"type": "text", "text": "Yes"}]}}]}), "not a chat completion"),
    *((line, "a damaged line") for line in (b"\xff\xfe\x00", b"[1, 2]", b"null", b"{" * 100_000)),
    *((result(id), "of no question that is asked here") for id in ("f" * 32, "../x", "\ud800" * 32)), (b'{"custom_id": 7, "response": {}}', "of no question that is asked here"),
    (b'{"a": "x", "b": "y", "model": "m", "verdict": 1}', "of no question that is asked here"), ({"method": "POST", "body": {}}, "failed"),
]  # fmt: skip


def test_each_line_is_an_answer_or_is_told_and_the_rest_goes_on(store: VoteStore, tmp_path: Path) -> None:
    asked, lines = questions(len(SKIPPED) + len(ANSWERED), PHI), list[dict[str, Any] | bytes]()
    export(asked, tmp_path, store)
    for question, (line, *_) in zip(asked, (*SKIPPED, *ANSWERED), strict=True):
        lines.append(
            line if isinstance(line, bytes) or line.get("custom_id") else {**line, "custom_id": custom_id(question)}
        )
    summary = import_batch([path := written(tmp_path / "r.jsonl", lines)], store, jobs(asked))
    told = {what: places(path, *(at for at, (_, one) in enumerate(SKIPPED, 1) if one == what)) for _, what in SKIPPED}
    assert (summary.answered, summary.skipped) == (len(ANSWERED), told)
    assert f"a damaged line: 4 ({path}, line 11, {path}, line 12, {path}, line 13, …)." in summary.lines()
    kept = [one for one in store.stored(asked[len(SKIPPED) :]) if one]
    assert [(one.verdict, one.reason, one.probability) for one in kept] == [tuple(one) for _, *one in ANSWERED]
    assert {(one.prompt_tokens, one.completion_tokens, one.seconds) for one in kept} == {(152, 2, None)}
    assert list(store.unknown(asked)) == asked[: len(SKIPPED)], "which are asked again"
    again = import_batch([path, path], store, jobs(asked))
    assert (again.answered, len(again.skipped["answered already"])) == (0, 2 * len(ANSWERED))
    for absent in (tmp_path / "absent.jsonl", tmp_path):
        with pytest.raises(InputError, match="could not be read"):
            import_batch([absent], store, jobs(asked))
