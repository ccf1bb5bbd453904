"""The ASGI application: its addresses, and how a request becomes an answer or an error of one line."""

from __future__ import annotations

import getpass
import logging
import os
import re
from collections.abc import Callable, Collection
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import DxmatchError, InputError, MissingExtra, ModelError

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

from ..files.pair_labels import VOTES
from ..labelling.label_file import LabelFile
from ..pages.document import base_style
from ..pages.templates import template
from .answers import (
    MOST_CANDIDATES,
    MOST_PAIRS,
    Label,
    Lists,
    Pair,
    Texts,
    linked,
    mapped,
    matched,
    no_diagnosis,
)
from .guard import LOOPBACK, Guard, answered, let_end, refused

if TYPE_CHECKING:
    from ..matcher.match_function import MatchFunction

MAX_BODY = 2_000_000
"""Bytes of a request."""
_AT_ONCE = 2
"""Requests that M works on at the same time; others wait."""
_LAST = 20
_LOG = logging.getLogger("dxmatch")
_HERE = Path(__file__).parent


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
    labels : a CSV file for what people say of pairs (a, b, label_<expert>, labelled_at), as `dxmatch train` takes it. Without it no label
        is taken.
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

    def given() -> LabelFile:
        if kept is None:
            raise ModelError("This server takes no labels, since it was given no file for them.")
        return kept

    def said(_: None = None) -> dict[str, Any]:
        last = [
            {"a": one.a, "b": one.b, "label": VOTES.get(one.answer), "when": one.when} for one in given().last(_LAST)
        ]
        return {"file": given().path.name, "column": given().column, "count": len(given()), "last": last}

    def say(label: Label) -> dict[str, Any]:
        for text, why in no_diagnosis([label.a, label.b]).items():  # training would refuse the file
            raise InputError(f"the pair: {why}", allowed="two diagnoses in words", got=text)
        given().say(label.a, label.b, {1: "yes", 0: "no", None: None}[label.label])
        return said()

    asks = None if m.model.verdicts is None else m.model.verdicts.how.model
    about = {
        "status": "ok",
        "version": metadata.version("dxmatch"),
        "model": m.identity,
        "policy": m.policy,
        "labels": kept is not None,
        "asks": asks,
    }
    page = template("page.html.j2", _HERE).render(
        model=m.identity, policy=m.policy, asks=asks, limits={"pairs": MOST_PAIRS, "candidates": MOST_CANDIDATES},
        labels=None if kept is None else {"file": kept.path.name, "column": kept.column},
    )  # fmt: skip
    style = base_style() + (_HERE / "style.css").read_text("utf-8")
    limiter = CapacityLimiter(_AT_ONCE)
    routes = [
        Route("/", _fixed(page, "text/html")),
        Route("/style.css", _fixed(style, "text/css")),
        Route("/script.js", _fixed((_HERE / "script.js").read_text("utf-8"), "text/javascript")),
        Route("/api/health", _endpoint(None, lambda _: about, limiter)),
        Route("/api/match", _endpoint(Pair, lambda pair: matched(m, pair, kept), limiter), methods=["POST"]),
        Route("/api/link", _endpoint(Lists, lambda lists: linked(m, lists, kept), limiter), methods=["POST"]),
        Route("/api/icd", _endpoint(Texts, lambda texts: mapped(m, texts), limiter), methods=["POST"]),
        Route("/api/labels", _endpoint(None, said, limiter)),
        Route("/api/labels", _endpoint(Label, say, limiter), methods=["POST"]),
    ]
    guard = Middleware(Guard, hosts=hosts, names=names)
    return Starlette(routes=routes, middleware=[guard], exception_handlers={HTTPException: _refuse})


def user_name() -> str:
    """The name that this user is logged in by, as part of a column's name; "me" where there is none."""
    try:
        return re.sub(r"[^\w-]", "_", getpass.getuser()).strip("_")[:40] or "me"
    except (OSError, KeyError, ImportError):  # no entry for the user, as in some containers; Windows without USERNAME
        return "me"


def _fixed(text: str, kind: str) -> Callable[[Request], Response]:
    return lambda _: Response(text, media_type=kind)


def _endpoint(takes: type[msgspec.Struct] | None, answer: Callable[[Any], Any], limiter: CapacityLimiter) -> Any:
    """takes : what is posted. answer : makes what comes back of it."""
    decoder = None if takes is None else msgspec.json.Decoder(takes)

    async def asked(request: Request) -> Response:
        try:
            given = None
            if decoder is not None:
                body = bytearray()
                async for piece in request.stream():
                    body += piece
                    if len(body) > MAX_BODY:
                        await let_end(request.receive)
                        return refused(413, f"too much at once. Allowed: {MAX_BODY:,} bytes.")
                given = decoder.decode(body)
            return answered(await to_thread.run_sync(answer, given, limiter=limiter))
        except msgspec.ValidationError as error:
            problem, _, place = str(error).partition(" - at `$.")
            return refused(422, f"{place.rstrip('`')}: {problem}." if place else f"{problem}.")
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return refused(400, f"what was posted is no JSON in UTF-8 ({error}).")
        except DxmatchError as error:
            # the remedies are parameters of Python, which nobody who asks here can give
            return refused(422, error.finding)
        except Exception as error:
            _LOG.debug("%s", request.url.path, exc_info=True)
            return refused(500, f"this is a fault of dxmatch ({type(error).__name__}).")

    return asked


def _refuse(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    lines = {404: "no such address.", 405: "not by this method."}
    return refused(error.status_code, lines.get(error.status_code, error.detail))
