"""The command line: its commands, what a user types first, and how a command ends."""

from __future__ import annotations

import ast
import contextlib
import io
import logging
import os
import re
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cyclopts import App, CycloptsError, Group
from cyclopts.exceptions import UnknownCommandError, UnknownOptionError

from .. import __version__
from ..errors import DxmatchError, InputError
from ..files.atomic import only_for_me
from ..files.wording import is_file_name
from ..options import RENAMED
from ..settings import QUIET, cells_hidden
from .command import running

_COMMANDS = {
    "Begin here": "answers:demo",
    "Do they match?": "pairs:match pairs:explain pairs:score pairs:link pairs:dedupe serve:serve",
    "Codes": "pairs:icd",
    "Answers of models": "answers:ask answers:evaluate answers:choice answers:reasoning answers:ddxplus answers:metrics",
    "A match function of your own": "model:suggest model:label model:labels model:train model:audit votes:votes model:model",
}
"""The commands as help shows them, each with its file."""
_SAID = {
    f"{file.stem}:{part.name}": ast.get_docstring(part)
    for file in Path(__file__).parent.glob("*.py")
    for part in ast.parse(file.read_text("utf-8")).body
    if isinstance(part, ast.FunctionDef)
}
"""What each command says of itself; what it calls is imported when it runs."""
_BEGINNINGS = ((b"PAR1", ".parquet"), (b"PK\x03\x04", ".xlsx"), (b"[", ".json"), (b"{", ".jsonl"), (b"", ".csv"))
"""How a file begins -> its suffix; what is separated by tabs or semicolons is a CSV, too."""
_PRINTED = {
    **dict.fromkeys(("score", "link", "dedupe", "icd", "labels", "ask", "ddxplus"), ".csv"),
    **dict.fromkeys(("evaluate", "choice", "reasoning"), ".md"), "explain": ".svg",
}  # fmt: skip
"""A command -> what `-o -` prints; one that writes a folder is not here."""
_OWN = f"{Path(__file__).parents[1]}/"

app = App(
    name="dxmatch",
    help="Was the right diagnosis among the answers? Do two free-text diagnoses name the same disease? How well does an algorithm agree with experts?",
    help_epilogue='Begin with: dxmatch demo\n\nOr: dxmatch match "heart attack" "acute MI"\n\nOf one command: dxmatch help score',
    help_format="plaintext", version=f"dxmatch {__version__}", suppress_keyboard_interrupt=False,
)  # fmt: skip
for _place, (_heading, _commands) in enumerate(_COMMANDS.items()):
    _group = Group(_heading, sort_key=_place)
    for _command in _commands.split():
        app.command(f"dxmatch.cli.{_command}", name=_command.partition(":")[2], help=_SAID[_command], group=_group)
app.register_install_completion_command(name="--install-completion")


def as_typed(words: list[str]) -> list[str]:
    """The words of a command line without those that every command takes; "help" and "version" are understood."""
    if {"--quiet", "-q"} & {*words}:
        os.environ[QUIET] = "1"  # also for the processes that a command starts
    if "--debug" in words:
        logging.getLogger("dxmatch").handlers = [logging.StreamHandler()]
        logging.getLogger("dxmatch").setLevel(logging.DEBUG)
    running.all_options = "--help-all" in words
    words = [word for word in words if word not in ("--quiet", "-q", "--debug", "--help-all")]
    if words[:1] == ["help"] or running.all_options:
        return [*words[words[:1] == ["help"] :], "--help"]
    return ["--version"] if words == ["version"] else words or ["--help"]


@contextlib.contextmanager
def streams(words: list[str]) -> Iterator[tuple[list[str], Callable[[str], str]]]:
    """The words of a command line with files in the place of "-" and of pipes, and how a message is said without their names.

    With them a command prints its words when it has ended, on standard error where standard output belongs to data: to `-o -`, or with
    another suffix `-o -.jsonl`.
    """
    with tempfile.TemporaryDirectory(prefix="dxmatch-", ignore_cleanup_errors=True) as made:
        folder, typed, output, held = Path(made), list[str](), None, io.StringIO()
        for before, word in zip(["", *words], words, strict=False):
            if before in ("-o", "--output") and (word in ("-", "/dev/stdout") or word.startswith("-.")):
                if output or words[0] not in _PRINTED or "--json" in words:
                    raise CycloptsError(msg="standard output takes one file: no other, no folder, no --json beside it")
                output = folder / f"standard output{word[1:] if word.startswith('-.') else _PRINTED[words[0]]}"
                typed.append(str(output))
            else:
                piped = word in ("-", "/dev/stdin") or (os.access(word, os.R_OK) and Path(word).is_fifo())
                typed.append(_came(word, folder) if piped else word)

        def said(text: str) -> str:
            return re.sub(rf"{re.escape(str(folder))}/([\w ]+)\.\w+", r"\1", text)

        try:
            with contextlib.redirect_stdout(held if typed != words else sys.stdout):
                yield typed, said
        finally:
            print(said(held.getvalue()), end="", file=sys.stderr if output else sys.stdout)
            if output and output.exists():
                sys.stdout.flush()
                sys.stdout.buffer.write(output.read_bytes())


def _came(word: str, folder: Path) -> str:
    """The file that holds what came by standard input or a pipe. Errors: `InputError` where nothing came."""
    called = "standard input" if word in ("-", "/dev/stdin") else f"pipe {Path(word).name}"
    if any(folder.glob(f"{called}.*")):
        raise CycloptsError(msg=f"{called} can be read once, and is given twice")
    came = sys.stdin.buffer.read() if called == "standard input" else Path(word).read_bytes()
    if not came.strip():
        raise InputError("nothing came", source=called, allowed="a table with a header")
    line = came.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0].rstrip()
    suffix = next(suffix for beginning, suffix in _BEGINNINGS if line.startswith(beginning))
    path = folder / f"{called}{'.json' if suffix == '.jsonl' and not line.endswith(b'}') else suffix}"
    path.write_bytes(came)
    return str(path)


def run(words: list[str]) -> None:
    """Runs one command in this process. Errors: those of the command."""
    try:
        with streams(as_typed(words)) as (typed, running.said):
            app(typed, exit_on_error=False, print_error=False, result_action="return_value")
    finally:
        logging.getLogger("dxmatch").handlers.clear()


def told(error: BaseException, words: list[str]) -> tuple[int, str]:
    """The exit code and the line of an error: 1 the data or a provider failed, 2 wrong usage, 70 a fault of dxmatch (sysexits.h), 130 interrupted."""
    if isinstance(error, DxmatchError):
        return 1, spelt(error)
    if isinstance(error, CycloptsError):
        return 2, wrong_usage(error, words)
    if isinstance(error, KeyboardInterrupt):
        return 130, str(error) or "interrupted; nothing half-written is left."
    if isinstance(error, MemoryError):
        return 1, "out of memory; give it the data in parts."
    if isinstance(error, OSError) and error.strerror:
        return 1, f"{error.filename or 'the system'}: {error.strerror}."
    # not its words, which may hold a diagnosis
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(_OWN)]
    place = f" in {frames[-1].filename.removeprefix(_OWN)}, line {frames[-1].lineno}" if frames else ""
    return 70, f"this is a fault of dxmatch ({type(error).__name__}{place}). Run it with --debug for the traceback."


def wrong_usage(error: CycloptsError, words: list[str]) -> str:
    """The line of an error in how a command is typed: a diagnosis in the place of a command, an option's old name."""
    said = " ".join(str(error).split()).partition(" Available")[0]
    if isinstance(error, UnknownCommandError) and not error.command_chain and "Did you mean" not in said:
        typed = " ".join(word for word in words if not word.startswith("-"))
        if is_file_name(typed):
            return f"{said} For answers of models: dxmatch evaluate {typed}. For pairs: dxmatch score {typed}"
        return f'{said} For two diagnoses: dxmatch match "{typed}" "another". For a code: dxmatch icd "{typed}"'
    if isinstance(error, UnknownOptionError):
        typed = error.token.keyword or error.token.value
        old = typed.strip("-").replace("-", "_")
        if name := getattr(error.target, "names", {}).get(RENAMED.get(old, old)):
            return f"{typed} is now {name}."
    return f"{said} See: dxmatch help {' '.join(error.command_chain)}" if error.command_chain else said


def spelt(error: Any) -> str:
    """The message of an error or a warning in the words of a command: its options in the place of parameters."""
    names = running.names
    message = error.worded(names) if hasattr(error, "worded") else str(error)
    message = re.sub(r"the option '(\w+)'", lambda each: f"the option {names.get(each[1], each[1])}", message)
    return re.sub(r"(?:load\()?\b([a-z_]+)=True\b\)?", lambda each: names.get(each[1], each[0]), message)


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
    except (SystemExit, GeneratorExit):
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
