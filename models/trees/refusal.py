"""How everything that reads a model folder says no: the place, the problem, what is allowed, what came."""

from __future__ import annotations

from typing import Any

from ...errors import ModelError, quoted

_NOTHING_TO_SHOW = object()


def refusal(place: str, problem: str, *, allowed: str | None = None, got: Any = _NOTHING_TO_SHOW) -> ModelError:
    """The error to raise; `place` is the file, with the spot in it: `models/mine/trees/0.txt, tree 3, threshold`."""
    message = f"{place}: {problem}."
    if allowed:
        message += f" Allowed: {allowed}."
    if got is not _NOTHING_TO_SHOW:
        message += f" Got: {quoted(got)}."
    return ModelError(message)
