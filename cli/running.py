"""What all commands share when they run: the options of `origin.py` for a command with a parameter `origin`, `--debug`, before a command's name or after it, how errors name the options, and the end that Ctrl-C makes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from .origin import origin_of


def _remember(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.ensure_object(dict)["debug"] = True


Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", callback=_remember)]
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
            if asked:
                options["origin"] = origin_of(**{name: options.pop(name) for name in asked})
            return command(**options)
        except KeyboardInterrupt as error:
            # Typer would end without a word.
            typer.echo(f"dxmatch: {str(error) or 'interrupted; nothing half-written is left.'}", err=True)
            raise typer.Exit(130) from None

    signature = inspect.signature(command, eval_str=True)
    asked = inspect.signature(origin_of, eval_str=True).parameters if "origin" in signature.parameters else {}
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    option = inspect.Parameter("debug", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Debug)
    own = [each for name, each in signature.parameters.items() if name != "origin"]
    shared = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in asked.values()]
    signature = signature.replace(parameters=[context, *own, *shared, option])
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    return run
