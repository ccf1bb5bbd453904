"""The client against a server that does what servers and networks do."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dxmatch.endpoints.client import EndpointClient, EndpointError, run
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.endpoints.replies import ChatReply
from dxmatch.errors import InputError, MissingExtra

from ..case_table import rows_of

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
stamina = pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")

KEY = "sk-0123-none-may-see-this"  # as in conftest.py
NAME = "phaeochromocytoma of the left adrenal"
LEAST_HEADERS = {"host", "connection", "accept", "accept-encoding", "content-type", "content-length"}
FAULTS = rows_of(Path(__file__).parent / "faults.csv")


def chat(endpoint: Endpoint, *questions: str, **parameters: Any) -> list[ChatReply]:
    """One after the other."""

    async def asked() -> list[ChatReply]:
        async with EndpointClient(endpoint) as client:
            put = [[{"role": "user", "content": one}] for one in questions or [NAME]]
            return [await client.chat("model-a", one, parameters) for one in put]

    return run(asked())


def embed(endpoint: Endpoint, texts: list[str]) -> np.ndarray:
    async def one() -> np.ndarray:
        async with EndpointClient(endpoint) as client:
            return await client.embed("model-e", texts, None)

    return run(one())


# What is sent, and what is read


def test_a_reply_is_read(loopback: Any, endpoint: Callable[..., Endpoint]) -> None:
    loopback.rules({"text": "Yes, they are"})
    (reply,) = chat(endpoint(), "two words", temperature=0, logprobs=True, top_logprobs=2)
    assert (reply.text, reply.refusal, reply.finish, reply.model) == ("Yes, they are", None, "stop", "model-a")
    assert (reply.prompt_tokens, reply.completion_tokens) == (2, 2)
    assert reply.logprobs[0] == [("Yes,", -0.2), ("No", -1.8)]
    assert 0 < reply.seconds < 20
    (request,) = loopback.log()["requests"]
    assert request["path"] == "/v1/chat/completions"
    assert request["body"] == {
        "model": "model-a", "messages": [{"role": "user", "content": "two words"}],
        "temperature": 0, "logprobs": True, "top_logprobs": 2,
    }  # fmt: skip
    assert request["headers"].keys() - {"user-agent"} == LEAST_HEADERS | {"authorization"}
    assert request["headers"]["authorization"] == f"Bearer {KEY}"


def test_nothing_of_the_environment_is_used_but_the_key_at_each_call(
    loopback: Any, endpoint: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = "http://127.0.0.1:9/v1"
    for name, value in {
        "OPENAI_API_KEY": "a-key", "OPENAI_ADMIN_KEY": "admin", "OPENAI_BASE_URL": elsewhere, "OPENAI_ORG_ID": "org",
        "OPENAI_PROJECT_ID": "project", "OPENAI_LOG": "debug", "OPENAI_CUSTOM_HEADERS": "X-Mine: 1\nAuthorization: Bearer b\nHost: other",
        "HTTP_PROXY": elsewhere, "http_proxy": elsewhere, "ALL_PROXY": elsewhere, "HTTPS_PROXY": elsewhere,
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    chat(endpoint())
    chat(endpoint(key_env=None))
    monkeypatch.setenv("DXMATCH_TEST_KEY", "another")
    chat(endpoint())
    sent = [request["headers"] for request in loopback.log()["requests"]]
    assert [one.get("authorization") for one in sent] == [f"Bearer {KEY}", None, "Bearer another"]
    assert {name for one in sent for name in one} - {"user-agent", "authorization"} == LEAST_HEADERS
    assert {one["host"] for one in sent} == {f"127.0.0.1:{loopback.port}"}


def test_the_proxy_of_the_endpoint_is_used(loopback: Any, endpoint: Callable[..., Endpoint]) -> None:
    chat(endpoint(url="http://models.invalid/v1", proxy=loopback.url.removesuffix("/v1")))
    (request,) = loopback.log()["requests"]
    assert request["path"] == "http://models.invalid/v1/chat/completions"


# Faults


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["what"])
def test_what_passes_is_tried_again_and_nothing_else(
    loopback: Any, endpoint: Callable[..., Endpoint], fault: dict[str, str]
) -> None:
    rule, kind, again = json.loads(fault["rule"]), fault["kind"], fault["again"] == "yes"
    loopback.rules({"path": "/v1/chat/completions", **rule})
    with pytest.raises(EndpointError, match=rf"^lab \(http://.*\): {kind}: ") as caught:
        chat(endpoint(tries=3, timeout=0.5 if kind == "time-out" else 20.0))
    assert (caught.value.kind, caught.value.final) == (kind, fault["again"] == "never")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400
    # what is not of the protocol does not mend itself
    assert loopback.log()["calls"] == (1 if not again else 2 if kind == "malformed" else 3)
    if again:
        loopback.rules({"first": 1, **rule}, {"text": "Yes."})
        assert chat(endpoint())[0].text == "Yes."


@pytest.mark.parametrize(
    "url", ["http://models.invalid/v1", "http://127.0.0.1:{port}/v1", "https://127.0.0.1:{open}/v1"]
)
def test_nobody_there_ends_soon_and_costs_nothing(url: str, loopback: Any, endpoint: Callable[..., Endpoint]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = time.monotonic()
    with pytest.raises(EndpointError, match="no connection: .*check `url`") as caught:
        chat(endpoint(url=url.format(port=port, open=loopback.port), timeout=1.0))
    assert caught.value.final and not caught.value.billed and not caught.value.reached
    assert time.monotonic() - start < 8


def test_no_reply_is_taken_for_the_answer_to_the_next_question(
    loopback: Any, endpoint: Callable[..., Endpoint]
) -> None:
    """A server that sends each reply twice, on connections that it would keep."""
    loopback.rules(*({"contains": f"question {i}", "text": f"answer {i}", "twice": True} for i in range(3)))
    replies = chat(endpoint(), *(f"question {i}" for i in range(3)))
    assert [reply.text for reply in replies] == ["answer 0", "answer 1", "answer 2"]


@pytest.mark.parametrize("rule", [{"echo": "answer"}, {"refusal": KEY, "finish": KEY}])
def test_a_key_that_is_given_back_is_blotted_out(
    loopback: Any, endpoint: Callable[..., Endpoint], rule: dict[str, Any]
) -> None:
    loopback.rules(rule)
    (reply,) = chat(endpoint())
    assert "0123-none" not in f"{reply}" and "[key]" in f"{reply}"


# Waits


@pytest.mark.parametrize(("asked", "least"), [("1", 1.0), ("date:3", 1.5)])
def test_retry_after_holds_for_the_whole_endpoint(
    loopback: Any, endpoint: Callable[..., Endpoint], asked: str, least: float
) -> None:
    async def calls() -> None:
        async with EndpointClient(endpoint()) as client:
            limited = asyncio.create_task(client.embed("m", ["first"]))
            await asyncio.sleep(0.5)
            await asyncio.gather(limited, *(client.embed("m", [f"{i}"]) for i in range(5)))

    loopback.rules({"times": 1, "status": 429, "retry_after": asked})
    run(calls())
    told, *later = sorted(request["time"] for request in loopback.log()["requests"])
    assert len(later) == 6 and later[0] - told >= least


def test_as_many_calls_at_once_and_a_minute_as_the_endpoint_allows(
    loopback: Any, endpoint: Callable[..., Endpoint]
) -> None:
    async def many(to: Endpoint) -> None:
        async with EndpointClient(to) as client:
            await asyncio.gather(*(client.embed("m", [f"{i}"]) for i in range(12)))

    loopback.rules(delay=0.3)
    run(many(endpoint(concurrency=3)))
    assert loopback.log()["most_at_once"] == 3
    loopback.rules()
    run(many(endpoint(per_minute=1_200)))
    times = sorted(request["time"] for request in loopback.log()["requests"])
    assert 0.5 <= times[-1] - times[0] < 10


# The key, and the server's words


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("rule", [
    {"echo": "error", "status": 401}, {"echo": "error", "status": 500}, {"status": 418, "raw": "x" * 185 + KEY},
    {"redirect": f"http://127.0.0.1:9/?key={KEY}"}, {"raw": KEY}, {"hang": True},
], ids=lambda rule: str(rule)[:40])  # fmt: skip
def test_the_key_is_seen_nowhere(
    loopback: Any, endpoint: Callable[..., Endpoint], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], rule: dict[str, Any]
) -> None:  # fmt: skip
    for name in ("openai", "httpx2", "stamina", "asyncio", "dxmatch"):
        caplog.set_level(logging.DEBUG, name)
    loopback.rules(rule)
    with pytest.raises(EndpointError) as caught:
        chat(endpoint(tries=2, timeout=0.5))
    # with the variables of our own functions, as some tools show them
    frames = traceback.TracebackException.from_exception(caught.value, capture_locals=True).stack
    shown = "".join(f"{frame.locals}" for frame in frames if "dxmatch/endpoints/" in frame.filename)
    shown += "".join(traceback.format_exception(caught.value))
    seen: BaseException | None = caught.value
    while seen is not None:
        shown += f"{seen!r} {seen} {vars(seen)}"
        seen = seen.__cause__ or seen.__context__
    shown += f"{endpoint()!r}" + "".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)
    assert "0123-none" not in shown + "".join(capfd.readouterr())


def test_the_servers_words_are_shown_with_debug_alone(
    tmp_path: Path, loopback: Any, endpoint: Callable[..., Endpoint], command: Callable[..., Any]
) -> None:
    loopback.rules({"status": 404, "error": "no such thing (fibrosarcoma)"})
    with pytest.raises(EndpointError) as caught:
        chat(endpoint())
    assert "fibrosarcoma" not in f"{caught.value} {caught.value!r} {vars(caught.value)}"
    (toml := tmp_path / "e.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\n')
    (tmp_path / "cases.csv").write_text("case,text\n1,A man with a swollen toe.\n")
    ask_it = ("ask", tmp_path / "cases.csv", "--endpoints", toml, "-m", "lab:m", "--store", tmp_path / "v.sqlite")
    quiet, loud = command(*ask_it), command(*ask_it, "--debug")
    assert "not found: status 404" in quiet.out + quiet.err and "fibrosarcoma" not in quiet.out + quiet.err
    assert "the server said: " in loud.err and "fibrosarcoma" in loud.err


def test_a_key_that_no_header_can_hold(endpoint: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("one\ntwo-parts", "clé-secrète"):
        monkeypatch.setenv("DXMATCH_TEST_KEY", key)
        with pytest.raises(InputError, match="DXMATCH_TEST_KEY cannot be sent") as caught:
            chat(endpoint())
        assert key not in str(caught.value)


def test_the_extra_is_named_where_it_is_absent(
    endpoint: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "stamina", None)
    with pytest.raises(MissingExtra, match=r"\[llm\]"):
        EndpointClient(endpoint())


# Embeddings


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("fault", ["missing", "twice", "ragged", "nan", "words"])
def test_vectors_that_cannot_be_right(loopback: Any, endpoint: Callable[..., Endpoint], fault: str) -> None:
    loopback.rules({"vectors": fault})
    with pytest.raises(EndpointError, match="malformed"):
        embed(endpoint(tries=2), ["a", "b", "c"])
