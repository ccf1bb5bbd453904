"""The command line: its commands, what a user types first, and how a command ends."""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cyclopts import App, CycloptsError, Group
from cyclopts.exceptions import UnknownCommandError, UnknownOptionError

from .. import __version__
from ..errors import DxmatchError
from ..files.atomic import only_for_me
from ..files.file_names import is_file_name
from ..options import RENAMED
from ..settings import QUIET, cells_hidden
from .command import running
from .flags import Names

_COMMANDS = {
    "Begin here": {"demo": "The main commands, one after another, on the bundled example."},
    "Do they match?": {
        "match": "Say whether two diagnoses name the same disease, and why.",
        "match:explain": "Say feature by feature why two diagnoses match, or do not.",
        "score": "Add probability and match to each pair of a table.",
        "score:link": "Link two lists of terms: for each of the one the best of the other.",
        "score:dedupe": "Find the terms of a list that name one disease.",
        "serve": "Serve a page, and a JSON API, to try a match function.",
    },
    "Codes": {"icd": "Map free text to ICD-10, with candidates."},
    "Answers of models": {
        "ask": "Ask language models for the diagnoses of cases.",
        "evaluate": "Compare answers with the right ones, and with a panel of experts.",
        "evaluate:choice": "Score multiple-choice questions under several orders of their options.",
        "reasoning": "Compare predicted diagnostic reasoning with annotated reasoning.",
        "ask:ddxplus": "Make cases and right answers of DDXPlus's patients.",
        "metrics": "List every metric with its formula, source and range.",
    },
    "A match function of your own": {
        "label:suggest": "Pick the pairs whose labels would teach most.",
        "label": "Label pairs here, one at a time.",
        "label:labels": "Read experts' filled sheets back, and say how far they agree.",
        "train": "Train a match function on pairs that experts labelled.",
        "train:audit": "Say what a match function relies on.",
        "votes": "Votes and picks of language models: ask, batch files, what is known.",
        "model": "A model folder: what it is, what it would open, the Hugging Face hub.",
    },
}  # fmt: skip
"""The commands as help shows them; of one that shares a file with another, with that."""
_OWN = f"{Path(__file__).parents[1]}/"
_EVERYWHERE = ("--quiet", "-q", "--debug", "--help-all")

app = App(
    name="dxmatch",
    help="Was the right diagnosis among the answers? Do two free-text diagnoses name the same disease? How well does an algorithm agree with experts?",
    help_epilogue='Begin with: dxmatch demo\n\nOr: dxmatch match "heart attack" "acute MI"\n\nOf one command: dxmatch help score',
    help_format="plaintext", version=f"dxmatch {__version__}", suppress_keyboard_interrupt=False,
)  # fmt: skip
for _place, (_heading, _commands) in enumerate(_COMMANDS.items()):
    _group = Group(_heading, sort_key=_place)
    for _name, _about in _commands.items():
        _file, _, _name = _name.rpartition(":")
        app.command(f"dxmatch.cli.{_file or _name}:{_name}", name=_name, help=_about, group=_group)
app.register_install_completion_command(name="--install-completion")


def as_typed(words: list[str]) -> list[str]:
    """The words of a command line; "help" and "version" are understood, and "-", or "-.jsonl", comes as a path: it would be taken for an option."""
    if {"--quiet", "-q"} & {*words}:
        os.environ[QUIET] = "1"  # also for the processes that a command starts
    if "--debug" in words:
        logging.getLogger("dxmatch").addHandler(logging.StreamHandler())
        logging.getLogger("dxmatch").setLevel(logging.DEBUG)
    Names.full = "--help-all" in words
    words = [*words, *["--help"] * Names.full]
    words = [f"./{word}" if word == "-" or word.startswith("-.") else word for word in words if word not in _EVERYWHERE]
    if words[:1] == ["help"]:
        return [*words[1:], "--help"]
    return ["--version"] if words == ["version"] else words or ["--help"]


def run(words: list[str]) -> None:
    """Runs one command in this process. Errors: those of the command."""
    app(as_typed(words), exit_on_error=False, print_error=False, result_action="return_value")


def wrong_usage(error: CycloptsError, words: list[str]) -> str:
    """The line of an error in how a command is typed: a diagnosis in the place of a command, an option's old name."""
    said = " ".join(str(error).split()).partition(" Available")[0]
    if isinstance(error, UnknownCommandError) and not error.command_chain and "Did you mean" not in said:
        typed = " ".join(word for word in words if not word.startswith("-"))
        if is_file_name(typed):
            return (
                f"{said} For answers of models: dxmatch evaluate {typed}. For a table of pairs: dxmatch score {typed}"
            )
        return f'{said} For two diagnoses: dxmatch match "{typed}" "another". For a code: dxmatch icd "{typed}"'
    if isinstance(error, UnknownOptionError):
        typed, names = error.token.keyword or error.token.value, getattr(error.target, "names", {})
        old = typed.strip("-").replace("-", "_")
        today = RENAMED.get(f"{words[0]}.{old}", RENAMED.get(old, ""))
        outer, _, field = today.partition(".")
        if word := re.fullmatch(r'given as (\w+)=\["(\w+)"\]', today):
            return f"{typed} is now {names.get(word[1], word[1])} {word[2]}."
        if name := names.get(today) or (field and outer in names and f"{names[outer]} FILE.toml, with {field} in it"):
            return f"{typed} is now {name}."
    return f"{said} See: dxmatch help {' '.join(error.command_chain)}" if error.command_chain else said


def told(error: BaseException, options: Mapping[str, str]) -> tuple[int, str]:
    """The exit code and the line of an error: 1 the data or a provider failed, 70 a fault of dxmatch (sysexits.h).

    options : a parameter's name -> what the command calls it.
    """
    if isinstance(error, DxmatchError):
        return 1, spelt(error.worded(options), options)
    if isinstance(error, MemoryError):
        return 1, "out of memory; give it the data in parts."
    if isinstance(error, OSError) and error.strerror:
        return 1, f"{error.filename or 'the system'}: {error.strerror}."
    # not its words, which may hold a diagnosis
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(_OWN)]
    place = f" in {frames[-1].filename.removeprefix(_OWN)}, line {frames[-1].lineno}" if frames else ""
    return 70, f"this is a fault of dxmatch ({type(error).__name__}{place}). Run it with --debug for the traceback."


def spelt(message: str, options: Mapping[str, str]) -> str:
    """A message for Python in the words of a command: its options in the place of parameters."""
    message = re.sub(r"the option '(\w+)'", lambda each: f"the option {options.get(each[1], each[1])}", message)
    return re.sub(r"(?:load\()?\b([a-z_]+)=True\b\)?", lambda each: options.get(each[1], each[0]), message)


def traced(error: BaseException) -> str:
    """The traceback; where cells are hidden without the words of errors, which may hold one."""
    return "".join((traceback.format_tb(error.__traceback__)) if cells_hidden() else traceback.format_exception(error))


def main() -> None:
    """Runs the command line: exit code 0 done, 1 the data or a provider failed, 2 wrong usage, 70 a fault of dxmatch (sysexits.h)."""

    def say(line: str) -> None:
        print(f"dxmatch: {running.streams.said(line)}", file=sys.stderr)

    def warned(message: Any, *_: Any, **__: Any) -> None:
        words = message.worded(running.names) if hasattr(message, "worded") else str(message)
        say(f"warning: {' '.join(spelt(words, running.names).split())}")

    warnings.showwarning = warned
    # What a scheduler sends ends as Ctrl-C does: what is half-written is removed, what is done is kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    words = sys.argv[1:]
    try:
        with only_for_me():
            run(words)
    except (SystemExit, GeneratorExit):
        raise
    except KeyboardInterrupt as error:
        say(str(error) or "interrupted; nothing half-written is left.")
        raise SystemExit(130) from None
    except BrokenPipeError:  # whoever reads a pipe may leave
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except CycloptsError as error:
        say(wrong_usage(error, words))
        raise SystemExit(2) from None
    except BaseException as error:  # a library in Rust ends with a panic, which is no Exception
        if "--debug" in words:
            say(traced(error))
        code, line = told(error, running.names)
        say(line)
        raise SystemExit(code) from None
    finally:
        logging.getLogger("dxmatch").handlers.clear()
