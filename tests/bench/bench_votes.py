"""Votes per second at 20 ms of server latency: 64 calls at once, one at a time, and what the layers below cost.

All clients ask the same loopback server, in a process of its own, the same prompts in this run. The ideal is 64 calls in
every 20 ms. "httpx2 alone" posts and parses, without openai's client, retries, verdicts or the store. Run: python -m tests.bench votes
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.votes.asker import Job, ask
from dxmatch.votes.prompts.questions import ModelConfig, Question, canonical
from dxmatch.votes.prompts.versions import PROMPTS, VOTE_PROMPT
from dxmatch.votes.store.store import VoteStore

from ..loopback_server import Loopback
from .report import Row, show

LATENCY, CONCURRENCY, VOTES, ALONE = 0.02, 64, 4_000, 200
PARAMETERS = {"max_tokens": 16, "temperature": 0}
VOTER = ModelConfig("model-a", VOTE_PROMPT, canonical(PARAMETERS))

Speed = tuple[float, float]
"""Calls per second, and seconds of the processor per call."""


def questions(n: int, name: str) -> list[Question]:
    return [Question(VOTER, f"acute myocardial infarction {i}", f"{name} {i}") for i in range(n)]


def votes(url: str, folder: Path, n: int, concurrency: int) -> Speed:
    """The whole way: questions drawn, asked, read, and each answer committed."""
    with VoteStore(folder / f"{concurrency}-{time.monotonic_ns()}.sqlite") as store:
        job = Job(Endpoint("loopback", url, concurrency=concurrency), VOTER, questions(n, "heart attack"), n)
        start, cpu = time.perf_counter(), time.process_time()
        summary = ask([job], store)
        speed = n / (time.perf_counter() - start), (time.process_time() - cpu) / n
        assert summary.answered == n, summary.lines()
    return speed


def posts(n: int, concurrency: int, open_post: Callable[[], tuple[Any, Callable[[dict[str, Any]], Awaitable[Any]]]]) -> Speed:  # fmt: skip
    bodies = [
        {"model": "model-a", "messages": PROMPTS[VOTE_PROMPT].messages(q.first, q.second), **PARAMETERS}
        for q in questions(n, "heart attack")
    ]

    async def run() -> Speed:
        client, post = open_post()
        waiting = iter(bodies)

        async def work() -> None:
            for body in waiting:
                await post(body)

        async with client:
            start, cpu = time.perf_counter(), time.process_time()
            await asyncio.gather(*(work() for _ in range(concurrency)))
            return n / (time.perf_counter() - start), (time.process_time() - cpu) / n

    return asyncio.run(run())


def main() -> None:
    import httpx2
    import openai

    server = Loopback()
    server.rules(delay=LATENCY, keep=False)
    url = f"{server.url}/chat/completions"
    many = httpx2.Limits(max_connections=None, max_keepalive_connections=None)

    def httpx2_alone(**chosen: Any) -> tuple[Any, Callable[[dict[str, Any]], Awaitable[Any]]]:
        client = httpx2.AsyncClient(timeout=None, trust_env=False, **chosen)

        async def post(body: dict[str, Any]) -> None:
            assert (await client.post(url, json=body)).json()["choices"]

        return client, post

    def openai_alone() -> tuple[Any, Callable[[dict[str, Any]], Awaitable[Any]]]:
        http = httpx2.AsyncClient(timeout=None, trust_env=False, limits=many)
        client = openai.AsyncOpenAI(api_key="none", base_url=server.url, max_retries=0, http_client=http)

        async def post(body: dict[str, Any]) -> None:
            assert (await client.chat.completions.create(**body)).choices

        return client, post

    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            votes(server.url, folder, 200, CONCURRENCY)  # imports, and first connections
            ours = max(votes(server.url, folder, VOTES, CONCURRENCY) for _ in range(3))
            one_by_one = votes(server.url, folder, ALONE, 1)
            thousand = votes(server.url, folder, VOTES, 1_000)
        peers = {
            "openai's client alone": posts(VOTES, CONCURRENCY, openai_alone),
            "httpx2 alone": posts(VOTES, CONCURRENCY, lambda: httpx2_alone(limits=many)),
        }
    finally:
        server.stop()
    ideal = CONCURRENCY / LATENCY
    what = f"votes per second, {CONCURRENCY} at once"
    rows = [
        Row(what, "1/s", ours[0], "one at a time", one_by_one[0]),
        Row(what, "1/s", ours[0], "64 in 20 ms", ideal),
        Row("votes per second, 1,000 at once", "1/s", thousand[0], f"{CONCURRENCY} at once", ours[0]),
        *(Row(what, "1/s", ours[0], peer, speed[0]) for peer, speed in peers.items()),
        *(Row("processor time per vote", "ms", ours[1] * 1e3, peer, speed[1] * 1e3) for peer, speed in peers.items()),
    ]
    show(rows, Path("out/bench/votes.json"))


if __name__ == "__main__":
    main()
