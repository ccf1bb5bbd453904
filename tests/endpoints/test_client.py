"""The client against a server that does all that servers and networks do."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
import time
import traceback
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxmatch.endpoints.call_errors import error_of_connection, error_of_status
from dxmatch.endpoints.client import ChatReply, EndpointClient, EndpointError
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.endpoints.replies import chat_reply, embedding_rows
from dxmatch.errors import InputError, MissingExtra

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
stamina = pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")

KEY = "sk-0123-none-may-see-this"  # as in conftest.py
NAME = "phaeochromocytoma of the left adrenal"
LEAST_HEADERS = {
    "host", "connection", "accept", "accept-encoding", "content-type", "content-length", "user-agent",
}  # fmt: skip


@pytest.fixture
def only_the_endpoint(loopback: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to anywhere else is an error."""
    connect = socket.socket.connect_ex
    blocking = socket.socket.connect

    def check(address: Any) -> None:
        assert address == ("127.0.0.1", loopback.port), f"a connection to {address}"

    monkeypatch.setattr(socket.socket, "connect_ex", lambda self, to: (check(to), connect(self, to))[1])
    monkeypatch.setattr(socket.socket, "connect", lambda self, to: (check(to), blocking(self, to))[1])


def chat(endpoint: Endpoint, question: str = NAME, **parameters: Any) -> ChatReply:
    async def one() -> ChatReply:
        async with EndpointClient(endpoint) as client:
            return await client.chat("model-a", [{"role": "user", "content": question}], parameters)

    return asyncio.run(one())


def embed(endpoint: Endpoint, texts: list[str], dimensions: int | None = None) -> np.ndarray:
    async def one() -> np.ndarray:
        async with EndpointClient(endpoint) as client:
            return await client.embed("model-e", texts, dimensions)

    return asyncio.run(one())


# What is sent, and what is read


def test_a_reply_is_read(loopback: Any, endpoint: Callable[..., Endpoint]) -> None:
    loopback.rules({"text": "Yes, they are"})
    reply = chat(endpoint(), "two words", temperature=0, logprobs=True, top_logprobs=2)
    assert (reply.text, reply.refusal, reply.finish) == ("Yes, they are", None, "stop")
    assert (reply.prompt_tokens, reply.completion_tokens) == (2, 2)
    assert reply.logprobs[0] == [("Yes,", -0.2), ("No", -1.8)]
    assert 0 < reply.seconds < 20
    (request,) = loopback.log()["requests"]
    assert request["path"] == "/v1/chat/completions"
    assert request["body"] == {
        "model": "model-a", "messages": [{"role": "user", "content": "two words"}],
        "temperature": 0, "logprobs": True, "top_logprobs": 2,
    }  # fmt: skip
    assert request["headers"].keys() == LEAST_HEADERS | {"authorization"}
    assert request["headers"]["authorization"] == f"Bearer {KEY}"


def test_the_key_is_read_at_each_call(
    loopback: Any, endpoint: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def two() -> None:
        async with EndpointClient(endpoint()) as client:
            await client.embed("m", ["a"])
            monkeypatch.setenv("DXMATCH_TEST_KEY", "another")
            await client.embed("m", ["a"])

    asyncio.run(two())
    sent = [request["headers"]["authorization"] for request in loopback.log()["requests"]]
    assert sent == [f"Bearer {KEY}", "Bearer another"]


@pytest.mark.usefixtures("only_the_endpoint")
def test_nothing_of_the_environment_is_used(
    loopback: Any, endpoint: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    elsewhere = "http://127.0.0.1:9/v1"
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login somebody password something\n")
    (tmp_path / "netrc").chmod(0o600)
    for name, value in {
        "OPENAI_API_KEY": "a-key", "OPENAI_ADMIN_KEY": "admin", "OPENAI_BASE_URL": elsewhere, "OPENAI_ORG_ID": "org",
        "OPENAI_PROJECT_ID": "project", "OPENAI_WEBHOOK_SECRET": "hook", "OPENAI_LOG": "debug",
        "OPENAI_CUSTOM_HEADERS": "X-Mine: 1\nAuthorization: Bearer b\nHost: other", "OPENAI_API_TYPE": "azure",
        "HTTP_PROXY": elsewhere, "http_proxy": elsewhere, "ALL_PROXY": elsewhere, "HTTPS_PROXY": elsewhere, "NETRC": str(tmp_path / "netrc"),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    chat(endpoint())
    chat(endpoint(key_env=None))
    first, second = (request["headers"] for request in loopback.log()["requests"])
    assert first.keys() == LEAST_HEADERS | {"authorization"} and second.keys() == LEAST_HEADERS
    assert first["authorization"] == f"Bearer {KEY}"
    assert first["host"] == second["host"] == f"127.0.0.1:{loopback.port}"


def test_the_proxy_of_the_endpoint_is_used(loopback: Any, endpoint: Callable[..., Endpoint]) -> None:
    chat(endpoint(url="http://models.invalid/v1", proxy=loopback.url.removesuffix("/v1")))
    (request,) = loopback.log()["requests"]
    assert request["path"] == "http://models.invalid/v1/chat/completions"


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(loopback: Any, endpoint: Callable[..., Endpoint], status: int) -> None:
    loopback.rules({"path": "/v1/chat/completions", "redirect": f"{loopback.url}/elsewhere", "status": status})
    with pytest.raises(
        EndpointError, match=r"redirect: status 30\d to another path of this host; none is followed"
    ) as caught:
        chat(endpoint())
    assert caught.value.final
    assert loopback.log()["calls"] == 1


# Faults that pass

PASSING = [
    ({"status": 429}, "rate limited"),
    ({"status": 500}, "server error"),
    ({"status": 502, "raw": "<html>Bad gateway</html>", "content_type": "text/html"}, "server error"),
    ({"status": 503, "retry_after": "never"}, "server error"),
    ({"status": 408}, "time-out"),
    ({"reset": "before"}, "connection"),
    ({"reset": "within"}, "connection"),
    ({"truncate": "honest"}, "malformed"),
    ({"truncate": "lying"}, "connection"),
    ({"json": None}, "malformed"),
    ({"json": {"error": {"message": "overloaded"}}}, "malformed"),
    ({"choices": []}, "malformed"),
    ({"content": ["Yes"]}, "malformed"),
    ({"refusal": 3}, "malformed"),
    ({"raw": "<html>Sign in</html>", "content_type": "text/html"}, "malformed"),
    ({"raw": "[" * 100_000}, "malformed"),
    ({"headers": {"content-encoding": "gzip"}}, "malformed"),
]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(("fault", "kind"), PASSING, ids=lambda case: str(case)[:40])
def test_a_passing_fault_is_tried_again_a_bounded_number_of_times(
    loopback: Any, endpoint: Callable[..., Endpoint], fault: dict[str, Any], kind: str
) -> None:
    malformed = kind == "malformed"  # tried twice, however many tries an endpoint has
    loopback.rules({"first": 1 if malformed else 2, **fault}, {"text": "Yes."})
    assert chat(endpoint(tries=3)).text == "Yes."
    assert loopback.log()["calls"] == (2 if malformed else 3)
    loopback.rules(fault)
    with pytest.raises(EndpointError, match=kind) as caught:
        chat(endpoint(tries=6 if malformed else 2))
    assert (caught.value.kind, caught.value.final) == (kind, False)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400
    assert loopback.log()["calls"] == 2


@pytest.mark.parametrize(
    ("refused", "connected", "kind", "billed"),
    [
        (True, False, "connection refused", False),
        (False, False, "no connection", False),
        (False, True, "connection", True),
    ],
)
def test_a_call_that_never_connected_is_not_billed(
    endpoint: Callable[..., Endpoint], refused: bool, connected: bool, kind: str, billed: bool
) -> None:
    cause = OSError("All connection attempts failed")
    cause.__cause__ = (
        ExceptionGroup("both addresses", [ConnectionRefusedError(), ConnectionRefusedError()]) if refused else None
    )
    (lost := Exception("Connection error.")).__cause__ = cause
    error = error_of_connection(endpoint(), lost, connected=connected)
    assert (error.kind, error.billed, error.passing) == (kind, billed, True)
    assert ("nothing listens at http://127.0.0.1:" in str(error)) == refused


@pytest.mark.parametrize("fault", [{"hang": True}, {"drip": True}])
def test_a_server_that_does_not_come_to_an_end_is_left(
    loopback: Any, endpoint: Callable[..., Endpoint], fault: dict[str, Any]
) -> None:
    loopback.rules(fault)
    start = time.monotonic()
    with pytest.raises(EndpointError, match=r"time-out: no whole answer within 0\.5 s"):
        chat(endpoint(timeout=0.5, tries=1))
    assert time.monotonic() - start < 10


def test_waits_between_tries_grow(loopback: Any, endpoint: Callable[..., Endpoint]) -> None:
    loopback.rules({"status": 500})
    with pytest.raises(EndpointError):
        chat(endpoint(tries=3))
    times = [request["time"] for request in loopback.log()["requests"]]
    first, second = (after - before for before, after in pairwise(times))
    assert 0.5 <= first <= 2.0 and 1.0 <= second <= 2.5


@pytest.mark.parametrize(("asked", "least"), [("1", 1.0), ("date:3", 1.5)])
def test_retry_after_holds_for_the_whole_endpoint(
    loopback: Any, endpoint: Callable[..., Endpoint], asked: str, least: float
) -> None:
    loopback.rules({"times": 1, "status": 429, "retry_after": asked})

    async def calls() -> None:
        async with EndpointClient(endpoint()) as client:
            limited = asyncio.create_task(client.chat("m", [{"role": "user", "content": "first"}], {}))
            await asyncio.sleep(0.5)
            others = [client.chat("m", [{"role": "user", "content": f"{i}"}], {}) for i in range(5)]
            await asyncio.gather(limited, *others)

    asyncio.run(calls())
    told, *later = sorted(request["time"] for request in loopback.log()["requests"])
    assert len(later) == 6
    assert later[0] - told >= least


def test_a_long_retry_after_is_not_waited_for(loopback: Any, endpoint: Callable[..., Endpoint]) -> None:
    loopback.rules({"status": 429, "retry_after": 3600})
    with pytest.raises(EndpointError, match="asks for a wait of 3,600 s, longer than 300 s") as caught:
        chat(endpoint())
    assert caught.value.final
    assert loopback.log()["calls"] == 1
    loopback.rules({"status": 429, "code": "insufficient_quota"})
    with pytest.raises(EndpointError) as caught:
        chat(endpoint())
    assert caught.value.final


def test_retry_after_by_the_clock_of_the_server(endpoint: Callable[..., Endpoint]) -> None:
    dates = {"date": "Wed, 21 Oct 2015 07:28:00 GMT", "retry-after": "Wed, 21 Oct 2015 07:28:30 GMT"}
    assert error_of_status(endpoint(), 429, dates, None).wait == 30
    past = {"date": dates["retry-after"], "retry-after": dates["date"]}
    assert error_of_status(endpoint(), 503, past, None).wait == 0
    for unreadable in ("", "soon", "1e9999", "-5", "nan"):
        assert error_of_status(endpoint(), 429, {"retry-after": unreadable}, None).wait in (None, 0)


# Faults that stay


@pytest.mark.parametrize(("status", "kind", "final"), [
    (400, "refused question", False), (401, "refused key", True), (402, "payment required", True), (403, "forbidden", True), (404, "not found", True),
])  # fmt: skip
def test_a_fault_that_stays_is_not_tried_again(
    loopback: Any, endpoint: Callable[..., Endpoint], status: int, kind: str, final: bool
) -> None:
    loopback.rules({"status": status, "error": "the model does not\n  exist"})
    with pytest.raises(EndpointError, match=f"lab .*{kind}: status {status}: ") as caught:
        chat(endpoint())
    assert (caught.value.kind, caught.value.final) == (kind, final)
    assert "the model does" not in str(caught.value)
    assert loopback.log()["calls"] == 1


@pytest.mark.parametrize("fault", [{"huge": 10}, {"huge": 10, "chunked": True}, {"endless": True}])
def test_an_answer_that_is_too_long_fills_no_memory(
    loopback: Any, endpoint: Callable[..., Endpoint], fault: dict[str, Any]
) -> None:
    loopback.rules(fault)
    tracemalloc.start()
    try:
        with pytest.raises(EndpointError, match="too long: a reply of more than 4,194,304 bytes"):
            chat(endpoint())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16e6
    assert loopback.log()["calls"] == 1


# The key


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    "rule",
    [
        {"echo": "error", "status": 401},
        {"echo": "error", "status": 500},
        {"status": 418, "raw": "x" * 185 + KEY},
        {"redirect": f"http://127.0.0.1:9/?key={KEY}"},
        {"raw": KEY},
        {"hang": True},
        {"huge": 5},
        {"echo": "answer"},
        {"refusal": KEY, "finish": KEY},
        {"headers": {"x-echo": f"Bearer {KEY}"}},
        {"headers": {"x-echo": f"Bearer {KEY}"}, "status": 500},
    ],
    ids=lambda rule: str(rule)[:40],
)
def test_the_key_is_seen_nowhere(
    loopback: Any,
    endpoint: Callable[..., Endpoint],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    rule: dict[str, Any],
) -> None:
    for name in ("openai", "httpx2", "httpcore2", "stamina", "asyncio"):
        caplog.set_level(logging.DEBUG, name)
    loopback.rules(rule)
    shown = ""
    try:
        shown += repr(chat(endpoint(tries=2, timeout=0.5)))
    except EndpointError as error:
        # with the variables of our own functions, as some tools show them
        frames = traceback.TracebackException.from_exception(error, capture_locals=True).stack
        shown += "".join(f"{frame.locals}" for frame in frames if "dxmatch/endpoints/" in frame.filename)
        shown += "".join(traceback.format_exception(error))
        seen: BaseException | None = error
        while seen is not None:
            shown += f"{seen!r} {seen} {vars(seen)}"
            seen = seen.__cause__ or seen.__context__
    shown += f"{endpoint()!r}" + "".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)
    shown += "".join(capfd.readouterr())
    assert len(caplog.records) > 5
    assert "0123-none" not in shown


def test_a_key_that_no_header_can_hold(endpoint: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("one\ntwo-parts", "clé-secrète"):
        monkeypatch.setenv("DXMATCH_TEST_KEY", key)
        with pytest.raises(InputError, match="DXMATCH_TEST_KEY cannot be sent") as caught:
            chat(endpoint())
        assert key not in str(caught.value)


# Many at once


@pytest.mark.parametrize(("concurrency", "calls", "delay"), [(3, 12, 0.05), (200, 200, 2.0)])
def test_as_many_calls_at_once_as_the_endpoint_allows(
    loopback: Any, endpoint: Callable[..., Endpoint], concurrency: int, calls: int, delay: float
) -> None:
    loopback.rules(delay=delay)

    async def many() -> None:
        async with EndpointClient(endpoint(concurrency=concurrency)) as client:
            await asyncio.gather(*(client.embed("m", [f"{i}"]) for i in range(calls)))

    asyncio.run(many())
    assert loopback.log()["most_at_once"] == concurrency


def test_calls_per_minute(loopback: Any, endpoint: Callable[..., Endpoint]) -> None:
    async def six() -> None:
        async with EndpointClient(endpoint(per_minute=600)) as client:
            await asyncio.gather(*(client.embed("m", [f"{i}"]) for i in range(6)))

    asyncio.run(six())
    times = sorted(request["time"] for request in loopback.log()["requests"])
    assert 0.45 <= times[-1] - times[0] < 10


def test_the_extra_is_named_where_it_is_absent(
    endpoint: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "stamina", None)
    with pytest.raises(MissingExtra, match=r"\[llm\]"):
        EndpointClient(endpoint())


# Embeddings


def test_vectors_come_in_the_order_of_the_texts(loopback: Any, endpoint: Callable[..., Endpoint]) -> None:
    texts = [f"text {i}" for i in range(20)]
    vectors = embed(endpoint(), texts)
    assert vectors.shape == (20, 8) and vectors.dtype == np.float32
    loopback.rules({"vectors": "shuffled"})
    np.testing.assert_array_equal(embed(endpoint(), texts), vectors)
    np.testing.assert_array_equal(embed(endpoint(), texts[3:4]), vectors[3:4])
    assert embed(endpoint(), texts, dimensions=3).shape == (20, 3)
    assert loopback.log()["requests"][-1]["body"]["dimensions"] == 3


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("fault", ["missing", "twice", "ragged", "nan", "words"])
def test_vectors_that_cannot_be_right(loopback: Any, endpoint: Callable[..., Endpoint], fault: str) -> None:
    loopback.rules({"vectors": fault})
    with pytest.raises(EndpointError, match="malformed"):
        embed(endpoint(tries=2), ["a", "b", "c"])


KEYS = [
    "choices",
    "message",
    "content",
    "refusal",
    "logprobs",
    "token",
    "logprob",
    "top_logprobs",
    "usage",
    "prompt_tokens",
    "data",
    "index",
    "embedding",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_a_reply_or_a_value_error_and_any_logprobs_are_probabilities_or_none(given_json: Any) -> None:
    for read in (lambda: chat_reply(given_json, 0.1), lambda: embedding_rows(given_json, 1)):
        with contextlib.suppress(ValueError):
            read()
    body = {"choices": [{"message": {"content": "Yes"}, "logprobs": {"content": given_json}}]}
    for alternatives in chat_reply(body, 0.1).logprobs:
        assert all(isinstance(token, str) and value <= 1e-3 for token, value in alternatives)
