"""The command line: its commands, and how a command ends."""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings

from cyclopts import App, CycloptsError, Group

from .. import __version__
from ..files.atomic import only_for_me
from ..settings import cells_hidden
from .command import running
from .faults import WrongUsage, told, traceback_without_cells, warned
from .help import shown as help_
from .usage import as_typed, wrong_usage

_COMMANDS = {
    "Begin here": {"demo": "The main commands, one after another, on the bundled example."},
    "Do they match?": {
        "match": "Say whether two diagnoses name the same disease, and why.",
        "explain": "Say feature by feature why two diagnoses match, or do not.",
        "score": "Add probability and match to each pair of a table.",
        "link": "Link two lists of terms: for each of the one the best of the other.",
        "dedupe": "Find the terms of a list that name one disease.",
        "serve": "Serve a page, and a JSON API, to try a match function.",
    },
    "Codes": {"icd": "Map free text to ICD-10, with candidates."},
    "Answers of models": {
        "ask": "Ask language models for the diagnoses of cases.",
        "evaluate": "Compare answers with the right ones, and with a panel of experts.",
        "choice": "Score multiple-choice questions under several orders of their options.",
        "reasoning": "Compare predicted diagnostic reasoning with annotated reasoning.",
        "ddxplus": "Make cases and right answers of DDXPlus's patients.",
        "metrics": "List every metric with its formula, source and range.",
    },
    "A match function of your own": {
        "suggest": "Pick the pairs whose labels would teach most.",
        "label": "Label pairs here, one at a time.",
        "labels": "Read experts' filled sheets back, and say how far they agree.",
        "train": "Train a match function on pairs that experts labelled.",
        "audit": "Say what a match function relies on.",
        "votes": "Votes and picks of language models: ask, batch files, what is known.",
        "model": "A model folder: what it is, what it would open, the Hugging Face hub.",
    },
}  # fmt: skip
_FILES = {"explain": "audit", "dedupe": "link", "labels": "suggest"}
"""Commands that share a file with another."""

app = App(
    name="dxmatch",
    help="Was the right diagnosis among the answers? Do two free-text diagnoses name the same disease? How well does an algorithm agree with experts?",
    help_epilogue='Begin with: dxmatch demo\n\nOr: dxmatch match "heart attack" "acute MI"\n\nOf one command: dxmatch help score',
    help_format="plaintext",
    version=f"dxmatch {__version__}",
    suppress_keyboard_interrupt=False,
)
for _place, (_heading, _commands) in enumerate(_COMMANDS.items()):
    _group = Group(_heading, sort_key=_place)
    for _name, _about in _commands.items():
        app.command(
            f"dxmatch.cli.{_FILES.get(_name, _name)}:{_name}",
            name=_name,
            help=_about,
            group=_group,
        )
app.register_install_completion_command(name="--install-completion")


def run(arguments: list[str]) -> None:
    """Runs one command in this process. Errors: those of the command."""
    app(arguments, exit_on_error=False, print_error=False, result_action="return_value")


def main() -> None:
    """Runs the command line: exit code 0 done, 1 the data or a provider failed, 2 wrong usage, 70 a fault of dxmatch (sysexits.h)."""

    def say(line: str) -> None:
        print(running.streams.said(line), file=sys.stderr)

    warnings.showwarning = lambda message, *_, **__: say(warned(message, running.names))
    # What a scheduler sends ends as Ctrl-C does: what is half-written is removed, what is done is kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    words = as_typed(sys.argv[1:])
    running.debug, help_.full = "--debug" in words, "--help-all" in words
    try:
        with only_for_me():
            run(["--help" if word == "--help-all" else word for word in words])
    except (SystemExit, GeneratorExit):
        raise
    except KeyboardInterrupt as error:
        say(f"dxmatch: {str(error) or 'interrupted; nothing half-written is left.'}")
        raise SystemExit(130) from None
    except BrokenPipeError:  # whoever reads a pipe may leave
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except CycloptsError as error:
        names = getattr(error.target, "names", {})
        say(f"dxmatch: {wrong_usage(error, words, [name for each in _COMMANDS.values() for name in each], names)}")
        raise SystemExit(2) from None
    except WrongUsage as error:
        say(f"dxmatch: {error}")
        raise SystemExit(2) from None
    except BaseException as error:  # a library in Rust ends with a panic, which is no Exception
        if running.debug:
            say(traceback_without_cells(error) if cells_hidden() else traceback.format_exc())
        code, line = told(error, running.names)
        say(f"dxmatch: {line}")
        raise SystemExit(code) from None
