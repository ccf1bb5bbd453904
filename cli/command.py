"""What every command shares: options from the function that it calls, `-` for standard input and output, --json, and how it ends."""

from __future__ import annotations

import contextlib
import inspect
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError
from docstring_parser import parse

from ..options import READ, WRITTEN, checked
from ..settings import quiet
from .flags import OPTIONS, OUT, Flag, arguments, loaded, options
from .streams import Streams

_JSON = Flag(("json",), ("--json",), bool, OUT, "Print the result as one JSON document, in place of words.", False)
Output = Annotated[Path, WRITTEN]
"""A file or folder that a command writes."""
_BESIDE = ("store", "rejects")
"""Files that are written beside a result."""


@dataclass
class Running:
    """The command that runs, for the words of its errors.

    names : a parameter -> what the command calls it. streams : what stands for standard input and output.
    lacking : whether something is wrong or missing, though the command has a result: it ends with 1.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    streams: Streams = field(default_factory=Streams)
    lacking: bool = False


running = Running()


@dataclass
class Call:
    """The function behind a command, with its arguments as they were typed: by flag, and as it takes them; M is loaded when it is called."""

    verb: Callable[..., Any]
    typed: Mapping[str, Any]
    given: dict[str, Any]

    def __call__(self, **more: Any) -> Any:
        """Calls it, with `more` that the command itself gives."""
        return checked(self.verb)(**loaded({**self.given, **more}, self.verb))

    def of(self, function: Callable[..., Any], **more: Any) -> Any:
        """Calls another function with those of the arguments that it takes."""
        takes = inspect.signature(function).parameters
        return checked(function)(**{name: value for name, value in self.given.items() if name in takes}, **more)


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
        of_verb = [] if verb is None else [
            replace(flag, several=flag.path[0] in several) for flag in options(verb) if not {".".join(flag.path[:n]) for n in (1, 2)} & {*leave_out}
        ]  # fmt: skip
        own = [*options(body, OPTIONS if verb is None else OUT)]
        flags = {flag.key: flag for flag in (*of_verb, *own)}
        if inspect.signature(body).return_annotation not in (None, "None"):
            flags["json"] = _JSON
        names = {flag.path[-1]: flag.names[0] for flag in sorted(flags.values(), key=lambda flag: -len(flag.path))}
        names |= {".".join(flag.path): flag.names[0] for flag in (*of_verb, *own)}

        def run(*positional: Any, **typed: Any) -> None:
            typed.update(zip(given, positional, strict=False))
            as_json = typed.pop("json", False)
            running.names, running.streams, running.lacking = names, Streams(), False
            with contextlib.closing(running.streams) as streams:
                written = _open(streams, typed, flags, stdout)
                if as_json and streams.output is not None:
                    raise CycloptsError(msg="--json prints to standard output, and so does -o -")
                more = arguments(own, typed, body)
                call = [] if verb is None else [Call(verb, typed, arguments(of_verb, typed, verb))]
                asking: Any = more.get("asking") or (call and call[0].given.get("asking"))
                with streams.words(silent=as_json or (quiet() and written)):
                    document = checked(body)(*call, **loaded(more, body))
                    asked = asking.budget.summaries if asking else []
                    for summary in asked if says_asked else ():
                        print("\n".join(summary.lines()))
                streams.deliver()
                if as_json:
                    print(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1, default=_plain))
                if any("interrupted" in summary.stopped_because for summary in asked):
                    raise SystemExit(130)
                if running.lacking or any(summary.failed for summary in asked):
                    raise SystemExit(1)

        taken = [flags[name].parameter(positional=True) for name in given]
        taken += [flag.parameter() for name, flag in flags.items() if name not in given]
        run.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in taken}
        run.names = names  # type: ignore[attr-defined]
        return app_of(body.__name__, body, run)

    return made


def app_of(name: str, said: Any, run: Callable[..., None] | None = None) -> App:
    """A command, or a group of commands, with the docstring of `said` as its help: the examples stand at the end."""
    doc = parse(inspect.getdoc(said) or "")
    ends = [line for each in doc.examples for line in (each.description or "").splitlines() if line.strip()]
    app = App(
        name=name.rstrip("_"), help="\n\n".join(filter(None, (doc.short_description, doc.long_description))),
        help_epilogue="\n\n".join(["Everywhere: --quiet (-q), --debug, --help-all", *(f"Example: {line}" for line in ends)]),
        help_format="plaintext", version_flags=(),
    )  # fmt: skip
    if run is not None:
        app.default(run)
    return app


def _plain(value: Any) -> Any:
    """What JSON lacks: a table is a list of rows."""
    from ..pages.rows import json_rows

    return json_rows(value.to_pylist()) if hasattr(value, "to_pylist") else str(value)


def _open(streams: Streams, typed: dict[str, Any], flags: Mapping[str, Flag], stdout: str | None) -> bool:
    """Reads what was typed, with files in the place of `-`; says whether the result goes to files. Errors: a file that is read and written, or written twice."""
    from ..files.tables import check_apart

    read: list[str] = []
    written: dict[str, list[Path]] = {}
    for key, value in typed.items():
        flag, words = flags[key], value if isinstance(value, list) else [value]
        if READ in flag.said:
            words = [streams.read(word) for word in words]
            read += [word.rpartition("=")[2] for word in words]
        elif WRITTEN in flag.said:
            if key == "output" and stdout is None and "./-" in words:
                raise CycloptsError(msg=f"{flag.names[0]} - : a folder is written, which standard output is not")
            words = [streams.written(Path(word), (key == "output" and stdout) or ".csv") for word in words]
            written[key] = words
        typed[key] = flag.read(words) if isinstance(value, list) else words[0]
    check_apart([file for files in written.values() for file in files], read)
    for key, files in written.items():
        for check in filter(callable, flags[key].said):
            for file in files:
                check(file)
    return bool(written.keys() - {*_BESIDE})
