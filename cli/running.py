"""What all commands share when they run: `--debug`, before a command's name or after it, how errors name the options, and the end that Ctrl-C makes."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Annotated, Any

import typer


def _remember(context: typer.Context, wanted: bool) -> None:
    given = context.ensure_object(dict)
    if wanted and not given.get("debug"):
        given["debug"] = True
        log, shown = logging.getLogger("dxmatch"), logging.StreamHandler()
        before = log.level
        log.addHandler(shown)
        log.setLevel(logging.DEBUG)
        context.call_on_close(lambda: (log.removeHandler(shown), log.setLevel(before)))


Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        help="Show the traceback of an error, and what a server said of one (which may repeat a diagnosis).",
        callback=_remember,
    ),
]
"""Given, it sets "debug" in the mapping that the command line was called with as `obj`."""


def complete(app: typer.Typer) -> None:
    """Gives every command of `app`, and of the groups below it, what all share."""
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = _completed(command.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            group.typer_instance.callback()(_completed(lambda: None))
            complete(group.typer_instance)


def _completed(command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    def run(context: typer.Context, *, debug: bool, **options: Any) -> Any:
        del debug  # remembered already
        spelt = {each.name: max(each.opts, key=len) for each in context.command.params if each.name and each.opts}
        context.ensure_object(dict)["options"] = {name: said for name, said in spelt.items() if said.startswith("-")}
        try:
            return command(**options)
        except KeyboardInterrupt as error:
            # Typer would end without a word.
            typer.echo(f"dxmatch: {str(error) or 'interrupted; nothing half-written is left.'}", err=True)
            raise typer.Exit(130) from None

    signature = inspect.signature(command, eval_str=True)
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    option = inspect.Parameter("debug", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Debug)
    signature = signature.replace(parameters=[context, *signature.parameters.values(), option])
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    return run
