"""When the next call of an endpoint may begin: so many in a minute, and none while it asks to be left alone."""

from __future__ import annotations

import asyncio
import random
import time

_SPREAD = 0.1


class Pace:
    """Shared by all calls of an endpoint.

    per_minute : the most calls that begin in any minute, evenly spaced; None for no limit.
    """

    def __init__(self, per_minute: float | None) -> None:
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._next = self._paused_until = 0.0

    def pause(self, seconds: float) -> None:
        """No call begins for so long."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    async def turn(self) -> None:
        """Returns when a call may begin. The calls that waited for the end of a pause begin spread over 0.1 s."""
        while True:
            now = time.monotonic()
            start = max(now, self._next, self._paused_until)
            self._next = start + self._gap
            if start == now:
                return
            late = random.uniform(0, _SPREAD) if start == self._paused_until else 0.0
            await asyncio.sleep(start - now + late)
            if time.monotonic() >= self._paused_until:
                return
