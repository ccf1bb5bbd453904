"""The command line: its commands, what a user types first, and how a command ends."""

import itertools
import logging
import os
import re
import signal
import sys
import traceback
import warnings
from inspect import cleandoc
from pathlib import Path
from typing import Any

from cyclopts import App, CycloptsError, Group
from cyclopts.exceptions import UnknownCommandError, UnknownOptionError, UnusedCliTokensError

from .. import __version__
from ..errors import DxmatchError, OptionError
from ..files.atomic import only_for_me
from ..files.wording import nearest
from ..settings import QUIET, cells_hidden
from . import running

_FILES = {
    "Diagnoses and codes": "pairs serve",
    "Answers of models": "answers",
    "A match function of your own": "model votes",
}
"""The files of commands under each heading of help."""
_COMMAND = re.compile(r'^@(?:command|group)(?![^\n]*\bof=).*?^def (\w+)\(.*?"""(.*?)"""', re.MULTILINE | re.DOTALL)
"""A command in its file, in no group of them, with what it says of itself; what it calls is imported when it runs."""

app = App(
    name="dxmatch",
    help="Was the right diagnosis among the answers? Do two free-text diagnoses name the same disease? How well does an algorithm agree with experts?",
    help_epilogue='Begin with: dxmatch demo\n\nOr: dxmatch match "heart attack" "acute MI"\n\nOf one command: dxmatch help score',
    help_format="plaintext", version=f"dxmatch {__version__}", suppress_keyboard_interrupt=False,
)  # fmt: skip
for _place, (_heading, _files) in enumerate(_FILES.items()):
    _group = Group(_heading, sort_key=_place)
    for _file in _files.split():
        for _name, _said in _COMMAND.findall(Path(__file__).with_name(f"{_file}.py").read_text("utf-8")):
            app.command(f"dxmatch.cli.{_file}:{_name}", name=_name, help=cleandoc(_said), group=_group)
app.register_install_completion_command(name="--install-completion")


def as_typed(words: list[str]) -> list[str]:
    """The words of a command line without those that every command takes; "help" and "version" are understood."""
    if {"--quiet", "-q"} & {*words}:
        os.environ[QUIET] = "1"  # also for the processes that a command starts
    log = logging.getLogger("dxmatch")
    log.handlers = [logging.StreamHandler()] * ("--debug" in words)
    log.setLevel(logging.DEBUG if log.handlers else logging.NOTSET)
    running.all_options = "--help-all" in words
    words = ["--help" if word == "--help-all" else word for word in words if word not in ("--quiet", "-q", "--debug")]
    for place, word in enumerate(words):  # "-" would be an option
        stream = "/dev/stdout" if words[place - 1] in ("-o", "--output") else "/dev/stdin"
        if word == "-" or (word.startswith("-.") and stream == "/dev/stdout"):
            words[place] = f"{stream}{word[1:]}"
    asked = {"help": "--help", "version": "--version"}.get(words[0] if words else "help")
    return [*words[1:], asked] if asked else words


def run(words: list[str]) -> None:
    """Runs one command in this process. Errors: those of the command."""
    app(as_typed(words), exit_on_error=False, print_error=False, result_action="return_value")


def told(error: BaseException, words: list[str]) -> tuple[int, str]:
    """The exit code and the line of an error: 1 the data or a provider failed, 2 wrong usage, 70 a fault of dxmatch (sysexits.h), 130 interrupted."""
    if isinstance(error, DxmatchError):
        return 2 if isinstance(error, OptionError) else 1, spelt(error)
    if isinstance(error, CycloptsError):
        return 2, wrong_usage(error, words)
    if isinstance(error, KeyboardInterrupt):
        return 130, str(error) or "interrupted; nothing half-written is left."
    if isinstance(error, MemoryError):
        return 1, "out of memory; give it the data in parts."
    if isinstance(error, OSError) and error.strerror:
        return 1, f"{error.filename or 'the system'}: {error.strerror}."
    # not its words, which may hold a diagnosis
    return 70, f"this is a fault of dxmatch ({type(error).__name__}). Run it with --debug for the traceback."


def wrong_usage(error: CycloptsError, words: list[str]) -> str:
    """The line of an error in how a command is typed: a diagnosis in the place of a command, an option's old name or a field's alone."""
    from ..options import RENAMED  # late, as a start imports no more than it needs

    near = None
    if isinstance(error, UnknownCommandError) and error.app:
        near = nearest((error.unused_tokens or [""])[0], [name for name in error.app if name[0] != "-"])
        error.app = None  # in which its own search imports every command, and with that what an extra brings
    said = " ".join(str(error).split()).partition(" Available")[0]
    if near:
        said += f' Did you mean "{near}"?'
    elif isinstance(error, UnknownCommandError) and not error.command_chain:
        typed = [word for word in words if not word.startswith("-")]
        one, other = typed[:2] if len(typed) > 1 and " " in "".join(typed) else (" ".join(typed), "another")
        return f'{said} Of diagnoses: dxmatch match "{one}" "{other}", dxmatch icd "{one}". Of files: dxmatch evaluate {one}, dxmatch score {one}'
    if isinstance(error, UnknownOptionError):
        typed = error.token.keyword or error.token.value
        old = typed.strip("-").replace("-", "_")
        if name := getattr(error.target, "names", {}).get(RENAMED.get(old, old)):
            return f"{typed} is now {name}."
    if isinstance(error, UnusedCliTokensError) and error.command_chain in (("match",), ("explain",)):
        typed = [*itertools.takewhile(lambda word: word[:1] != "-", words[1:])]
        *first, last = (typed[2:] and typed) or ["heart", "attack", "MI"]
        example = f'dxmatch {words[0]} "{" ".join(first)}" "{last}"'
        return f"two diagnoses are compared; one of several words needs quotes, as in: {example}"
    return f"{said} See: dxmatch help {' '.join(error.command_chain)}" if error.command_chain else said


def spelt(error: Any) -> str:
    """The message of an error or a warning in the words of a command: its options in the place of parameters, no remedy that it has not."""
    lacks = {*getattr(error, "remedy", "").split("'")[1:2]} - running.names.keys()
    message = error.finding if lacks else str(error)

    def spelling(each: re.Match[str]) -> str:
        if (name := running.names.get(each[2])) is None:
            return each[0]
        return f"{'The option ' if each[1] == 'T' else ''}{name}{f' {each[3]}' if each[3] else ''}"

    return re.sub(r"([Tt])he option '([\w.]+)'(?: \(([^()\s]+)\))?", spelling, message)


def main() -> None:
    """Runs the command line, and ends the process with its exit code."""

    def say(line: str) -> None:
        print(f"dxmatch: {running.said(line)}", file=sys.stderr)

    warnings.showwarning = lambda message, *_, **__: say(f"warning: {' '.join(spelt(message).split())}")
    # What a scheduler sends ends as Ctrl-C does: what is half-written is removed, what is done is kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    words = sys.argv[1:]
    try:
        with only_for_me():
            run(words)
    except SystemExit:
        raise
    except BrokenPipeError:  # whoever reads a pipe may leave
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except BaseException as error:  # a library in Rust ends with a panic, which is no Exception
        code, line = told(error, words)
        if "--debug" in words and code in (1, 70):
            # where cells are hidden without the words of errors, which may hold one
            trace = traceback.format_tb(error.__traceback__) if cells_hidden() else traceback.format_exception(error)
            say("".join(trace))
        say(line)
        raise SystemExit(code) from None
