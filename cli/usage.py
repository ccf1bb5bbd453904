"""How the command line answers what a user types first: help and version as words, a diagnosis in the place of a command, an option given twice."""

from __future__ import annotations

import difflib
import shlex
from collections import Counter
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


class _Shown:
    """Help that names no type of a program: a flag has no value, and an argument is called what it is."""

    def get_params(self, ctx: typer.Context) -> list[Any]:
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for each in parameters:
            if getattr(each, "is_flag", False) and each.metavar is None:
                each.metavar = ""
            elif each.param_type_name == "argument":
                each.display_type_rich = lambda ctx: None  # of newer releases of typer, which set <str> beside it
        return parameters


class Command(_Shown, TyperCommand):  # pyright: ignore[reportIncompatibleMethodOverride]
    """A command that refuses an option with one value that is given twice, where the last would count without a word."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        args = self._with_json(args)
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for parameter, times in Counter(order).items():
                if times > 1 and not (getattr(parameter, "is_flag", False) or getattr(parameter, "multiple", True)):
                    ctx.fail(f"{max(parameter.opts, key=len)} is given {times} times, and takes one value.")
        return super().parse_args(ctx, args)  # type: ignore[arg-type]

    def _with_json(self, args: list[str]) -> list[str]:
        """`--json` without a file after it, where it takes one, means standard output, as it does of every other command."""
        if not any("--json" in each.opts and not getattr(each, "is_flag", False) for each in self.params):
            return args
        out: list[str] = []
        for arg, following in zip(args, [*args[1:], ""], strict=True):
            names_a_file = following == "-" or following.lower().endswith(".json")
            out += [arg, "-"] if arg == "--json" and not names_a_file else [arg]
        return out


class Group(_Shown, TyperGroup):  # pyright: ignore[reportIncompatibleMethodOverride]
    """The commands; `help` and `version` are understood as words, and what is no command is answered with what may be meant."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        elif args == ["version"]:
            args = ["--version"]
        return super().parse_args(ctx, args)  # type: ignore[arg-type]

    def resolve_command(self, ctx: typer.Context, args: list[str]):  # type: ignore[no-untyped-def, override]
        typed = args[0]
        if self.get_command(ctx, typed) is None and not ctx.resilient_parsing and not typed.startswith("-"):  # type: ignore[arg-type]
            near = difflib.get_close_matches(typed, self.commands)
            if near:
                meant = " or ".join(f"'{ctx.command_path} {each}'" for each in near)
                ctx.fail(f"No such command '{typed}'. Did you mean {meant}?")
            if ctx.parent is None:
                ctx.fail(f"No such command '{typed}'. {_meant(args)}")
        return super().resolve_command(ctx, args)  # type: ignore[arg-type]


def _meant(args: list[str]) -> str:
    """What words that begin with no command may be for."""
    from ..files.file_names import is_file_name

    words = [arg for arg in args if not arg.startswith("-")]
    if is_file_name(words[0]):
        file = shlex.quote(words[0])
        return f"For a table of pairs: dxmatch score {file}. For answers of models: dxmatch evaluate {file}. For codes: dxmatch icd {file}."
    texts = [word for word in words if " " in word]
    pair = texts[:2] if len(texts) >= 2 else [" ".join(words), "another diagnosis"]
    return f"For two diagnoses: dxmatch match {' '.join(map(_in_quotes, pair))}. For a code: dxmatch icd {_in_quotes(pair[0])}."


def _in_quotes(text: str) -> str:
    return f'"{text}"' if '"' not in text else shlex.quote(text)
