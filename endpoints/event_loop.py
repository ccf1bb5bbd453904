"""Asynchronous work out of a plain function, in a notebook too."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs to the end; in a thread of its own where this one runs an event loop already, which cannot be nested."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    under_way: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []

    async def noted() -> T:
        under_way.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await work

    with ThreadPoolExecutor(1) as thread:
        ended = thread.submit(asyncio.run, noted())
        try:
            return ended.result()
        except KeyboardInterrupt:
            for loop, task in under_way:
                loop.call_soon_threadsafe(task.cancel)  # type: ignore[union-attr]
            raise
