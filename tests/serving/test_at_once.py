"""Many who ask at once: each gets its own answer, and few are worked on at the same time. Who never ends asking, or asks too much."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from dxmatch.serving import app, application, server
from dxmatch.serving.answers import matched


def test_eight_at_once(served, m, monkeypatch):
    inside, most, mutex = [], [], threading.Lock()

    def counted(m, pair, labels):
        with mutex:
            inside.append(pair)
            most.append(len(inside))
        try:
            return matched(m, pair, labels)
        finally:
            with mutex:
                inside.remove(pair)

    monkeypatch.setattr(application, "matched", counted)
    names = [f"asthma {n}" for n in range(8)]
    with (
        served(app(m)) as address,
        httpx2.Client(base_url=address, timeout=120) as client,
        ThreadPoolExecutor(8) as pool,
    ):
        got = list(pool.map(lambda name: client.post("api/match", json={"a": name, "b": "asthma"}).json(), names))
    assert [one["a"] for one in got] == names and len(most) == 8 and max(most) <= 2
    assert [one["probability"] for one in got] == [m.probability(name, "asthma") for name in names]


HEAD = b"POST /api/match HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def test_requests_that_never_end_take_nothing_away(served, m, monkeypatch):
    monkeypatch.setattr(server, "REQUEST_S", 1.0)
    with served(app(m)) as address, contextlib.ExitStack() as held:
        url = httpx2.URL(address)
        with httpx2.Client(base_url=address) as kept:
            for sent in [HEAD, HEAD + b"Content-Length: 9\r\n\r\n{"] * 31:
                held.enter_context(socket.create_connection((url.host, url.port))).sendall(sent)
            assert kept.get("api/health").status_code == 200
            for _ in range(2):
                held.enter_context(socket.create_connection((url.host, url.port))).sendall(HEAD)
            assert httpx2.get(f"{address}api/health").status_code == 503
            time.sleep(1.5)
            assert httpx2.get(f"{address}api/health").status_code == 200
            assert kept.get("api/health").status_code == 200, "one that is whole is not cut off"


@pytest.mark.parametrize(("kind", "status"), [("application/json", 413), ("text/plain", 415)])
def test_a_client_that_sends_all_before_it_reads_sees_why(served, m, kind, status):
    with served(app(m)) as address:
        url = httpx2.URL(address)
        asking = http.client.HTTPConnection(url.host, url.port, timeout=60)
        asking.request("POST", "/api/match", b" " * 30_000_000, {"Content-Type": kind, "Connection": "close"})
        assert asking.getresponse().status == status
