"""Options: what belongs together is one frozen object, whose fields carry their rules as data; here each rule is held and worded, once.

A public function is `checked`: its own parameters are held to their rules, an object of options may come as a mapping or as the path of
a TOML file, and the name that an option had before is answered by the way to say it today.
"""

from __future__ import annotations

import functools
import inspect
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import InputError, OptionError

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Between:
    """The rule of a number: from `low` to `high`, both included unless `apart`."""

    low: float
    high: float = inf
    apart: bool = False

    def holds(self, value: Any) -> bool:
        return self.low < value < self.high if self.apart else self.low <= value <= self.high

    @property
    def words(self) -> str:
        if self.high == inf:
            return f"above {self.low:,}" if self.apart else f"{self.low:,} or more"
        return f"between {self.low:,} and {self.high:,}" if self.apart else f"from {self.low:,} to {self.high:,}"


@dataclass(frozen=True)
class Serves:
    """The fields of an object of options that a function uses; another that is given is refused."""

    fields: frozenset[str]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "fields", frozenset(names))


@dataclass(frozen=True)
class FileRole:
    """What is done with a file that an option names: the command line lets "-" stand for it, and reads and writes none at once."""

    written: bool


READ, WRITTEN = FileRole(written=False), FileRole(written=True)
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
            object.__setattr__(self, name, _hold(name, rule, getattr(self, name)))

    @property
    def given(self) -> frozenset[str]:
        """The fields that are not at their defaults."""
        return frozenset(each.name for each in fields(self) if getattr(self, each.name) is not each.default)


RENAMED: Mapping[str, str] = {
    "bootstrap": "resampling.resamples",
    "seed": "resampling.seed",
    "level": "resampling.level",
    "encoding": "reading.encoding",
    "rejects": "reading.rejects",
    "columns": "reading.columns",
    "format": "reading.format",
    "separator": "reading.separator",
    "missing": "reading.missing",
    "no_diagnosis": "reading.no_diagnosis",
    "record": "reading.record",
    "endpoints": "asking.endpoints",
    "store": "asking.store",
    "max_calls": "asking.max_calls",
    "max_cost": "asking.max_cost",
    "dry_run": "asking.dry_run",
    "again": "asking.again",
    "model": "matcher",
    "temperature": "sampling.temperature",
    "max_tokens": "sampling.max_tokens",
    "parameters": "sampling.parameters",
    "strings": "diagnoses",
    "source": "tree",
    "encoder": "preset.encoder",
    "distance": "preset.distance",
    "entries": "preset.entries",
    "sections": "preset.sections",
    "direct": "preset.direct",
    "prompt": "preset.prompt",
    "features": "preset.features",
    "icd.allow_download": "preset.allow_download",
    "icd_accuracy.allow_download": "preset.allow_download",
    "progress": "left out: how far it has come is shown while it works (not with DXMATCH_QUIET)",
    "policy": "given to dxmatch.load, whose match function is taken as matcher=…",
    "threshold": "given to dxmatch.load, whose match function is taken as matcher=…",
    "judge_all": "given to dxmatch.load, whose match function is taken as matcher=…",
    "min_coverage": "given to dxmatch.load, whose match function is taken as matcher=…",
    "identity": "given to dxmatch.load, whose match function is taken as matcher=…",
    "encoders": "given to dxmatch.load, whose match function is taken as matcher=…",
    "allow_download": "given to dxmatch.load, whose match function is taken as matcher=…",
    "signed_by": "left out: that it is the very model, loading=dxmatch.Loading(identity=…) says",
    "load.path": "matcher",
    "load.revision": "loading.revision",
    "load.identity": "loading.identity",
    "load.encoders": "loading.encoders",
    "load.allow_download": "loading.allow_download",
    "load.store": "loading.store",
    "load.endpoints": "loading.endpoints",
    "from_pretrained.revision": "loading.revision",
    "from_pretrained.identity": "loading.identity",
    "from_pretrained.allow_download": "loading.allow_download",
    "score.features": 'given as add=["features"]',
    "score.shap": 'given as add=["shap"]',
    "score.relation": 'given as add=["relation"]',
    "score.threshold": "given to dxmatch.load, or set: m.threshold = …",
    "link.relation": 'given as add=["relation"]',
    "score_files.features": 'given as add=["features"]',
    "score_files.shap": 'given as add=["shap"]',
    "score_files.relation": 'given as add=["relation"]',
    "score_files.source": "pairs",
    "score_files.engine": "job.engine",
    "score_files.workers": "job.workers",
    "score_files.chunk_rows": "job.chunk_rows",
    "score_files.restart": "job.restart",
    "audit.a": "columns.a",
    "audit.b": "columns.b",
    "audit.label": "columns.label",
    "audit.group": "columns.group",
    "suggest.m": "matcher",
    "labels.open": "open_pairs",
    "labels.export": "left out: exports of Label Studio stand among the files, and annotators={ID: NAME} says who is who",
    "labels.annotator": "annotators",
    "evaluate.lists": "answers",
    "evaluate.predictions": "answers",
    "algorithms": "panel.algorithms",
    "in_turn": "panel.in_turn",
    "hardness": "panel.hardness",
    "denominator": "panel.denominator",
    "max_k": "panel.max_k",
    "evaluate.labelled": "panel.labelled",
    "icd_source": "codes.tree",
    "icd_encoder": "codes.preset",
    "icd_distance": "codes.preset",
    "icd_entries": "codes.preset",
    "icd_direct": "codes.preset",
    "evaluate.features": "codes.preset",
    "evaluate.pick": "codes.pick",
    "evaluate.check": "judge.check",
    "evaluate.judge": "judge.model",
    "judge_prompt": "judge.prompt",
    "check_prompt": "judge.check_prompt",
    "judge_equal": "judge.ask_equal",
    "evaluate.human": "judge.human",
    "evaluate.relation": "graded.relation",
    "evaluate.severity": "graded.severity",
    "relation_prompt": "graded.prompts",
    "severity_prompt": "graded.prompts",
    "difficulty": "graded.difficulty",
    "semantic_best": "graded.best",
    "evaluate.budget": "given as asking=dxmatch.Asking(max_calls=…, max_cost=…)",
    "train.a": "columns.a",
    "train.b": "columns.b",
    "train.label": "columns.label",
    "train.soft": "columns.soft",
    "train.weight": "columns.weight",
    "train.group": "columns.group",
    "train.contained": "labels.contained",
    "train.on_conflict": "labels.on_conflict",
    "train.extra": "labels.extra",
    "train.abbreviations": "labels.abbreviations",
    "train.test_share": "split.test_share",
    "train.folds": "split.folds",
    "train.seed": "split.seed",
    "train.refit": "split.refit",
    "train.held_out": "split.held_out",
    "train.threshold_rule": "threshold",
    "train.threshold": "threshold.rule",
    "train.target": "threshold.rule",
    "train.prevalence": "threshold.prevalence",
    "train.drop_correlated": "engine.drop_correlated",
    "train.time_limit": "given as engine=dxmatch.AutoGluon(time_limit=…)",
    "train.models": "given as engine=dxmatch.AutoGluon(models=…)",
    "train.graph": "encoder.graph",
    "train.keep_encoders": "encoder.keep",
    "train.allow_download": "encoder.allow_download",
    "train.name": "about.name",
    "ask.import": "results",
    "votes.model_name": "model",
    "serve.known_as": "names",
    "encoder_folder": "encoders",
    "choice.ask": "models",
    "choice.ask_again": "read_again",
    "choice.full_circle": 'given as shifts="all"',
    "choice.model": "given as answers={NAME: table}",
    "choice.subset": 'given as reading=dxmatch.Reading(columns={"subset": …})',
    "choice.budget": "given as asking=dxmatch.Asking(max_calls=…, max_cost=…)",
    "reasoning.annotations": "notes",
    "reasoning.observation_prompt": 'given as prompts={"observation": …}',
    "reasoning.rationale_prompt": 'given as prompts={"rationale": …}',
    "reasoning.length": "left out: the length of a note is told in words",
    "reasoning.budget": "given as asking=dxmatch.Asking(max_calls=…, max_cost=…)",
}
"""What an option was called before, alone or behind "function." -> where it stands now: a parameter, "parameter.field", or a sentence."""


def checked(function: F) -> F:
    """Makes a public function hold its parameters to their rules before it runs; objects of options may come as mappings or TOML files.

    Raises
    ------
    OptionError
        For a parameter outside its rule, a field of an object that the function does not use, and an option's old name, with the new one.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def held(*args: Any, **options: Any) -> Any:
        for name in options.keys() - signature.parameters.keys():
            if (today := said_today(function, name)) is not None:
                raise OptionError(name, today, options[name])
        try:
            given = signature.bind(*args, **options)
        except TypeError:
            return function(*args, **options)  # says itself what it lacks
        for name, rule in rules(function).items():
            if name in given.arguments:
                given.arguments[name] = _hold(name, rule, given.arguments[name])
        return function(*given.args, **given.kwargs)

    return held  # type: ignore[return-value]


def said_today(function: Callable[..., Any], name: str) -> str | None:
    """How Python says today what the option `name` of `function` said before; None where it was none of its options."""
    today = RENAMED.get(f"{function.__name__}.{name}", RENAMED.get(name, ""))
    if " " in today:
        return today
    parameter, _, field = today.partition(".")
    if parameter not in rules(function):
        return None
    kind = options_of(rules(function)[parameter])
    return f"given as {parameter}={f'dxmatch.{kind.__name__}({field}=…)' if kind and field else '…'}"


def options_of(rule: Any) -> type[Options] | None:
    """The class of objects of options that a parameter of the type `rule` takes, the first of several; None where it takes none."""
    return next(iter(_kinds(rule)), None)


def _kinds(rule: Any) -> list[type[Options]]:
    """The classes of objects of options among the types of a rule."""
    return [kind for kind in kinds_of(rule) if isinstance(kind, type) and issubclass(kind, Options)]


def served(rule: Any) -> frozenset[str]:
    """The fields of such an object that serve the function: those that `Serves` names, or all."""
    every = frozenset(each.name for kind in _kinds(rule) for each in fields(kind))
    return next((said.fields for _, about in members(rule) for said in about if isinstance(said, Serves)), every)


@functools.cache
def rules(of: Any) -> Mapping[str, Any]:
    """The types of the parameters of a function, or of the fields of a class, with what `Annotated` says of them."""
    hints = get_type_hints(inspect.unwrap(of), include_extras=True)
    return {name: rule for name, rule in hints.items() if name != "return"}


def members(rule: Any, about: tuple[Any, ...] = ()) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The types of a union, each with what `Annotated` says of it."""
    if get_origin(rule) is Annotated:
        yield from members(get_args(rule)[0], (*about, *get_args(rule)[1:]))
    elif get_origin(rule) in (Union, UnionType):
        for member in get_args(rule):
            yield from members(member, about)
    else:
        yield rule, about


def kinds_of(rule: Any) -> tuple[Any, ...]:
    """The types of a union, or the one type, without what `Annotated` says of them."""
    return tuple(kind for kind, _ in members(rule))


def _hold(name: str, rule: Any, value: Any) -> Any:
    """`value` as the rule allows it: an object of options where it came as a mapping or a file."""
    kinds = _kinds(rule)
    refused = [_refused(member, about, value) for member, about in members(rule)]
    if all(refused) and kinds and isinstance(value, str | os.PathLike | Mapping):
        value = _made(name, kinds, value, " or ".join(filter(None, refused)))
    elif all(refused):
        raise OptionError(name, " or ".join(dict.fromkeys(filter(None, refused))), value)
    if isinstance(value, Options) and (unused := sorted(value.given - served(rule))):
        raise OptionError(
            name, f"without {unused[0]}, which is not used here ({', '.join(sorted(served(rule)))})", value
        )
    return value


def _refused(kind: Any, about: tuple[Any, ...], value: Any) -> str | None:
    """What one type of a rule allows, in words, where `value` is something else."""
    number = next((said for said in about if isinstance(said, Between)), None)
    if kind is NoneType:
        return None if value is None else "None"
    if get_origin(kind) is Literal:
        allowed = get_args(kind)
        return None if isinstance(value, str) and value in allowed else f"one of {', '.join(allowed)}"
    if get_origin(kind) is Sequence and get_origin(get_args(kind)[0]) is Literal:
        allowed = get_args(get_args(kind)[0])
        right = isinstance(value, Sequence) and not isinstance(value, str) and all(one in allowed for one in value)
        return None if right else f"several of {', '.join(allowed)}"
    if kind is str or get_origin(kind) is os.PathLike:
        return "text" if isinstance(value, Mapping) else None
    if kind is bool:
        return None if isinstance(value, bool) else "True or False"
    if kind in (int, float) and number is not None:
        right = isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
        noun = "a whole number" if kind is int else "a number"
        return None if right and number.holds(value) else f"{noun} {number.words}"
    if isinstance(kind, type) and issubclass(kind, Options):
        return None if isinstance(value, kind) else f"a dxmatch.{kind.__name__}"
    return None


def _made(name: str, kinds: Sequence[type[Options]], given: Any, allowed: str) -> Options:
    """An object of options from a mapping of its fields, or from a TOML file that holds these, or a table of them named as the parameter."""
    source = None
    if not isinstance(given, Mapping):
        source = str(given)
        try:
            given = tomllib.loads(Path(given).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(
                f"options cannot be read ({error})", source=source, allowed=f"{allowed}, or a TOML file of one"
            ) from None
    said = given.get(name, given)
    if isinstance(said, str):  # which of several classes, as a command says it
        kinds = [kind for kind in kinds if kind.__name__.lower() == said] or kinds
        said = {field: value for field, value in given.items() if field != name}
    given = said
    known = {kind: [each.name for each in fields(kind)] for kind in kinds}
    kind = next((kind for kind in kinds if not given.keys() - known[kind]), kinds[-1])
    if unknown := [field for field in given if field not in known[kind]]:
        raise InputError(
            f"{kind.__name__} has no such field", source=source, allowed=", ".join(known[kind]), got=unknown[0]
        )
    return kind(**given)
