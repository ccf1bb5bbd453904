"""The ASGI application: its addresses, and how a request becomes an answer or an error of one line."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection
from importlib import metadata
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import DxmatchError, MissingExtra, ModelError

try:
    from anyio import CapacityLimiter, to_thread
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
except ImportError:
    raise MissingExtra("A server", "serve") from None

from .answers import check_diagnoses, linked, mapped, matched
from .description import Operation, described
from .guard import LOOPBACK, Guard
from .labels import LabelFile, user_name
from .messages import MAX_BODY, Health, Label, Labels, Links, Lists, Mapping, Match, Pair, Texts
from .page import docs_page, page, script, style
from .replies import answered, refused

if TYPE_CHECKING:
    from ..matcher.match_function import MatchFunction

_AT_ONCE = 2
"""Requests that M works on at the same time; others wait."""
_LAST = 20
_LOG = logging.getLogger("dxmatch")


def app(
    matcher: MatchFunction | None = None,
    *,
    labels: str | os.PathLike[str] | None = None,
    expert: str | None = None,
    hosts: Collection[str] | None = LOOPBACK,
    names: Collection[str] = (),
) -> Any:
    """The page and the API as an ASGI application, for a server of one's own: `uvicorn --factory dxmatch.serving:app`.

    Parameters
    ----------
    matcher : the match function; the shipped one if not given.
    labels : a CSV file for what people say of pairs (a, b, label_<expert>, when), as `dxmatch train` takes it. Without it no label is
        taken.
    expert : who labels; the name of who is logged in if not given.
    hosts : the names by which browsers may call the server; those of this machine alone if not given, and None for any address in
        numbers. Another name is refused, so that no stranger's page can reach it by a name of its own.
    names : more such names.

    Raises
    ------
    MissingExtra
        Without the extra `serve`.
    InputError
        For a file of labels that is none.
    """
    from ..matcher.match_function import load

    m = load() if matcher is None else matcher
    kept = None if labels is None else LabelFile(labels, user_name() if expert is None else expert)
    operations = _operations(m, kept)
    description = described(operations)
    limiter = CapacityLimiter(_AT_ONCE)
    routes = [
        Route("/", _fixed(page(m, kept), "text/html")),
        Route("/docs", _fixed(docs_page(description), "text/html")),
        Route("/style.css", _fixed(style(), "text/css")),
        Route("/script.js", _fixed(script(), "text/javascript")),
        Route("/openapi.json", _fixed(msgspec.json.encode(description).decode(), "application/json")),
        *(Route(each.path, _endpoint(each, limiter), methods=[each.method]) for each in operations),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, hosts=hosts, names=names)],
        exception_handlers={HTTPException: _refuse},
    )


def _operations(m: MatchFunction, kept: LabelFile | None) -> list[Operation]:
    def health(_: None) -> Health:
        return Health("ok", metadata.version("dxmatch"), m.identity, m.policy, kept is not None)

    def labels(_: None) -> Labels:
        return _said(_given(kept))

    def say(label: Label) -> Labels:
        file = _given(kept)
        check_diagnoses("the pair", [label.a, label.b])  # training would refuse the file
        file.say(label.a, label.b, label.label)
        return _said(file)

    return [
        Operation("GET", "/api/health", "Whether the server answers, and with what.", None, Health, health),
        Operation(
            "POST", "/api/match", "Whether two diagnoses match, and why.", Pair, Match, lambda p: matched(m, p, kept),
            example={"a": "heart attack", "b": "STEMI"},
        ),
        Operation(
            "POST", "/api/link", "The best of one list for each of another.", Lists, Links, lambda x: linked(m, x, kept),
            example={"a": ["heart attack", "UTI"], "b": ["urinary tract infection", "myocardial infarction"], "k": 1},
        ),
        Operation(
            "POST", "/api/icd", "Diagnoses to ICD-10, with candidates.", Texts, Mapping, lambda texts: mapped(m, texts),
            example={"diagnoses": ["pneumonia"], "k": 3},
        ),
        Operation("GET", "/api/labels", "The labels said last.", None, Labels, labels),
        Operation(
            "POST", "/api/labels", "Say whether a pair is a match.", Label, Labels, say,
            example={"a": "heart attack", "b": "STEMI", "label": 1},
        ),
    ]  # fmt: skip


def _given(kept: LabelFile | None) -> LabelFile:
    if kept is None:
        raise ModelError("This server takes no labels, since it was given no file for them.")
    return kept


def _said(kept: LabelFile) -> Labels:
    return Labels(kept.path.name, kept.column, len(kept), kept.last(_LAST))


def _fixed(text: str, kind: str) -> Callable[[Request], Response]:
    content = text.encode()
    return lambda _: Response(content, media_type=kind)


def _endpoint(operation: Operation, limiter: CapacityLimiter) -> Callable[[Request], Any]:
    decoder = None if operation.takes is None else msgspec.json.Decoder(operation.takes)

    async def answer(request: Request) -> Response:
        try:
            given = None
            if decoder is not None:
                body = bytearray()
                async for piece in request.stream():
                    body += piece
                    if len(body) > MAX_BODY:
                        return refused(413, f"too much at once. Allowed: {MAX_BODY:,} bytes.")
                given = decoder.decode(body)
            return answered(await to_thread.run_sync(operation.answer, given, limiter=limiter))
        except msgspec.ValidationError as error:
            problem, _, place = str(error).partition(" - at `$.")
            return refused(422, f"{place.rstrip('`')}: {problem}." if place else f"{problem}.")
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return refused(400, f"what was posted is no JSON in UTF-8 ({error}).")
        except DxmatchError as error:
            # the remedies are parameters of Python, which nobody who asks here can give
            return refused(422, error.worded({}))
        except Exception as error:
            _LOG.debug("%s", operation.path, exc_info=True)
            return refused(500, f"this is a fault of dxmatch ({type(error).__name__}).")

    return answer


def _refuse(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    lines = {404: "no such address. Allowed: what /docs names.", 405: "not by this method. Allowed: what /docs names."}
    return refused(error.status_code, lines.get(error.status_code, error.detail))
