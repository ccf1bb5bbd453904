"""`--debug`, which every command takes, before its name or after it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer


def _remember(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.ensure_object(dict)["debug"] = True


Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", callback=_remember)]
"""Given, it sets "debug" in the mapping that the command line was called with as `obj`."""


def accept_debug(app: typer.Typer) -> None:
    """Adds the option to every command of `app`, and of the groups below it."""
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = _with_debug(command.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            group.typer_instance.callback()(_with_debug(lambda: None))
            accept_debug(group.typer_instance)


def _with_debug(command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    def run(*, debug: bool, **options: Any) -> Any:
        del debug  # remembered already
        return command(**options)

    signature = inspect.signature(command, eval_str=True)
    option = inspect.Parameter("debug", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Debug)
    signature = signature.replace(parameters=[*signature.parameters.values(), option])
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    return run
