"""How many inputs a target tries, and how its time is taken: `make fuzz` sets FUZZ to a large number and draws others each time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings

NUMBER = int(os.environ.get("FUZZ", 0))


def examples(share: int = 1) -> settings:
    """share : one in so many inputs, where each takes long."""
    number = (NUMBER or 60) // share
    return settings(max_examples=number, derandomize=not NUMBER, deadline=None, suppress_health_check=[*HealthCheck])


def assert_quick(calls: dict[str, Callable[[], Any]], most: float, length: int) -> None:
    """In processor seconds; the least of three where it is too slow, so that a busy machine is no finding."""
    for part, call in calls.items():
        for _ in range(3):
            began = time.thread_time()
            call()
            taken = time.thread_time() - began
            if taken < most:
                break
        assert taken < most, f"{part}: {taken:.1f} s for {length:,} characters"
