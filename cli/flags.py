"""The options of a command: from the signature of the public function that it calls, with that function's docstring for help.

An object of options becomes a flag for each of its fields, the match function the flags of `load`. What is typed goes back as mappings, which
every public function takes in the place of such objects and holds to their rules.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from cyclopts import CycloptsError, Group, Parameter
from cyclopts.help import DefaultFormatter
from docstring_parser import parse

from ..options import READ, WRITTEN, Options, kinds_of, members, rules, served

_NAMED = ("judge", "codes", "graded", "threshold", "encoder", "about")
"""Parameters whose fields carry their name: --judge.model."""
OPTIONS, OUT = "Options", "What comes out"
_LONG = 160
_SEVERAL = (Iterable, Sequence, Mapping)


class Names:
    """Shows of a group of options the names alone, so that what everybody needs fits a screen; all of it where `full`."""

    full = False

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        names = " ".join(entry.positive_names[0] for entry in panel.entries)
        if Names.full:
            DefaultFormatter()(console, options, panel)
        else:
            console.print(f"{panel.title} (--help-all): {names}", markup=False, highlight=False)


@functools.cache
def _group(name: str) -> Group:
    first = (OUT, OPTIONS)
    return Group(name, sort_key=[*first, name].index(name), help_formatter=None if name in first else Names())


@dataclass(frozen=True)
class Flag:
    """One option of a command.

    path : the parameter, and the fields below it, that take its value. names : as it is typed. rule : its type in Python. heading : where help
    shows it. about : its description. default : shown. several : of one value in Python, several words.
    """

    path: tuple[str, ...]
    names: tuple[str, ...]
    rule: Any
    heading: str
    about: str
    default: Any = inspect.Parameter.empty
    several: bool = False

    @functools.cached_property
    def said(self) -> list[Any]:
        """What `Annotated` says of it."""
        return [*said_of(self.rule)]

    @property
    def key(self) -> str:
        """Its name as a parameter of the command."""
        return re.sub(r"\W", "_", self.names[0].strip("-"))

    def parameter(self, *, positional: bool = False) -> inspect.Parameter:
        """What cyclopts reads of it: one simple type, or a list of words that are read here."""
        kinds = [kind for kind in kinds_of(self.rule) if kind is not NoneType]
        one, inside = kinds[0], {get_origin(kind) for kind in kinds}
        if len(kinds) == 1 and inside < {Iterable, Sequence}:
            one = get_args(one)[0]
        if len(kinds) > 1 or not (one in (bool, int, float) or get_origin(one) is Literal):
            one = str
        several = self.several or bool(inside & {*_SEVERAL})
        simple = isinstance(self.default, str | int | float) and not isinstance(self.default, bool)
        said = Parameter(
            name=None if positional else self.names, help=self.about, group=_group(self.heading),
            metavar="NAME=VALUE" if Mapping in inside else "FILE" if READ in self.said or WRITTEN in self.said else "TEXT" if one is str else None,
            show_default=str(self.default) if simple else False, negative=None if self.default is True else (),
        )  # fmt: skip
        hint = list[one] if several else one  # type: ignore[valid-type]
        required = self.default is inspect.Parameter.empty
        return inspect.Parameter(
            self.key,
            inspect.Parameter.POSITIONAL_ONLY if positional else inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if required else None,
            annotation=Annotated[hint if required else hint | None, said],
        )

    def read(self, words: Sequence[Any]) -> Any:
        """The value in Python of several words: NAME=VALUE where a mapping or pairs are taken. Errors: `CycloptsError`."""
        inside = {get_origin(kind): get_args(kind) for kind in kinds_of(self.rule) if kind is not NoneType}
        named = Mapping in inside and any("=" in word and not Path(word).exists() for word in words)
        if named or inside.keys() == {Mapping} or {Mapping, Iterable} <= inside.keys():
            pairs = [word.partition("=") for word in words]
            if wrong := [word for word, (*_, value) in zip(words, pairs, strict=True) if not value]:
                raise CycloptsError(msg=f"{self.names[0]} {wrong[0]}: expected NAME=VALUE")
            if Iterable in inside:  # of pairs, whose first may stand twice
                return [(name, value) for name, _, value in pairs]
            return {name: _value(value, kinds_of(inside[Mapping][1])) for name, _, value in pairs}
        if len(words) > 1 or (inside.keys() & {*_SEVERAL} and Mapping not in inside):
            return words
        return _value(words[0], (int,)) if int in kinds_of(self.rule) else words[0]


def _value(text: str, kinds: tuple[Any, ...]) -> Any:
    """One value as a mapping holds it: a number or JSON where it takes these, several with commas where it takes several."""
    if any(get_origin(kind) in (Iterable, Sequence) for kind in kinds) and "," in text:
        return [part.strip() for part in text.split(",")]
    if int in kinds or kinds == (Any,):
        with contextlib.suppress(ValueError):
            return json.loads(text)
    return text


def options(
    target: Callable[..., Any], heading: str = OPTIONS, path: tuple[str, ...] = (), prefix: str = ""
) -> Iterator[Flag]:
    """The flags of a public function, or of an object of options, whose docstring's first words are their heading."""
    from ..matcher.match_function import load

    said, own = described(target), inspect.signature(target).parameters
    for name, rule in rules(target).items():
        here, kinds = (*path, name), kinds_of(rule)
        objects = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Options)]
        word = next((kind for kind in kinds if get_origin(kind) is Literal), None)
        if name == "matcher" and target is not load and set(kinds) != {str, NoneType}:
            yield from options(load, "The match function", here)
        elif len(objects) > 1 and word is not None:  # a word says which of the objects
            yield Flag((*here, name), _names("", name), word, name.capitalize(), said[name], get_args(word)[0])
            for kind in objects:
                yield from options(kind, name.capitalize(), here)
        elif objects and word is None:
            below = re.split("[:;,.]", objects[0].__doc__ or "")[0]
            for each in options(objects[0], below, here, f"{name}." if name in _NAMED else prefix):
                if each.path[len(here)] in served(rule):
                    yield each
        elif any(map(_can_be_typed, kinds)):
            yield Flag(here, _names(prefix, name, rule), rule, heading, said.get(name, ""), own[name].default)


def _can_be_typed(kind: Any) -> bool:
    """Whether a value of this type can be; a function, or a graph of diseases, cannot."""
    return kind in (str, int, float, bool, Path, Any) or get_origin(kind) not in (None, Callable)


def _names(prefix: str, name: str, rule: Any = str) -> tuple[str, ...]:
    """How it is typed; an option that may be given again in the singular, too."""
    words = f"--{prefix}{name.replace('_', '-')}"
    short = {"output": ("-o",), "models": ("-m",)}.get(name, (f"-{name}",) if len(name) == 1 else ())
    again = any(get_origin(kind) in _SEVERAL for kind in kinds_of(rule))
    return words, *((words[:-1],) if again and words.endswith("s") and not words.endswith("-as") else ()), *short


def described(target: Callable[..., Any]) -> dict[str, str]:
    """The first sentence on each parameter in a numpy docstring; of a long one the first clause."""
    found: dict[str, str] = {}
    for each in parse(inspect.getdoc(target) or "").params:
        sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z])", each.description or "", maxsplit=1)[0]
        if len(sentence) > _LONG:
            sentence = f"{sentence.partition(': ')[0].rstrip('.')}."
        for name in each.arg_name.split(","):
            found[name.strip()] = " ".join(sentence.replace("`", "").split())
    return found


def said_of(rule: Any) -> Iterator[Any]:
    """What `Annotated` says of the types of a rule, and of those inside them."""
    for kind, about in members(rule):
        yield from about
        if get_origin(kind) in _SEVERAL:
            yield from said_of(get_args(kind)[-1])


def arguments(flags: Sequence[Flag], typed: Mapping[str, Any], target: Callable[..., Any]) -> dict[str, Any]:
    """The arguments of `target` that were typed, objects of options as mappings; `asking` is made, since it says afterwards what came of it."""
    made: dict[str, Any] = {}
    keys = [flag.key for flag in flags]
    for flag in (flag for flag in flags if flag.key in typed):
        value, inside = typed[flag.key], made
        # one --store is for M and for what is asked: alone it asks for no M, and answers go to it, so that there may be none yet for M to read
        if flag.path[0] == "matcher" and keys.count(flag.key) > 1 and not ("matcher" in made and Path(value).exists()):
            continue
        for name in flag.path[:-1]:
            inside = inside.setdefault(name, {})
        inside[flag.path[-1]] = value
    if "asking" in rules(target):
        from ..votes.asking_options import Asking

        made["asking"] = Asking(**made.get("asking", {}))
        # retries are counted in what came of asking; where structlog is installed, stamina would print each of them
        with contextlib.suppress(ImportError):
            from stamina.instrumentation import set_on_retry_hooks

            set_on_retry_hooks(())
    return made


def loaded(given: Mapping[str, Any], target: Callable[..., Any]) -> dict[str, Any]:
    """Arguments with the match function that their options say, or that `target` cannot do without."""
    from ..matcher.match_function import load

    matcher = inspect.signature(target).parameters.get("matcher")
    of = given.get("matcher", {} if matcher is not None and matcher.default is matcher.empty else None)
    return {**given, "matcher": load(**of)} if isinstance(of, dict) else {**given}
