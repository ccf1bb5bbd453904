"""A command: its options from the signature of the public function that it calls, with that function's docstring for help; --json; how it ends.

An object of options becomes a flag for each of its fields, the match function the flags of `load`. What is typed goes to the function as mappings,
which every public function takes in the place of such objects and holds to their rules.
"""

import contextlib
import inspect
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from cyclopts import App, CycloptsError, Group, Parameter
from cyclopts.help import DefaultFormatter
from docstring_parser import parse

from ..errors import InputError
from ..files.tables import check_apart, check_output
from ..matcher.match_function import load
from ..options import READ, SEVERAL, WRITTEN, Rule, checked, rules
from ..pages.rows import json_rows
from ..settings import quiet
from ..votes.asking_options import Asking
from . import running

Output = Annotated[Path, WRITTEN]
"""A file or folder that a command writes."""
Place = Output | None
"""One that it writes if it is given."""
TableFile = Annotated[Path, WRITTEN, check_output] | None
"""A table that it writes, if any; what cannot be written ends it before anything is read."""
_NAMED = ("judge", "codes", "graded", "threshold", "encoder", "about", "doubtful")
"""Parameters whose fields carry their name: --judge.model."""
_SHORT = {"output": "-o", "models": "-m"}
_FIRST = ("What comes out", "Options")
_BEGINNINGS = {
    rb"PAR1": ".parquet", rb"PK\x03\x04": ".xlsx", rb"\{.*\}$": ".jsonl", rb"[\[{]": ".json", rb"": ".csv",
}  # fmt: skip
"""How the first line of a file begins -> its suffix; what is separated by tabs or semicolons is a CSV, too."""
_SIMPLE = (str, int, float, bool, Path, Any)
"""Types whose values can be typed, as those of several can; a function, or a graph of diseases, cannot."""
_ABSENT = inspect.Parameter.empty


def _shown(console: Any, options: Any, panel: Any) -> None:
    """Shows of a group of options the names alone, so that what everybody needs fits a screen."""
    if running.all_options or panel.title in _FIRST:
        DefaultFormatter()(console, options, panel)
    else:
        names = " ".join(entry.positive_names[0] for entry in panel.entries)
        console.print(f"{panel.title} (--help-all): {names}", markup=False, highlight=False)


@dataclass(frozen=True)
class Flag:
    """One option of a command.

    path : the parameter, and the fields below it, that take its value. word : its name, as "judge.model". rule : its types in Python.
    heading : where help shows it. about : its description. default : shown.
    """

    path: tuple[str, ...]
    word: str
    rule: Rule
    heading: str
    about: str
    default: Any = _ABSENT

    @property
    def key(self) -> str:
        """Its name as a parameter of the command."""
        return self.word.replace(".", "_")

    @property
    def names(self) -> list[str]:
        """How it is typed; an option that may be given again in the singular, too."""
        long = f"--{self.word.replace('_', '-')}"
        again = long[:-1] if long.endswith("s") and {*SEVERAL} & {*self.inside} else None
        return [*filter(None, (long, again, f"-{self.word}" if len(self.word) == 1 else _SHORT.get(self.word)))]

    @property
    def inside(self) -> dict[Any, tuple[Any, ...]]:
        """What its types hold: {Sequence: (str,)}."""
        return {get_origin(kind): get_args(kind) for kind in self.rule.kinds if kind is not NoneType}

    def parameter(self, *, positional: bool = False, several: bool = False) -> inspect.Parameter:
        """What cyclopts reads of it: one simple type, or a list of words that are read here."""
        one, *others = [kind for kind in self.rule.kinds if kind is not NoneType]
        one = one if get_origin(one) in (None, Literal, Mapping) else get_args(one)[0]
        if others or not (one in (bool, int, float) or get_origin(one) is Literal):
            one = Path if WRITTEN in self.rule.said else str
        word = "NAME=VALUE" if Mapping in self.inside else "FILE" if {READ, WRITTEN} & {*self.rule.said} else "TEXT"
        group = Group(self.heading, sort_key=[*_FIRST, self.heading].index(self.heading), help_formatter=_shown)
        said = Parameter(
            name=None if positional else self.names, help=self.about, group=group, metavar=word if one in (str, Path) else None,
            negative=None if self.default is True else (), show_default=str(self.default) if type(self.default) in (str, int, float) else False,
        )  # fmt: skip
        kind = inspect.Parameter.POSITIONAL_ONLY if positional else inspect.Parameter.KEYWORD_ONLY
        taken: Any = list[one] if several or {*SEVERAL} & {*self.inside} else one  # type: ignore[valid-type]
        default = _ABSENT if self.default is _ABSENT else None
        return inspect.Parameter(self.key, kind, default=default, annotation=Annotated[taken | None, said])

    def read(self, words: list[Any]) -> Any:
        """The value in Python of what was typed: of several words a list, or NAME=VALUE where a mapping or pairs are taken. Errors: `CycloptsError`."""
        pairs = [word.partition("=") for word in words if Mapping in self.inside and not Path(word).exists()]
        named = {*self.inside} in ({Mapping}, {Mapping, Iterable})
        if named or any(equals for _, equals, _ in pairs):
            if wrong := ["".join(pair) for pair in pairs if not pair[2]]:
                raise CycloptsError(msg=f"{self.names[0]} {wrong[0]}: expected NAME=VALUE")
            if Iterable in self.inside:  # of pairs, whose first may stand twice
                return [(name, value) for name, _, value in pairs]
            names = [name for name, _, _ in pairs]
            if again := next((name for name in names if names.count(name) > 1), None):
                raise CycloptsError(msg=f"{self.names[0]} {again}=…: given twice; several values take commas")
            return {name: _value(value, Rule.of(self.inside[Mapping][1])) for name, _, value in pairs}
        if len(words) > 1 or {Iterable, Sequence} & {*self.inside}:
            return words
        return _value(words[0], Rule((int,))) if int in self.rule.kinds else words[0]


def _value(text: str, rule: Rule) -> Any:
    """One value as a mapping holds it: a number or JSON where it takes these, several with commas where it takes several."""
    if any(get_origin(kind) in SEVERAL for kind in rule.kinds) and "," in text:
        return [part.strip() for part in text.split(",")]
    with contextlib.suppress(ValueError, TypeError):  # no JSON, or a number already
        return json.loads(text) if {int, Any} & {*rule.kinds} else text
    return text


def options(
    target: Callable[..., Any], heading: str = _FIRST[1], path: tuple[str, ...] = (), prefix: str = ""
) -> Iterator[Flag]:
    """The flags of a public function, or of an object of options, whose docstring's first words are their heading."""
    said, own = described(target), inspect.signature(target).parameters
    for name, rule in rules(target).items():
        here = (*path, name)
        word = next((kind for kind in rule.kinds if get_origin(kind) is Literal), None)
        if name == "matcher" and target is not load and {*rule.kinds} != {str, NoneType}:
            yield from options(load, "The match function", here)
        elif len(rule.objects) > 1:  # a word says which of the objects
            default = get_args(word)[0]
            yield Flag((*here, name), name, Rule((word,)), name.capitalize(), said[name], default)
            for kind in rule.objects:
                yield from options(kind, name.capitalize(), here)
        elif rule.objects and word is None and Sequence not in [*map(get_origin, rule.kinds)]:
            below = re.split("[:;,.]", rule.objects[0].__doc__ or "")[0]
            flags = options(rule.objects[0], below, here, f"{name}." if name in _NAMED else prefix)
            yield from (flag for flag in flags if flag.path[len(here)] in rule.served)
        elif any(kind in _SIMPLE or get_origin(kind) not in (None, Callable) for kind in rule.kinds):
            yield Flag(here, f"{prefix}{name}", rule, heading, said.get(name, ""), own[name].default)


def described(target: Callable[..., Any]) -> dict[str, str]:
    """The first sentence on each parameter in a numpy docstring."""
    found: dict[str, str] = {}
    for each in parse(inspect.getdoc(target) or "").params:
        sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z])", each.description or "", maxsplit=1)[0]
        for name in each.arg_name.split(","):
            found[name.strip()] = " ".join(sentence.replace("`", "").split())
    return found


def arguments(flags: Sequence[Flag], typed: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function that were typed, objects of options as mappings."""
    made, keys = dict[str, Any](), [flag.key for flag in flags]
    for *inside, last, key in ((*flag.path, flag.key) for flag in flags if flag.key in typed):
        # one --store is for M and for what is asked: alone it asks for no M, and answers go to it, so that there may be none yet for M to read
        shared = inside[:1] == ["matcher"] and keys.count(key) > 1
        if not shared or ("matcher" in made and Path(typed[key]).exists()):
            reduce(lambda held, name: held.setdefault(name, {}), inside, made)[last] = typed[key]
    return made


@dataclass
class Call:
    """What a command was given: by flag, and as functions take it. Called, it calls the function behind the command.

    lacking : whether something is wrong or missing, though the command has a result: it ends with 1.
    """

    verb: Any
    typed: Mapping[str, Any]
    given: dict[str, Any]
    lacking: bool = False

    def __post_init__(self) -> None:
        """Makes the objects whose budgets say afterwards what came of asking, in one list."""
        self.given["asking"] = Asking(**self.given.get("asking", {}))
        if isinstance(m := self.given.get("matcher"), dict) and "doubtful" in m:
            m["doubtful"]["asking"] = asking = Asking(**m["doubtful"].get("asking", {}))
            asking.budget.summaries = self.given["asking"].budget.summaries

    def __call__(self, other: Callable[..., Any] | None = None, /, **more: Any) -> Any:
        """Calls it, or another, with what it takes, and `more` that the command itself gives; the match function is loaded where it must be one."""
        function = other or self.verb
        takes = inspect.signature(function).parameters
        given = {name: self.given[name] for name in takes if name in self.given} | more
        if "matcher" in takes and takes["matcher"].default is _ABSENT:
            given.setdefault("matcher", {})
        if isinstance(given.get("matcher"), dict):
            given["matcher"] = load(**given["matcher"])
        return checked(function)(**given)

    def deliver(self, found: Any, **tables: str) -> Any:
        """Saves a result, then shows it, since the reader of a pipe may leave; gives it. What cannot be saved is told of after it is shown.

        tables : an option -> the table of a report that its file takes.
        """
        output = self.typed.get("output", [])
        try:
            for path in output if isinstance(output, list) else [output]:
                found.save(path)
            if "charts" in self.typed:
                found.save_charts(self.typed["charts"])
            for option in (name for name in tables if name in self.typed):
                found.save_table(tables[option], self.typed[option])
        finally:
            shown = inspect.signature(found.print).parameters.keys() & self.typed.keys()
            found.print(**{name: self.typed[name] for name in shown})
        return found


def command(
    verb: Callable[..., Any] | None = None, *, given: str = "", prints: str = "", of: App | None = None
) -> Callable[[Callable[..., Any]], App]:
    """Makes a command of `body(call, *, own options)`, whose own options go before those of the same name of what it calls.

    verb : the function that it calls; the public one of its own name, if there is one. given : the parameters that are typed without a name,
    "*name" of one that takes several words. prints : the suffix of what `-o -` prints; none of what is a folder. of : the group of commands that it is in.
    """

    def made(body: Callable[..., Any]) -> App:
        public = getattr(import_module("dxmatch"), body.__name__, None)
        calls = verb or (public if callable(public) else None)
        own = [*options(body, _FIRST[0 if calls else 1])]
        below = [flag for flag in options(calls) if flag.key not in {one.key for one in own}] if calls else []
        flags = {flag.key: flag for flag in (*below, *own)}
        if inspect.signature(body).return_annotation is not None:
            flags["json"] = Flag(("json",), "json", Rule((bool,)), _FIRST[0], "Print the result as JSON.", False)
        names = _names([*below, *own])
        places = {name.strip("*"): "*" in name for name in given.split()}

        def run(*positional: Any, **typed: Any) -> None:
            running.names = names
            as_json = typed.pop("json", False)
            typed.update(zip(places, positional, strict=False))
            words = {key: value if isinstance(value, list) else [value] for key, value in typed.items()}
            with _files(words, flags, "" if as_json else prints):
                made = [key for key in words if WRITTEN in flags[key].rule.said and key not in ("store", "rejects")]
                outputs = {file: file.exists() and file.stat().st_mtime_ns for key in made for file in words[key]}
                read = {key: flags[key].read(value) for key, value in words.items()}
                call = Call(calls, read, arguments([*below, *own], read))
                asked = call.given["asking"].budget.summaries
                silent = as_json or (quiet() and outputs)
                with contextlib.redirect_stdout(io.StringIO()) if silent else contextlib.nullcontext():
                    document = call(body, call=call)
                    print("".join(f"{line}\n" for one in asked for line in one.lines()), end="")
                    there = ((file, before) for file, before in outputs.items() if file.exists())
                    new = (file for file, before in there if file.stat().st_mtime_ns != before)
                    print("".join(f"Written: {file}\n" for file in new), end="")
                if as_json:
                    print(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1, default=_plain))
            interrupted = any("interrupted" in summary.stopped_because for summary in asked)
            if interrupted or call.lacking or any(one.failed or one.stopped_because for one in asked):
                raise SystemExit(130 if interrupted else 1)

        taken = [flags[name].parameter(positional=True, several=several) for name, several in places.items()]
        taken += [flag.parameter() for name, flag in flags.items() if name not in places]
        run.__dict__.update(__signature__=inspect.Signature(taken), names=names)
        app = group(body)
        app.default(run)
        return app if of is None else of.command(app)

    return made


def _names(flags: Sequence[Flag]) -> dict[str, str]:
    """What a command calls each parameter, each field of an object, and what is said by a word or in a file."""
    names = {word: f"{flag.names[0]} {word}" for flag in flags for word in flag.rule.words}
    inside = [(flag, name) for flag in flags for kind in flag.rule.objects for name in rules(kind)]
    names |= {name: f"{flag.names[0]} FILE.toml, with {name} in it" for flag, name in inside}
    names |= {flag.path[-1]: flag.names[0] for flag in sorted(flags, key=lambda flag: -len(flag.path))}
    return names | {".".join(flag.path): flag.names[0] for flag in flags}


@contextlib.contextmanager
def _files(typed: Mapping[str, list[Any]], flags: Mapping[str, Flag], prints: str) -> Iterator[None]:
    """Puts files in the place of standard input, of pipes and of standard output, whose names no message says.

    With them a command prints its words when it has ended, on standard error where standard output belongs to data. Errors: `InputError` for
    a file that is read and written, written twice, or cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="dxmatch-", ignore_cleanup_errors=True) as made:
        folder, held, output = Path(made), io.StringIO(), None
        running.said = lambda text: re.sub(rf"{re.escape(made)}/([\w ]+)\.\w+", r"\1", text)
        for key, (place, word) in [(key, each) for key, words in typed.items() for each in enumerate(words)]:
            if READ in flags[key].rule.said:
                typed[key][place] = _came(word, folder)
            elif isinstance(word, Path) and word.with_suffix("") in (Path("/dev/stdout"), Path("/dev/stdin")):
                if key != "output" or output or not prints:
                    raise CycloptsError(msg="standard output takes one file: no other, no folder, no --json beside it")
                typed[key][place] = output = folder / f"standard output{word.suffix or prints}"
            elif word == "/dev/stdin":
                typed[key][place] = "-"  # where no file is read it is a text
        given = [(flags[key].rule.said, word) for key, words in typed.items() for word in words]
        written = [(said, file) for said, file in given if WRITTEN in said]
        check_apart([file for _, file in written], [word.rpartition("=")[2] for said, word in given if READ in said])
        for check, file in ((check, file) for said, file in written for check in said if callable(check)):
            check(file)
        try:
            with contextlib.redirect_stdout(held if output or any(folder.iterdir()) else sys.stdout):
                yield
        finally:
            print(running.said(held.getvalue()), end="", file=sys.stderr if output else sys.stdout)
            if output and output.exists():
                sys.stdout.flush()
                sys.stdout.buffer.write(output.read_bytes())


def _came(word: str, folder: Path) -> str:
    """The file that holds what came by standard input or a pipe; another word as it is. Errors: `InputError` where nothing came."""
    if word != "/dev/stdin" and not (os.access(word, os.R_OK) and Path(word).is_fifo()):
        return word
    called = "standard input" if word == "/dev/stdin" else f"pipe {Path(word).name}"
    if any(folder.glob(f"{called}.*")):
        raise CycloptsError(msg=f"{called} can be read once, and is given twice")
    came = sys.stdin.buffer.read() if word == "/dev/stdin" else Path(word).read_bytes()
    if not came.strip():
        raise InputError("nothing came", source=called, allowed="a table with a header")
    line = came.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0].rstrip()
    path = folder / f"{called}{next(suffix for beginning, suffix in _BEGINNINGS.items() if re.match(beginning, line))}"
    path.write_bytes(came)
    return str(path)


def group(body: Callable[..., Any]) -> App:
    """A command, or a group of them, with the docstring of `body` as its help: the examples stand at the end."""
    doc = inspect.getdoc(body) or ""
    examples = doc.partition("Examples\n--------\n")[2].splitlines()
    end = "\n\n".join(["Everywhere: --quiet (-q), --debug, --help-all", *(f"Example: {line}" for line in examples)])
    return App(name=body.__name__.rstrip("_"), help=doc, help_epilogue=end, help_format="plaintext", version_flags=())


def _plain(value: Any) -> Any:
    """What JSON lacks: a result gives its plain values, a table is a list of rows."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return json_rows(value.to_pylist()) if hasattr(value, "to_pylist") else str(value)
