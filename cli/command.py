"""What every command shares: options from the function that it calls, `-` for standard input and output, --json, --quiet, --debug."""

from __future__ import annotations

import contextlib
import functools
import inspect
import logging
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App
from docstring_parser import parse

from ..options import WRITTEN, file_role
from ..settings import QUIET, quiet
from .faults import WrongUsage
from .flags import EVERYWHERE, OPTIONS, OUT, Flag, Part, part_of
from .help import shown
from .streams import Streams, print_document

_QUIET = Flag(
    ("--quiet", "-q"), bool, EVERYWHERE, f"No progress, and no words about what was written; warnings and errors stay. Also: {QUIET}=1.", False
)  # fmt: skip
_DEBUG = Flag(("--debug",), bool, EVERYWHERE, "Show the traceback of an error, which may repeat a diagnosis.", False)
_JSON = Flag(("--json",), bool, OUT, "Print the result as one JSON document, in place of words.", False)
Output = Annotated[Path, WRITTEN]
"""A file or folder that a command writes."""
_BESIDE = ("store", "rejects")
"""Files that are written beside a result."""


@dataclass
class Running:
    """The command that runs, for the words of its errors.

    names : a parameter -> what the command calls it. streams : what stands for standard input and output. debug : whether tracebacks are shown.
    lacking : whether something is wrong or missing, though the command has a result: it ends with 1.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    streams: Streams = field(default_factory=Streams)
    debug: bool = False
    lacking: bool = False


running = Running()


@dataclass
class Call:
    """The function behind a command, with the options that were typed for it."""

    part: Part
    typed: Mapping[str, Any]

    @functools.cached_property
    def given(self) -> dict[str, Any]:
        """Its arguments; M is loaded here."""
        return self.part.given(self.typed)

    def __call__(self, **more: Any) -> Any:
        """Calls it, with `more` that the command itself gives."""
        return self.part.target(**{**self.given, **more})

    def of(self, function: Callable[..., Any], **more: Any) -> Any:
        """Calls another function with those of the options that it takes; M is not loaded."""
        takes = inspect.signature(function).parameters
        shared = {name: each for name, each in self.part.takes.items() if name in takes and name != "matcher"}
        return function(**{**Part(function, shared).given(self.typed), **more})


def command(
    verb: Callable[..., Any] | None = None,
    *,
    given: Collection[str] = (),
    several: Collection[str] = (),
    leave_out: Collection[str] = (),
    stdout: str | None = ".csv",
    says_asked: bool = True,
) -> Callable[[Callable[..., Any]], App]:
    """Makes a command of `body(call, *, own options)`, or of `body(own options)` where it calls no `verb`.

    given : the parameters that are typed without a name; several : those of them that take more than one word. leave_out : those of `verb` that the command gives itself. stdout : the suffix of
    what `-o -` prints; None where the output is a folder. says_asked : says in the end what came of asking language models.
    """

    def made(body: Callable[..., Any]) -> App:
        part = Part(body) if verb is None else part_of(verb)
        for name in leave_out:
            part.leave_out(name)
        for name in several:
            part.takes[name] = replace(part.takes[name], again=True)
        own = part_of(body, OPTIONS if verb is None else OUT)
        flags = {each.key: each for each in (*part.flags(), *own.flags())}
        has_result = inspect.signature(body).return_annotation not in (None, "None")
        shared = {each.key: each for each in (*((_JSON,) if has_result else ()), _QUIET, _DEBUG)}

        def run(*positional: Any, **typed: Any) -> None:
            typed.update(zip(given, positional, strict=False))
            as_json = typed.pop("json", False)
            with _settings(typed.pop("quiet", False), typed.pop("debug", False)), Streams() as streams:
                running.names, running.streams, running.lacking = run.names, streams, False  # type: ignore[attr-defined]
                written = _open(streams, typed, flags, stdout)
                if as_json and streams.output is not None:
                    raise WrongUsage("--json prints to standard output, and so does -o -")
                call, more = Call(part, typed), own.given(typed)
                with streams.messages(silent=as_json or (quiet() and bool(written))):
                    document = body(*(() if verb is None else (call,)), **more)
                    asking = more.get("asking") or vars(call).get("given", {}).get("asking")
                    asked = asking.budget.summaries if asking else []
                    for summary in asked if says_asked else ():
                        print("\n".join(summary.lines()))
                streams.deliver()
                if as_json:
                    print_document(document)
                if any("interrupted" in summary.stopped_because for summary in asked):
                    raise SystemExit(130)
                if running.lacking or any(summary.failed for summary in asked):
                    raise SystemExit(1)

        taken = [flags[name].parameter(positional=True) for name in given]
        taken += [each.parameter() for name, each in (flags | shared).items() if name not in given]
        run.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in taken}
        run.names = {**own.names(), **part.names()}  # type: ignore[attr-defined]
        return app_of(body.__name__, body, run)

    return made


def app_of(name: str, said: Any, run: Callable[..., None] | None = None) -> App:
    """A command, or a group of commands, with the docstring of `said` as its help: the examples stand at the end."""
    doc = parse(inspect.getdoc(said) or "")
    lines = [line for each in doc.examples for line in (each.description or "").splitlines() if line.strip()]
    app = App(
        name=name.rstrip("_"),
        help="\n\n".join(filter(None, (doc.short_description, doc.long_description))),
        help_epilogue="\n\n".join(f"{'Or' if place else 'Example'}: {line}" for place, line in enumerate(lines)),
        help_format="plaintext",
        help_formatter=shown,
        version_flags=(),
    )
    if run is not None:
        app.default(run)
    return app


@contextlib.contextmanager
def _settings(silent: bool, debug: bool) -> Iterator[None]:
    """--quiet and --debug until the command has ended, the first also in the processes that it starts."""
    before, log, handler = os.environ.get(QUIET), logging.getLogger("dxmatch"), logging.StreamHandler()
    level, running.debug = log.level, running.debug or debug
    if silent:
        os.environ[QUIET] = "1"
    if debug:
        log.addHandler(handler)
        log.setLevel(logging.DEBUG)
    try:
        # retries are counted in what came of asking; where structlog is installed, stamina would print each of them
        with contextlib.suppress(ImportError):
            from stamina.instrumentation import set_on_retry_hooks

            set_on_retry_hooks(())
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        if silent:
            os.environ.pop(QUIET, None) if before is None else os.environ.update({QUIET: before})


def _open(streams: Streams, typed: dict[str, Any], flags: Mapping[str, Flag], stdout: str | None) -> list[Path]:
    """Puts files in the place of `-`, and gives the files that the result goes to. Errors: a file that is read and written, or written twice."""
    read: list[str] = []
    written: dict[str, list[Path]] = {}
    for name, value in typed.items():
        flag, values = flags[name], value if isinstance(value, list) else [value]
        if (role := file_role(flag.rule)) is None:
            continue
        if not role.written:
            files: list[Any] = [streams.read(one) for one in values]
            read += [one.rpartition("=")[2] for one in files if one]
        elif name == "output" and stdout is None and str(values[0]) == "-":
            raise WrongUsage(f"{flag.names[0]} - : a folder is written, which standard output is not")
        else:
            files = [streams.written(one, (stdout or ".csv") if name == "output" else ".csv") for one in values]
            written[name] = files
        typed[name] = files if isinstance(value, list) else files[0]
    if written:
        from ..files.tables import check_apart

        check_apart([file for files in written.values() for file in files], read)
    return [file for name, files in written.items() if name not in _BESIDE for file in files]
