"""Options: what belongs together is one frozen object, whose fields carry their rules as data; here each rule is held and worded, once.

A public function is `checked`: its own parameters are held to their rules, an object of options may come as a mapping or as the path of
a TOML file, and an option that is a field of such an object is answered by the way to say it.
"""

from __future__ import annotations

import functools
import inspect
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from math import inf
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import InputError, OptionError

F = TypeVar("F", bound=Callable[..., Any])
SEVERAL = (Iterable, Sequence, Mapping)
"""The types of several values."""


@dataclass(frozen=True)
class Between:
    """The rule of a number: from `low` to `high`, both included unless `apart`."""

    low: float
    high: float = inf
    apart: bool = False

    def holds(self, value: Any) -> bool:
        return self.low < value < self.high if self.apart else self.low <= value <= self.high

    def __str__(self) -> str:
        if self.high == inf:
            return f"above {self.low:,}" if self.apart else f"{self.low:,} or more"
        return f"between {self.low:,} and {self.high:,}" if self.apart else f"from {self.low:,} to {self.high:,}"


READ, WRITTEN = "a file that is read", "a file that is written"
"""What is done with a file that an option names: the command line lets "-" stand for it, and reads and writes none at once."""
File = Annotated[str | os.PathLike[str], READ]
"""The path of a file or folder that is read."""
Table = Annotated[Any, READ]
"""A table as users have it: the path of a file, a data frame, a table of Arrow, a list of mappings."""
Output = Annotated[str | os.PathLike[str], WRITTEN]
"""The path of a file or folder that is written."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The base of the objects of options: each field is held to its rule when one is made."""

    def __post_init__(self) -> None:
        for name, rule in rules(type(self)).items():
            object.__setattr__(self, name, rule.hold(name, getattr(self, name)))

    @property
    def given(self) -> frozenset[str]:
        """The fields that are not at their defaults."""
        return frozenset(each.name for each in fields(self) if getattr(self, each.name) is not each.default)


@dataclass(frozen=True)
class Rule:
    """What a parameter takes: one of several types, with what `Annotated` says of them and of the values inside them.

    Beside an object of options stand the names of the fields that the function uses: `Annotated[Reading, "encoding"]`.
    """

    kinds: tuple[Any, ...]
    said: tuple[Any, ...] = ()

    @classmethod
    def of(cls, hint: Any) -> Rule:
        inside = get_args(hint)
        if get_origin(hint) is Annotated:
            plain = cls.of(inside[0])
            return cls(plain.kinds, (*plain.said, *inside[1:]))
        if get_origin(hint) in (Union, UnionType):
            parts = [*map(cls.of, inside)]
            return cls((*chain(*(part.kinds for part in parts)),), (*chain(*(part.said for part in parts)),))
        return cls((hint,), cls.of(inside[-1]).said if get_origin(hint) in SEVERAL else ())

    @property
    def objects(self) -> list[type[Options]]:
        """The classes of objects of options among the types."""
        return [kind for kind in self.kinds if isinstance(kind, type) and issubclass(kind, Options)]

    @property
    def words(self) -> list[str]:
        """The words of which several may be given."""
        literals = [get_args(kind)[0] for kind in self.kinds if get_origin(kind) is Sequence]
        return [word for kind in literals if get_origin(kind) is Literal for word in get_args(kind)]

    @property
    def served(self) -> frozenset[str]:
        """The fields of such an object that the function uses: those that are named beside its type, or all; another that is given is refused."""
        every = frozenset(chain(*map(rules, self.objects)))
        return every & {*self.said} or every

    def hold(self, name: str, value: Any) -> Any:
        """`value` as the rule allows it: an object of options where it came as a mapping or a file."""
        refused = [self._refused(kind, value) for kind in self.kinds]
        if all(refused):
            allowed = " or ".join(dict.fromkeys(map(str, refused)))
            if not self.objects or not isinstance(value, str | os.PathLike | Mapping):
                raise OptionError(name, allowed, value)
            value = _made(name, self.objects, value, allowed)
        if isinstance(value, Options) and (unused := sorted(value.given - self.served)):
            without = f"without {unused[0]}, which is not used here ({', '.join(sorted(self.served))})"
            raise OptionError(name, without, value)
        return value

    def _refused(self, kind: Any, value: Any) -> str | None:
        """What one of the types allows, in words, where `value` is something else."""
        between = next((said for said in self.said if isinstance(said, Between)), None)
        inside, right, words = get_args(kind), True, ""
        if get_origin(kind) is Sequence and self.words:
            right = isinstance(value, Sequence) and {*value} <= {*self.words}
            words = f"several of {', '.join(self.words)}"
        elif get_origin(kind) is Literal:
            right, words = isinstance(value, str) and value in inside, f"one of {', '.join(inside)}"
        elif kind is str or get_origin(kind) is os.PathLike:
            right, words = not isinstance(value, Mapping), "text"
        elif kind in (bool, NoneType):
            right, words = isinstance(value, kind), "True or False" if kind is bool else "None"
        elif kind in (int, float) and between is not None:
            right = isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
            right, words = right and between.holds(value), f"a {'whole ' * (kind is int)}number {between}"
        elif kind in self.objects:
            right, words = isinstance(value, kind), f"a dxmatch.{kind.__name__}"
        return None if right else words


@functools.cache
def rules(of: Any) -> Mapping[str, Rule]:
    """The rules of the parameters of a function, or of the fields of a class."""
    hints = get_type_hints(inspect.unwrap(of), include_extras=True)
    return {name: Rule.of(hint) for name, hint in hints.items() if name != "return"}


RENAMED = {
    "annotations": "notes", "ask": "models", "ask_again": "read_again", "bootstrap": "resamples", "encoder_folder": "encoders",
    "full_circle": "shifts", "icd_source": "codes.tree", "import": "results", "judge": "judge.model", "judge_equal": "judge.ask_equal",
    "judge_prompt": "judge.prompt", "known_as": "names", "lists": "answers", "m": "matcher", "model": "matcher",
    "observation_prompt": "prompts", "open": "open_pairs", "path": "matcher", "predictions": "answers", "rationale_prompt": "prompts",
    "relation_prompt": "graded.prompts", "semantic_best": "best", "severity_prompt": "graded.prompts", "source": "tree", "strings": "diagnoses",
    "subset": "reading.columns", "target": "threshold.rule", "threshold_rule": "threshold.rule",
}  # fmt: skip
"""What an option was called in the second version -> its name, or "parameter.field"."""
_OF_LOAD = {"policy", "threshold", "judge_all", "min_coverage"}


def checked(function: F) -> F:
    """Makes a public function hold its parameters to their rules before it runs; objects of options may come as mappings or TOML files.

    Raises
    ------
    OptionError
        For a parameter outside its rule, a field of an object that the function does not use, and an option that is given another way.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def held(*args: Any, **options: Any) -> Any:
        for name in options.keys() - signature.parameters.keys():
            now = RENAMED.get(name, name).rpartition(".")[2]
            for parameter, rule in rules(function).items():
                kinds = [f"dxmatch.{kind.__name__}({now}=…)" for kind in rule.objects if now in rules(kind)]
                kinds += [f"dxmatch.load({now}=…)"] if parameter == "matcher" and now in _OF_LOAD else []
                if kinds or parameter == now or now in rule.words:
                    ways = [*kinds, f'["{now}"]' if now in rule.words else "…"]
                    raise OptionError(name, f"given as {parameter}={ways[0]}", options[name])
        try:
            given = signature.bind(*args, **options)
        except TypeError:
            return function(*args, **options)  # says itself what it lacks, and by its name
        for name, rule in rules(function).items():
            if name in given.arguments:
                given.arguments[name] = rule.hold(name, given.arguments[name])
        return function(*given.args, **given.kwargs)

    return held  # type: ignore[return-value]


def _made(name: str, kinds: Sequence[type[Options]], given: Any, allowed: str) -> Options:
    """An object of options from a mapping of its fields, or from a TOML file that holds these, or a table of them named as the parameter."""
    source = None if isinstance(given, Mapping) else str(given)
    if source is not None:
        try:
            given = tomllib.loads(Path(source).read_text("utf-8"))
        except (OSError, ValueError) as error:
            allowed = f"{allowed}, or a TOML file of one"
            raise InputError(f"options cannot be read ({error})", source=source, allowed=allowed) from None
    said = given.get(name, given)
    if isinstance(said, str):  # which of several classes, as a command says it
        kinds = [kind for kind in kinds if kind.__name__.lower() == said] or kinds
        said = {field: value for field, value in given.items() if field != name}
    kind = next((kind for kind in kinds if not said.keys() - rules(kind)), kinds[-1])
    if unknown := [field for field in said if field not in rules(kind)]:
        allowed = ", ".join(rules(kind))
        raise InputError(f"{kind.__name__} has no such field", source=source, allowed=allowed, got=unknown[0])
    return kind(**said)
