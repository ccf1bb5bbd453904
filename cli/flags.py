"""The options of a command: from the signature of the public function that it calls, with that function's docstring for help.

An object of options becomes a flag for each of its fields, the match function the flags of `load`.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
_SEVERAL = (Iterable, Sequence, Mapping)
_METAVARS = {Path: "FILE", int: "NUMBER", float: "NUMBER", str: "TEXT", bool: ""}


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

    def parameter(self, *, positional: bool = False) -> inspect.Parameter:
        """What cyclopts reads of it: the type of one value, or a list where there may be several; None where none is typed."""
        kinds = kinds_of(self.rule)
        alone = [kind for kind in kinds if kind not in (NoneType, str)]
        one = get_args(alone[0])[0] if alone and get_origin(alone[0]) in (Iterable, Sequence) else (*alone, str)[0]
        if len(alone) > 1 or not (one in (bool, int, float) or get_origin(one) is Literal):
            one = str
        metavar = None if get_origin(one) is Literal else _METAVARS.get(one)
        if (role := file_role(self.rule)) is not None:
            one, metavar = Path if role.written else str, "FILE"
        if any(get_origin(kind) is Mapping for kind in kinds):
            metavar = "NAME=VALUE"
        told = (
            self.default if isinstance(self.default, str | int | float) and not isinstance(self.default, bool) else None
        )
        said = Parameter(
            name=None if positional else self.names, help=self.about, group=_GROUPS[self.heading], metavar=metavar,
            show_default=False if told is None else str(told), negative=f"--no-{self.names[0][2:]}" if self.default is True else (),
        )  # fmt: skip
        if self.again or any(get_origin(kind) in _SEVERAL for kind in kinds):
            one = list[one]  # type: ignore[valid-type]
        required = self.default is inspect.Parameter.empty
        return inspect.Parameter(
            self.key,
            inspect.Parameter.POSITIONAL_ONLY if positional else inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if required else None,
            annotation=Annotated[one if required else one | None, said],
        )

    def read(self, typed: Any) -> Any:
        """The value in Python of what was typed: NAME=VALUE where a mapping or pairs are taken."""
        values = typed if isinstance(typed, list) else [typed]
        kinds = kinds_of(self.rule)
        inside = {get_origin(kind): get_args(kind) for kind in kinds}
        plain = any(get_origin(kind) is None and kind is not NoneType for kind in kinds)
        if any(get_origin(each[0]) is tuple for kind, each in inside.items() if kind in (Iterable, Sequence)):
            return [self._named(value) for value in values]
        only = not plain and not self.again and inside.keys() <= {Mapping, None}
        if Mapping in inside and (only or any("=" in value and not Path(value).exists() for value in values)):
            return {name: _value(value, inside[Mapping][1]) for name, value in map(self._named, values)}
        if Mapping in inside and plain and len(values) == 1:
            return _value(values[0], int)
        return values[0] if self.again and len(values) == 1 else typed

    def _named(self, text: str) -> tuple[str, str]:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise WrongUsage(f"{self.names[0]} {text}: expected NAME=VALUE")
        return name, value


def _value(text: str, kind: Any) -> Any:
    """One value as a mapping holds it: a number or JSON where it takes any, several with commas where it takes several."""
    kinds = kinds_of(kind)
    if any(get_origin(each) in (Iterable, Sequence) for each in kinds) and "," in text:
        return [part.strip() for part in text.split(",")]
    if int in kinds and text.isdecimal():
        return int(text)
    if kinds == (Any,):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


@dataclass
class Part:
    """What takes options: a public function, an object of options, or `load` for the match function; flags and parts by parameter.

    required : it is made where nothing was typed for it, too. shared : keys of flags that serve another part as well, and alone do not make this one.
    """

    target: Callable[..., Any]
    takes: dict[str, Flag | Part] = field(default_factory=dict)
    required: bool = False
    shared: frozenset[str] = frozenset()

    def flags(self) -> Iterator[Flag]:
        for each in self.takes.values():
            yield from (each,) if isinstance(each, Flag) else each.flags()

    def names(self) -> dict[str, str]:
        """What the command calls each parameter and field; a parameter of the function goes before a field."""
        found: dict[str, str] = {}
        for name, each in self.takes.items():
            if isinstance(each, Part):
                below = each.names()
                found = {**below, **{f"{name}.{field}": said for field, said in below.items()}, **found}
        return {**found, **{name: each.names[0] for name, each in self.takes.items() if isinstance(each, Flag)}}

    def leave_out(self, name: str) -> None:
        """Takes a parameter out, or "parameter.field"."""
        outer, _, inner = name.partition(".")
        below = self.takes[outer]
        if inner and isinstance(below, Part):
            below.leave_out(inner)
        else:
            del self.takes[outer]

    def given(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of `target`, from what was typed."""
        found: dict[str, Any] = {}
        for name, each in self.takes.items():
            if isinstance(each, Part):
                own = {flag.key for flag in each.flags()} - each.shared
                if each.required or own & typed.keys():
                    found[name] = each.target(**each.given(typed))
            elif each.key in typed and not (each.if_there and not Path(typed[each.key]).exists()):
                found[name] = each.read(typed[each.key])
        return found


def part_of(target: Callable[..., Any], heading: str = OPTIONS, prefix: str = "") -> Part:
    """The flags of a public function, or of an object of options."""
    from ..matcher.match_function import load

    part, said, own = Part(target), described(target), inspect.signature(target).parameters
    for name, rule in rules(target).items():
        below = HEADINGS.get(name, heading)
        kinds = [kind for kind in kinds_of(rule) if isinstance(kind, type) and issubclass(kind, Options)]
        if name == "matcher" and target is not load and set(kinds_of(rule)) != {str, NoneType}:
            part.takes[name] = made = part_of(load, below)
            made.required = own[name].default is inspect.Parameter.empty
        elif len(kinds) > 1:
            part.takes[name] = _one_of(name, {kind.__name__.lower(): kind for kind in kinds}, below, said.get(name, ""))
        elif kinds and not any(get_origin(kind) is Literal for kind in kinds_of(rule)):
            part.takes[name] = made = part_of(kinds[0], below, f"{name}." if name in _NAMED else prefix)
            made.takes = {inner: each for inner, each in made.takes.items() if inner in served(rule)}
            made.required = name == "asking"  # it is read afterwards, for what came of asking
        elif any(map(_can_be_typed, kinds_of(rule))):
            part.takes[name] = Flag(_names(prefix, name, rule), rule, heading, said.get(name, ""), own[name].default)
    if isinstance(matcher := part.takes.get("matcher"), Part):
        matcher.shared = frozenset(
            flag.key
            for name, each in part.takes.items()
            if name != "matcher"
            for flag in Part(load, {name: each}).flags()
        )
    match part.takes:
        case {"asking": Part(), "matcher": Part(takes={"loading": Part(takes=loading)})}:
            # one --store for both: answers go to it, so that there may be none yet for M to read
            loading["store"] = replace(loading["store"], if_there=True)
    return part


def _one_of(name: str, kinds: Mapping[str, type[Options]], heading: str, said: str) -> Part:
    """Objects of several classes that one parameter takes: a word chooses the class, and fields that it has not are refused."""

    def made(**given: Any) -> Options:
        word = given.pop(name, next(iter(kinds)))
        if foreign := sorted(given.keys() - rules(kinds[word]).keys()):
            of = next(word for word, kind in kinds.items() if foreign[0] in rules(kind))
            raise WrongUsage(f"{part.names()[foreign[0]]} goes with --{name} {of}")
        return kinds[word](**given)

    fields = {field: each for kind in kinds.values() for field, each in part_of(kind, heading).takes.items()}
    choice = Flag(_names("", name), Literal[*kinds], heading, said, next(iter(kinds)))
    part = Part(made, {name: choice, **fields})
    return part


def _can_be_typed(kind: Any) -> bool:
    """Whether a value of this type can be; a function, or a graph of diseases, cannot."""
    simple = (str, int, float, bool, Path, Any)
    if kind in simple or get_origin(kind) not in (None, Callable):
        return True
    return isinstance(kind, type) and issubclass(kind, Options)


def described(target: Callable[..., Any]) -> dict[str, str]:
    """The first sentence on each parameter in a numpy docstring."""
    said = parse(inspect.getdoc(target) or "").params
    sentences = {
        each.arg_name: re.split(r"(?<=[.!?])\s+(?=[A-Z])", each.description or "", maxsplit=1)[0] for each in said
    }
    return {
        name.strip(): " ".join(sentence.replace("`", "").split())
        for names, sentence in sentences.items()
        for name in names.split(",")
    }


def _names(prefix: str, name: str, rule: Any = str) -> tuple[str, ...]:
    """How it is typed; an option that may be given again in the singular, too."""
    words = f"--{prefix}{name.replace('_', '-')}"
    short = {"output": ("-o",), "models": ("-m",)}.get(name, (f"-{name}",) if len(name) == 1 else ())
    again = any(get_origin(kind) in _SEVERAL for kind in kinds_of(rule))
    return words, *((words[:-1],) if again and words.endswith("s") and not words.endswith("-as") else ()), *short
