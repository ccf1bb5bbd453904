"""What all commands share when they run: options that may stand before a command's name or after it, those of `origin.py` for a command with a parameter `origin`, that no file is both read and written, how errors name the options, and the end that Ctrl-C makes."""

from __future__ import annotations

import functools
import inspect
import logging
import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.models import ArgumentInfo

from ..settings import HIDE_CELLS, SHARED_FILES, SPREADSHEET
from .origin import origin_of


def _remember(context: typer.Context, wanted: bool) -> None:
    given = context.ensure_object(dict)
    if wanted and not given.get("debug"):
        given["debug"] = True
        log, shown = logging.getLogger("dxmatch"), logging.StreamHandler()
        before = log.level
        log.addHandler(shown)
        log.setLevel(logging.DEBUG)
        context.call_on_close(lambda: (log.removeHandler(shown), log.setLevel(before)))


def _set(setting: str) -> Callable[[typer.Context, bool], None]:
    """What sets an environment variable until the command has ended: in this process and in those that it starts."""

    def given(context: typer.Context, wanted: bool) -> None:
        if wanted:
            before = os.environ.get(setting)
            os.environ[setting] = "1"
            context.ensure_object(dict)[setting] = True
            context.call_on_close(
                lambda: os.environ.pop(setting, None) if before is None else os.environ.update({setting: before})
            )

    return given


Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        help="Show the traceback of an error, and what a server said of one (which may repeat a diagnosis).",
        callback=_remember,
    ),
]
"""Given, it sets "debug" in the mapping that the command line was called with as `obj`; the others their environment variable."""
SharedFiles = Annotated[
    bool,
    typer.Option(
        "--shared-files",
        help=f"Write files with the usual permissions (umask), not for you alone. Also: {SHARED_FILES}=1.",
        callback=_set(SHARED_FILES),
    ),
]
HideCells = Annotated[
    bool,
    typer.Option(
        "--hide-cells",
        help=f"Errors and warnings show no cell of your data, only its length. Also: {HIDE_CELLS}=1.",
        callback=_set(HIDE_CELLS),
    ),
]
Spreadsheet = Annotated[
    bool,
    typer.Option(
        "--spreadsheet",
        help=f"In a CSV, keep a spreadsheet from running a text as a formula. Also: {SPREADSHEET}=1.",
        callback=_set(SPREADSHEET),
    ),
]
_ALL_SHARE = {"debug": Debug, "shared_files": SharedFiles, "hide_cells": HideCells}
_TO_TABLES = {"output", "rejects"}
"""Options of the commands that write tables,"""
_WITHOUT_TABLES = {"demo", "explain", "key"}
"""but for these."""
_WRITTEN = {
    "output", "rejects", "json", "csv", "pairs", "matches", "judgements", "held_out", "per_answer", "per_note", "deductions",
    "open_pairs", "review", "repair", "store", "public",
}  # fmt: skip
"""Options that name a file to be written; every other path that a command is given is read."""


def complete(app: typer.Typer) -> None:
    """Gives every command of `app`, and of the groups below it, what all share."""
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = _completed(command.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            group.typer_instance.callback()(_completed(lambda: None))
            complete(group.typer_instance)


def traceback_without_cells(error: BaseException) -> str:
    """The traceback of an error and of those before it; of what others raised, whose words may hold a cell, the kind alone."""
    from ..errors import DxmatchError

    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    said = f": {error}" if isinstance(error, DxmatchError) else " (its message may hold a cell, and is hidden)"
    own = f"{''.join(traceback.format_tb(error.__traceback__))}{type(error).__qualname__}{said}"
    return own if before is None else f"{traceback_without_cells(before)}\n\n{own}"


def _check_apart(options: Mapping[str, Any], arguments: set[str]) -> None:
    """Errors: `InputError` where an output is what the command reads, or another of its outputs."""
    written = [
        path for name in sorted(_WRITTEN - arguments) for path in _all(options.get(name)) if isinstance(path, Path)
    ]
    if written:
        from ..files.tables import check_apart

        read = [one for name in options.keys() - (_WRITTEN - arguments) for one in _all(options[name])]
        named = [one.partition("=")[2] for one in read if isinstance(one, str)]  # NAME=FILE
        check_apart(written, [one for one in (*read, *named) if one and isinstance(one, str | Path)])


def _all(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]


def _completed(command: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(command, eval_str=True)
    asked = inspect.signature(origin_of, eval_str=True).parameters if "origin" in signature.parameters else {}
    arguments = {
        name
        for name, each in signature.parameters.items()
        if any(isinstance(said, ArgumentInfo) for said in getattr(each.annotation, "__metadata__", ()))
    }
    shared = dict(_ALL_SHARE)
    if signature.parameters.keys() & _TO_TABLES and command.__name__ not in _WITHOUT_TABLES:
        shared["spreadsheet"] = Spreadsheet

    @functools.wraps(command)
    def run(context: typer.Context, **options: Any) -> Any:
        for name in shared:
            del options[name]  # their callbacks have done it
        spelt = {each.name: max(each.opts, key=len) for each in context.command.params if each.name and each.opts}
        context.ensure_object(dict)["options"] = {name: said for name, said in spelt.items() if said.startswith("-")}
        try:
            _check_apart(options, arguments)
            if asked:
                options["origin"] = origin_of(**{name: options.pop(name) for name in asked})
            return command(**options)
        except KeyboardInterrupt as error:
            # Typer would end without a word.
            typer.echo(f"dxmatch: {str(error) or 'interrupted; nothing half-written is left.'}", err=True)
            raise typer.Exit(130) from None

    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    own = [each for name, each in signature.parameters.items() if name != "origin"]
    of_origin = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in asked.values()]
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in shared.items()
    ]
    signature = signature.replace(parameters=[context, *own, *of_origin, *options])
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    return run
