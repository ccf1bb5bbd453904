"""Asking a language model, beside the client of openai alone."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

import dxmatch
from dxmatch.votes.prompts.files import prompt_of

from ..loopback_server import Loopback
from .measure import Figures, entry, in_turns


@entry("questions to a server that takes 20 ms, 64 at once", "questions/s", peer="openai's AsyncOpenAI", mark=0.5)
def ask(short: bool) -> Figures:
    """Ours plans, claims, asks, reads and keeps each answer in a new store; the peer asks the same and drops the answers."""
    import openai  # of the extra 'llm'

    n, server = 100 if short else 2_000, Loopback()
    server.rules({"text": "1. Gout"}, delay=0.02, keep=False)
    cases = {f"{i}": f"A man with a red and swollen toe, {i} days" for i in range(n)}

    async def all_of_them() -> None:
        async def one(text: str) -> None:
            async with at_once:
                messages = prompt.messages(text, "")
                await client.chat.completions.create(model="m", messages=messages, max_tokens=4096, temperature=0)  # type: ignore

        prompt, at_once = prompt_of("diagnosis"), asyncio.Semaphore(64)
        async with openai.AsyncOpenAI(base_url=server.url, api_key="-") as client:
            await asyncio.gather(*map(one, cases.values()))

    with tempfile.TemporaryDirectory() as name:
        (endpoints := Path(name) / "endpoints.toml").write_text(
            f'[endpoint.lab]\nurl = "{server.url}"\nconcurrency = 64\n'
        )

        def ours() -> None:
            asking = dxmatch.Asking(endpoints=endpoints, store=Path(name) / f"{time.monotonic_ns()}.sqlite")
            assert dxmatch.ask(cases, "lab:m", asking=asking).lists is not None

        seconds = in_turns(ours, lambda: asyncio.run(all_of_them()), 1 if short else 3, time.perf_counter)
    server.stop()
    return n / seconds[0], n / seconds[1]
