"""Answers as JSON, and errors as one line of it."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from .messages import Problem


def answered(answer: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(answer), status, media_type="application/json")


def refused(status: int, line: str) -> Response:
    return answered(Problem(" ".join(line.split())), status)
