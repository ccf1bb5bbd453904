"""What a faulty server says reaches the log at DEBUG, and no message; what it sends fills no memory and is no other question's answer."""

from __future__ import annotations

import asyncio
import base64
import logging
import shutil
import socket
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")

from dxmatch.endpoints.client import EndpointClient, EndpointError
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.endpoints.keys import without_key

from .faults import ANSWER, FAULTS, READ, SECRET, TIMEOUT, Server, bomb, reply, said, self_signed, send

KEY = "sk-0123-none-may-see-this"  # as in conftest.py


def ask(endpoint: Endpoint, *questions: str) -> list[str]:
    """The texts, asked one after the other."""

    async def all_of_them() -> list[str]:
        async with EndpointClient(endpoint) as client:
            return [(await client.chat("m", [{"role": "user", "content": one}], {})).text for one in questions]

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_told(name: str, endpoint: Callable[..., Endpoint], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    act, told = FAULTS[name]
    with Server(act) as server:
        asked = endpoint(
            url=f"http://127.0.0.1:{server.port}/v1", tries=1, timeout=TIMEOUT if "time-out" in told else 20.0
        )
        with pytest.raises(EndpointError) as caught:
            ask(asked, SECRET)
    assert str(caught.value).startswith(f"{caught.value.address}: {told}")
    assert SECRET not in f"{caught.value} {caught.value!r} {vars(caught.value)} {caplog.text}"


@pytest.mark.parametrize("name", READ)
def test_what_is_odd_and_read_all_the_same(name: str, endpoint: Callable[..., Endpoint]) -> None:
    with Server(READ[name]) as server:
        assert ask(endpoint(url=f"http://127.0.0.1:{server.port}/v1"), "1", "2") == ["Yes", "Yes"]
        assert not any(b"cookie" in request.lower() for request in server.requests)


def late(connection: socket.socket, number: int) -> bool:
    """Answers, and a little later again."""
    connection.sendall(numbered(number))
    time.sleep(0.05)
    connection.sendall(numbered(number))
    return True


def behind(connection: socket.socket, number: int, before: dict[socket.socket, int] = {}) -> bool:  # noqa: B006
    """Answers a question on a kept connection with the answer to the one before."""
    connection.sendall(numbered(before.get(connection, number)))
    before[connection] = number
    return True


def numbered(number: int) -> bytes:
    return reply(ANSWER.replace("Yes", str(number)))


@pytest.mark.parametrize(("act", "wait"), [(lambda to, n: to.sendall(2 * numbered(n)) is None, 0), (late, 0.1), (late, 0), (behind, 0)])  # fmt: skip
def test_no_reply_is_taken_for_the_answer_to_the_next_question(
    act: Callable[..., bool], wait: float, endpoint: Callable[..., Endpoint]
) -> None:
    async def three() -> list[str]:
        texts = []
        async with EndpointClient(endpoint(url=f"http://127.0.0.1:{server.port}/v1")) as client:
            for question in "123":
                texts.append((await client.chat("m", [{"role": "user", "content": question}], {})).text)
                await asyncio.sleep(wait)
        return texts

    with Server(act) as server:
        assert asyncio.run(three()) == ["1", "2", "3"]
        assert server.connections == 3


@pytest.mark.parametrize("encoding", ["gzip", "gzip, gzip"])
def test_a_bomb_is_not_unpacked(encoding: str, endpoint: Callable[..., Endpoint]) -> None:
    packed = reply(bomb(0.06), Content_Encoding=encoding)
    assert len(packed) < 1e5
    with Server(send(packed)) as server:
        tracemalloc.start()
        try:
            with pytest.raises(EndpointError, match="not asked for, and is not unpacked"):
                ask(endpoint(url=f"http://127.0.0.1:{server.port}/v1", tries=1), "?")
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 8e6


def test_certificates(endpoint: Callable[..., Endpoint]) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    with self_signed() as context, Server(send(reply()), context) as server:
        start = time.monotonic()
        with pytest.raises(EndpointError, match="TLS: https://127.0.0.1:.*: self-signed certificate; ") as caught:
            ask(endpoint(url=f"https://127.0.0.1:{server.port}/v1"), "?")
        assert caught.value.final and time.monotonic() - start < 8
        assert not server.requests


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://models.invalid/v1", "unknown host: no address is known for the host of http://models.invalid: check"),
        (
            "http://127.0.0.1:{port}/v1",
            "connection refused: nothing listens at http://127.0.0.1:{port}: start the server",
        ),
    ],
)
def test_nobody_there_ends_soon(url: str, told: str, endpoint: Callable[..., Endpoint]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = time.monotonic()
    with pytest.raises(EndpointError) as caught:
        ask(endpoint(url=url.format(port=port)), "?")
    assert told.format(port=port) in str(caught.value)
    assert caught.value.final and not caught.value.billed and time.monotonic() - start < 8


def test_the_usual_server_of_a_port_is_named(endpoint: Callable[..., Endpoint]) -> None:
    from dxmatch.endpoints.call_errors import error_of_connection

    told = str(
        error_of_connection(endpoint(url="http://localhost:11434/v1"), ConnectionRefusedError(), connected=False)
    )
    assert "nothing listens at http://localhost:11434: start the server, e.g. `ollama serve`, or mend `url`." in told
    by_proxy = endpoint(proxy="http://localhost:11434")
    assert "mend `proxy`" in str(error_of_connection(by_proxy, ConnectionRefusedError(), connected=False))


def test_a_server_that_accepts_nothing_is_not_waited_for(endpoint: Callable[..., Endpoint]) -> None:
    full = socket.create_server(("127.0.0.1", 0), backlog=0)
    with full:
        queued = []
        for _ in range(4):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(full.getsockname())
            queued.append(one)
        with pytest.raises(
            EndpointError, match="no connection: none to http://127.0.0.1:.* .no answer within 0.4 s."
        ) as caught:
            ask(endpoint(url=f"http://127.0.0.1:{full.getsockname()[1]}/v1", timeout=TIMEOUT), "?")
        assert caught.value.final and not caught.value.billed
        for one in queued:
            one.close()


# What is said with --debug


def test_the_servers_words_are_logged_without_the_key(
    endpoint: Callable[..., Endpoint], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "dxmatch")
    coded = base64.b64encode(f"Bearer {KEY}".encode()).decode()
    body = said(f"{KEY} {coded} is wrong")
    with Server(send(reply(body, "401 Unauthorized"))) as server, pytest.raises(EndpointError):
        ask(endpoint(url=f"http://127.0.0.1:{server.port}/v1"), "?")
    assert f"is wrong ({SECRET})" in caplog.text
    assert KEY not in caplog.text and coded[-20:] not in caplog.text


def test_the_command_line_shows_them_with_debug(tmp_path: Path, command: Callable[..., Any]) -> None:
    with Server(send(reply(said("no such thing"), "404 Not Found"))) as server:
        (toml := tmp_path / "e.toml").write_text(f'[endpoint.lab]\nurl = "http://127.0.0.1:{server.port}/v1"\n')
        (tmp_path / "cases.csv").write_text("case,text\n1,A man with a swollen toe.\n")
        ask_it = ("ask", tmp_path / "cases.csv", "--endpoints", toml, "-m", "lab:m", "--store", tmp_path / "v.sqlite")
        quiet, loud = command(*ask_it), command(*ask_it, "--debug")
    assert "not found: status 404" in quiet.out + quiet.err and SECRET not in quiet.out + quiet.err
    assert f"the server said: {{'message': 'no such thing ({SECRET})'}}" in loud.err
    assert not logging.getLogger("dxmatch").handlers


# The key in codings


@pytest.mark.parametrize(
    "coded",
    [
        lambda key: key,
        lambda key: quote(key, safe=""),
        lambda key: quote(key, safe="").lower(),
        lambda key: key.encode().hex().upper(),
        lambda key: base64.b64encode(key.encode()).decode(),
        lambda key: base64.urlsafe_b64encode(f"Bearer {key}".encode()).decode(),
        lambda key: base64.b64encode(f"x{key}, and more".encode()).decode(),
        lambda key: base64.b64encode(f"xy{key}".encode()).decode().rstrip("="),
    ],
)
@pytest.mark.parametrize("key", ["sk-0123/+=?&-none", "~~~???>>>sk"])
def test_a_coded_key_is_blotted_out(
    coded: Callable[[str], str], key: str, endpoint: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DXMATCH_TEST_KEY", key)
    shown = without_key(f"it was {coded(key)} there", endpoint())
    assert shown.startswith("it was ") and shown.endswith(" there") and "[key]" in shown
    assert len(shown) < len("it was [key] there") + 20
    monkeypatch.setenv("DXMATCH_TEST_KEY", "none")
    assert without_key("non-Hodgkin, bm9uZQ==, none", endpoint()) == "non-Hodgkin, bm9uZQ==, [key]"
