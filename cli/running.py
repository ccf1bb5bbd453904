"""What all commands share when they run: options that may stand before a command's name or after it, `-` for standard input and output, --json and
--quiet, options that make a group, and the end that Ctrl-C makes."""

from __future__ import annotations

import functools
import inspect
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from typer.models import ArgumentInfo

from ..settings import HIDE_CELLS, QUIET, SHARED_FILES, SPREADSHEET, quiet
from .apart import WRITTEN, check_apart, every
from .shown_options import in_plain_words
from .streams import FORMATS, Streams, print_document
from .usage import Command, Group


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


_EVERYWHERE = "Everywhere"
Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        help="Show the traceback of an error, and what a server said of one (which may repeat a diagnosis).",
        callback=_remember,
        rich_help_panel=_EVERYWHERE,
    ),
]
"""Given, it sets "debug" in the mapping that the command line was called with as `obj`; the others their environment variable."""
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help=f"No progress, and no words about what was written; warnings and errors stay. Also: {QUIET}=1.",
        callback=_set(QUIET),
        rich_help_panel=_EVERYWHERE,
    ),
]
SharedFiles = Annotated[
    bool,
    typer.Option(
        "--shared-files",
        help=f"Write files with the usual permissions (umask), not for you alone. Also: {SHARED_FILES}=1.",
        callback=_set(SHARED_FILES),
        rich_help_panel=_EVERYWHERE,
    ),
]
HideCells = Annotated[
    bool,
    typer.Option(
        "--hide-cells",
        help=f"Errors and warnings show no cell of your data, only its length. Also: {HIDE_CELLS}=1.",
        callback=_set(HIDE_CELLS),
        rich_help_panel=_EVERYWHERE,
    ),
]
Spreadsheet = Annotated[
    bool,
    typer.Option(
        "--spreadsheet",
        help=f"In a CSV, keep a spreadsheet from running a text as a formula. Also: {SPREADSHEET}=1.",
        callback=_set(SPREADSHEET),
        rich_help_panel=_EVERYWHERE,
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print the result as one JSON document, in place of words; of a table that is not written, all its rows, too.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", help=f"What -o - writes: {', '.join(FORMATS)}; csv, if not given. A file's suffix says it."
    ),
]
_ALL_SHARE = {"quiet": Quiet, "debug": Debug, "shared_files": SharedFiles, "hide_cells": HideCells}
_TO_TABLES = {"output", "rejects"}
"""Options of the commands that write tables,"""
_WITHOUT_TABLES = {"demo", "explain", "key"}
"""but for these."""
_TO_FOLDERS = {"demo", "train", "audit", "suggest", "export", "key", "label"}
"""Commands whose output is no file that standard output could be: a folder, a secret, one that is added to."""
_SUFFIXES = {
    "json": ".json",
    "figures": ".json",
    "evaluate": ".md",
    "reasoning": ".md",
    "choice": ".md",
    "explain": ".svg",
    "path": ".toml",
}
"""What an option, or else the output of a command, is on standard output; a table where it is not here."""
_ASK = {"label"}
"""Commands whose words are questions to the user."""
_CHANGE_A_STORE = {"ask", "import_"}
"""Commands with no output option whose words are about what they did."""


def complete(app: typer.Typer) -> None:
    """Gives every command of `app`, and of the groups below it, what all share."""
    for command in app.registered_commands:
        command.cls = Command
        if command.callback is not None:
            command.callback = _completed(command.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            group.typer_instance.info.cls = Group
            group.typer_instance.callback()(_completed(lambda: None))
            complete(group.typer_instance)


def _completed(command: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(command, eval_str=True)
    name = getattr(command, "__name__", "")
    of_command = dict(signature.parameters)
    takes_context = of_command.pop("context", None) is not None
    groups: dict[str, Callable[..., Any]] = {}
    in_group: dict[str, list[inspect.Parameter]] = {}
    for group, each in of_command.items():
        if (of := _group(each.annotation)) is not None:
            groups[group] = of
            parts = inspect.signature(of, eval_str=True).parameters.values()
            in_group[group] = [part.replace(kind=each.kind) for part in parts]
    all_options = [one for name, each in of_command.items() for one in in_group.get(name, [each])]
    arguments = {
        name
        for name, each in signature.parameters.items()
        if any(isinstance(said, ArgumentInfo) for said in getattr(each.annotation, "__metadata__", ()))
    }
    shared = dict(_ALL_SHARE)
    own = {each.name for each in all_options}
    if own & _TO_TABLES and name not in _WITHOUT_TABLES:
        shared["spreadsheet"] = Spreadsheet
    if signature.return_annotation not in (None, inspect.Signature.empty):
        shared["as_json"] = Json
    if "output" in own and "format" not in own and name not in _TO_FOLDERS | _SUFFIXES.keys():
        shared["stdout_format"] = Format

    @functools.wraps(command)
    def run(context: typer.Context, **options: Any) -> Any:
        given = {name: options.pop(name) for name in shared}  # what the callbacks have not done
        as_json, form = given.get("as_json", False), given.get("stdout_format")
        spelt = {each.name: max(each.opts, key=len) for each in context.command.params if each.name and each.opts}
        remembered = context.ensure_object(dict)
        remembered["options"] = {name: said for name, said in spelt.items() if said.startswith("-")}
        streams = Streams()
        context.call_on_close(streams.close)
        remembered["said"] = streams.said
        try:
            _open_streams(streams, name, options, arguments, form)
            if as_json and streams.writes:
                raise typer.BadParameter("--json prints to standard output, and so does -o -")
            check_apart(options, arguments)
            if takes_context:
                options["context"] = context
            for group, of in groups.items():
                options[group] = of(**{part.name: options.pop(part.name) for part in in_group[group]})
            with streams.messages(silent=as_json or (quiet() and _writes(name, options, arguments))):
                document = command(**options)
            streams.deliver()
            if as_json and document is not None:
                print_document(document)
        except KeyboardInterrupt as error:
            # Typer would end without a word.
            typer.echo(f"dxmatch: {str(error) or 'interrupted; nothing half-written is left.'}", err=True)
            raise typer.Exit(130) from None

    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    options = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None if kind is Format else False, annotation=kind
        )
        for name, kind in shared.items()
    ]
    signature = signature.replace(parameters=[context, *all_options, *options])
    in_plain_words(name, signature.parameters)
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    return run


def _group(annotation: Any) -> Callable[..., Any] | None:
    """The function that makes one value of several options, where a parameter is `Annotated` with one."""
    of_kinds = (said for kind in (annotation, *get_args(annotation)) for said in getattr(kind, "__metadata__", ()))
    return next(filter(inspect.isfunction, of_kinds), None)


def _open_streams(
    streams: Streams, command: str, options: dict[str, Any], arguments: set[str], form: str | None
) -> None:
    """Puts files in the place of `-` among the options."""
    if form is not None and form not in FORMATS:
        raise typer.BadParameter(f"--format {form}: expected {', '.join(FORMATS)}")
    for name, value in options.items():
        if name in WRITTEN - arguments:
            if name == "store" or (name == "output" and command in _TO_FOLDERS):
                continue
            suffix = (
                _SUFFIXES.get(name) or (_SUFFIXES.get(command) if name == "output" else None) or f".{form or 'csv'}"
            )
            made = [streams.written(one, suffix) if isinstance(one, Path) else one for one in every(value)]
        elif name in arguments:
            made = [streams.read(Path(one)) if isinstance(one, Path) else one for one in every(value)]
            if made == ["-"]:  # a text, or a table of them
                made = [str(streams.read(Path("-")))]
        else:
            made = [streams.read(one) if isinstance(one, Path) else one for one in every(value)]
        options[name] = made if isinstance(value, list) else made[0] if made else value
    if form is not None and not streams.writes:
        raise typer.BadParameter("--format says what -o - writes; a file's own suffix says what the file is")


def _writes(command: str, options: dict[str, Any], arguments: set[str]) -> bool:
    """Whether what a command prints is about what it wrote, and not its result."""
    files = (options.get(name) for name in WRITTEN - arguments - {"store", "rejects"})
    return command not in _ASK and (
        (command in _CHANGE_A_STORE and not options.get("dry_run"))
        or any(isinstance(one, Path) for each in files for one in every(each))
    )
