"""What every target shares: hypothesis asked by number and seed, a finding kept as a file that can become a test."""

from __future__ import annotations

import hashlib
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.strategies import SearchStrategy

FOUND = Path(__file__).resolve().parents[2] / "out" / "fuzz"


def falsified(check: Callable[[Any], None], inputs: SearchStrategy[Any], number: int, start: int) -> list[str]:
    """What hypothesis makes `check` fail on, each of another place, made small; `check` raises `AssertionError` where it is wrong."""
    said: list[str] = []

    def tried(value: Any) -> None:
        try:
            check(value)
        except Exception as error:
            said.append(
                f"{type(error).__name__}: {error}\n{''.join(traceback.format_tb(error.__traceback__)[-2:])}{value!r}"
            )
            raise

    asked = settings(
        max_examples=number, database=None, deadline=None, verbosity=Verbosity.quiet, print_blob=False,
        suppress_health_check=[*HealthCheck], phases=[Phase.generate, Phase.target, Phase.shrink],
        report_multiple_bugs=False,
    )  # fmt: skip
    try:
        seed(start)(asked(given(inputs)(tried)))()
    except Exception:
        return said[-1:]
    return []


def seconds_of(call: Callable[[], Any], most: float) -> float:
    """Processor seconds of a call; the least of three where it is too slow, so that a busy machine is no finding."""
    taken = most
    for _ in range(3):
        began = time.thread_time()
        call()
        taken = min(taken, time.thread_time() - began) if taken != most else time.thread_time() - began
        if taken < most:
            break
    return taken


def keep(target: str, finding: str) -> Path:
    """The finding as a file whose name says the target; the same finding is one file."""
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / f"{target}-{hashlib.sha256(finding.encode('utf-8', 'replace')).hexdigest()[:12]}.txt"
    path.write_text(finding, "utf-8", errors="backslashreplace")
    return path
