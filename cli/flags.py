"""The options of a command: from the signature of the public function that it calls, with that function's docstring for help.

An object of options becomes a flag for each of its fields, the match function the flags of `load`.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from cyclopts import Group, Parameter
from docstring_parser import parse

from ..options import Options, file_role, kinds_of, rules, served
from .faults import WrongUsage

HEADINGS = {
    "matcher": "The match function", "loading": "The match function", "reading": "How files are read", "columns": "Columns", "panel": "A panel of experts",
    "codes": "ICD-10 codes", "judge": "A judge beside the match function", "graded": "Relation and severity",
    "resampling": "Intervals", "asking": "Language models", "sampling": "Language models", "job": "Large Parquet files",
    "labels": "Labels", "split": "Training and testing", "engine": "The engine", "encoder": "Encoders", "about": "The model's card",
}  # fmt: skip
"""Where help shows the fields of an object, by the parameter that takes it."""
_NAMED = ("judge", "codes", "graded", "threshold", "encoder", "about")
"""Parameters whose fields carry their name: --judge.model."""
OPTIONS, OUT, EVERYWHERE = "Options", "What comes out", "Everywhere"
_GROUPS = {
    name: Group(name, sort_key=place)
    for place, name in enumerate((OUT, OPTIONS, *dict.fromkeys(HEADINGS.values()), EVERYWHERE))
}


@dataclass(frozen=True)
class Flag:
    """One option of a command.

    names : as it is typed. rule : its type in Python. heading : where help shows it. about : its description. default : shown. again : of one value in
    Python, several words. if_there : a file counts only where it is there.
    """

    names: tuple[str, ...]
    rule: Any
    heading: str
    about: str
    default: Any = inspect.Parameter.empty
    again: bool = False
    if_there: bool = False

    @property
    def key(self) -> str:
        """Its name as a parameter of the command."""
        return re.sub(r"\W", "_", self.names[0].strip("-"))

    @property
    def several(self) -> bool:
        """Whether it may be given again."""
        return self.again or any(get_origin(kind) in _SEVERAL for kind in kinds_of(self.rule))

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def writes(self) -> bool:
        """Whether it names a file that is written."""
        role = file_role(self.rule)
        return role is not None and role.written

    def parameter(self, *, positional: bool = False) -> inspect.Parameter:
        """What cyclopts reads of it."""
        kind = inspect.Parameter.POSITIONAL_ONLY if positional else inspect.Parameter.KEYWORD_ONLY
        typed = self._typed()
        shown = (
            self.default if isinstance(self.default, str | int | float) and not isinstance(self.default, bool) else None
        )
        said = Parameter(
            name=None if positional else self.names, help=self.about, group=_GROUPS[self.heading], show_default=shown is not None, metavar=self._metavar(typed),
            negative=f"--no-{self.names[0][2:]}" if typed is bool and self.default is True else (),
        )  # fmt: skip
        many = list[typed] if self.several else typed
        if not self.required and typed is not bool:
            many |= None
        default = self.default if self.required or typed is bool else shown
        if self.several and default is shown is not None:
            default = [shown]
        return inspect.Parameter(self.key, kind, default=default, annotation=Annotated[many, said])

    def _metavar(self, typed: Any) -> str | None:
        """What help shows in the place of a value; its words where there are some."""
        if any(get_origin(kind) is Mapping for kind in kinds_of(self.rule)):
            return "NAME=VALUE"
        if file_role(self.rule) is not None:
            return "FILE"
        return None if get_origin(typed) is Literal else _METAVARS.get(typed, "TEXT")

    def _typed(self) -> Any:
        """The type of one value on the command line."""
        kinds = [kind for kind in kinds_of(self.rule) if kind is not NoneType]
        kinds = [
            get_args(kind)[0] if get_origin(kind) in (Iterable, Sequence) else kind
            for kind in kinds
            if kind is not str or len(kinds) == 1
        ] or [str]
        if (role := file_role(self.rule)) is not None:
            return Path if role.written else str
        alone = kinds[0] if len(kinds) == 1 else None
        return alone if alone in (bool, int, float) or get_origin(alone) is Literal else str

    def read(self, typed: Any) -> Any:
        """The value in Python of what was typed: NAME=VALUE where a mapping or pairs are taken."""
        values = typed if isinstance(typed, list) else [typed]
        origins = {get_origin(kind): get_args(kind) for kind in kinds_of(self.rule)}
        if any(get_origin(args[0]) is tuple for origin, args in origins.items() if origin in (Iterable, Sequence)):
            return [self._split(value) for value in values]
        if Mapping in origins:
            if any("=" in value and not Path(value).exists() for value in values):
                return {name: _value(value, origins[Mapping][1]) for name, value in map(self._split, values)}
            if not self.again and set(origins) == {Mapping, None} and not self._plain:
                self._split(values[0])
            if self._plain and len(values) == 1:
                return _value(values[0], int)
        return values[0] if self.again and len(values) == 1 else typed

    @property
    def _plain(self) -> bool:
        """Whether one value without a name is taken, too."""
        return any(get_origin(kind) is None and kind is not NoneType for kind in kinds_of(self.rule))

    def _split(self, text: str) -> tuple[str, str]:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise WrongUsage(f"{self.names[0]} {text}: expected NAME=VALUE")
        return name, value


_SEVERAL = (Iterable, Sequence, Mapping)
_METAVARS = {Path: "FILE", int: "NUMBER", float: "NUMBER", str: "TEXT", bool: ""}


def _value(text: str, kind: Any) -> Any:
    """One value as a mapping holds it: a number or JSON where it takes any, several with commas where it takes several."""
    kinds = list(kinds_of(kind))
    if any(get_origin(each) in (Iterable, Sequence) for each in kinds) and "," in text:
        return [part.strip() for part in text.split(",")]
    if int in kinds and text.isdecimal():
        return int(text)
    if kinds == [Any]:
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


@dataclass
class Part:
    """What takes options: a public function, an object of options, or `load` for the match function; flags and parts by parameter.

    required : it is made, or called, where nothing was typed for it, too. shared : flags that serve another part as well, and alone do not
    make this one.
    """

    target: Callable[..., Any]
    required: bool = False
    shared: frozenset[str] = frozenset()
    takes: dict[str, Flag | Part | OneOf] = field(default_factory=dict)

    def flags(self) -> Iterator[Flag]:
        for each in self.takes.values():
            yield from (each,) if isinstance(each, Flag) else each.flags()

    def names(self) -> dict[str, str]:
        """What the command calls each parameter and field; a parameter of the function goes before a field."""
        found: dict[str, str] = {}
        for name, each in self.takes.items():
            if not isinstance(each, Flag):
                below = each.names()
                found = {**below, **{f"{name}.{field}": said for field, said in below.items()}, **found}
        return {**found, **{name: each.names[0] for name, each in self.takes.items() if isinstance(each, Flag)}}

    def leave_out(self, name: str) -> None:
        """Takes a parameter out, or "parameter.field"."""
        outer, _, field = name.partition(".")
        below = self.takes[outer]
        if field and isinstance(below, Part):
            below.leave_out(field)
        else:
            del self.takes[outer]

    def given(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of `target`, from what was typed."""
        found: dict[str, Any] = {}
        for name, each in self.takes.items():
            if isinstance(each, Part):
                arguments = each.given(typed)
                if each.required or (
                    arguments and any(flag.key in typed.keys() - each.shared for flag in each.flags())
                ):
                    found[name] = each.target(**arguments)
            elif isinstance(each, OneOf):
                if (made := each.made(typed)) is not None:
                    found[name] = made
            elif each.key in typed and not (each.if_there and not Path(typed[each.key]).exists()):
                found[name] = each.read(typed[each.key])
        return found


@dataclass
class OneOf:
    """Objects of several classes that one parameter takes: a word chooses the class, and the fields of the others are refused."""

    choice: Flag
    kinds: dict[str, Part]

    def flags(self) -> Iterator[Flag]:
        yield self.choice
        for part in self.kinds.values():
            yield from part.flags()

    def names(self) -> dict[str, str]:
        return {name: said for part in self.kinds.values() for name, said in part.names().items()}

    def made(self, typed: Mapping[str, Any]) -> Any:
        """The object; None where nothing of it was typed."""
        given = {word: arguments for word, part in self.kinds.items() if (arguments := part.given(typed))}
        chosen = typed.get(self.choice.key, next(iter(self.kinds)))
        for word in given.keys() - {chosen}:
            if not (foreign := given[word].keys() - given.get(chosen, {}).keys()):
                continue
            flag = self.kinds[word].names()[min(foreign)]
            raise WrongUsage(f"{flag} goes with {self.choice.names[0]} {word}")
        return self.kinds[chosen].target(**given.get(chosen, {})) if given or self.choice.key in typed else None


def part_of(
    target: Callable[..., Any], heading: str = OPTIONS, prefix: str = "", only: Collection[str] | None = None
) -> Part:
    """The flags of a public function, or of an object of options. only : the fields that serve."""
    from ..matcher.match_function import load

    part, said, own = Part(target), described(target), inspect.signature(target).parameters
    for name, rule in rules(target).items():
        is_matcher = name == "matcher" and "loading" not in own and set(kinds_of(rule)) != {str, NoneType}
        typed = is_matcher or any(map(_is_typed, kinds_of(rule)))
        if not typed or (only is not None and name not in only):
            continue
        kinds = [kind for kind in kinds_of(rule) if isinstance(kind, type) and issubclass(kind, Options)]
        below = HEADINGS.get(name, heading)
        if is_matcher:
            part.takes[name] = replace(part_of(load, below), required=own[name].default is inspect.Parameter.empty)
        elif len(kinds) > 1:
            words = {kind.__name__.lower(): part_of(kind, below) for kind in kinds}
            choice = Flag(_names("", name), Literal[*words], below, said.get(name, ""), next(iter(words)))
            part.takes[name] = OneOf(choice, words)
        elif kinds and not any(get_origin(kind) is Literal for kind in kinds_of(rule)):
            part.takes[name] = part_of(kinds[0], below, f"{name}." if name in _NAMED else prefix, served(rule))
        else:
            part.takes[name] = Flag(_names(prefix, name, rule), rule, heading, said.get(name, ""), own[name].default)
    if isinstance(matcher := part.takes.get("matcher"), Part):
        others = {flag.key for flag in replace(part, takes={**part.takes, "matcher": Part(load)}).flags()}
        matcher.shared = frozenset(others)
    match part.takes:
        case {"asking": Part(), "matcher": Part(takes={"loading": Part(takes=loading)})}:
            # one --store for both: answers go to it, so that there may be none yet for M to read
            loading["store"] = replace(loading["store"], if_there=True)
    return part


def _is_typed(kind: Any) -> bool:
    """Whether a value of this type can be typed; a function, or a graph of diseases, cannot."""
    simple = (str, int, float, bool, Path, Any)
    return (
        kind in simple
        or get_origin(kind) not in (None, Callable)
        or (isinstance(kind, type) and issubclass(kind, Options))
    )


def described(target: Callable[..., Any]) -> dict[str, str]:
    """The first sentence on each parameter in a numpy docstring."""
    said = parse(inspect.getdoc(target) or "").params
    sentences = {
        each.arg_name: re.split(r"(?<=[.!?])\s+(?=[A-Z])", each.description or "", maxsplit=1)[0] for each in said
    }
    return {
        name.strip(): " ".join(sentence.split()) for names, sentence in sentences.items() for name in names.split(",")
    }


def _names(prefix: str, name: str, rule: Any = str) -> tuple[str, ...]:
    """How it is typed; an option that may be given again in the singular, too."""
    words = f"--{prefix}{name.replace('_', '-')}"
    short = {"output": ("-o",), "models": ("-m",)}.get(name, (f"-{name}",) if len(name) == 1 else ())
    again = any(get_origin(kind) in _SEVERAL for kind in kinds_of(rule))
    return words, *((words[:-1],) if again and words.endswith("s") and not words.endswith("-as") else ()), *short
