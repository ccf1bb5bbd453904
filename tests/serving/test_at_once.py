"""Many who ask at once: each gets its own answer, and few are worked on at the same time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import httpx2

from dxmatch.serving import app, application
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
