"""Options as help shows them, and as a shell completes them: values in plain words, the words that an option allows."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter
from pathlib import Path
from typing import Any, Union, get_args, get_origin

from typer.models import ArgumentInfo, OptionInfo

_VALUES = {bool: "", Path: "PATH", int: "NUMBER", float: "NUMBER", str: "TEXT"}


def in_plain_words(command: str, parameters: Mapping[str, Parameter]) -> None:
    """Says of every option what kind of value it takes (of a flag: none), and which words a shell may complete."""
    for name, parameter in parameters.items():
        for info in getattr(parameter.annotation, "__metadata__", ()):
            kind, several = _kind(get_args(parameter.annotation)[0])
            if isinstance(info, ArgumentInfo):
                if parameter.default in (None, Parameter.empty):
                    info.show_default = False
                if info.metavar is None:
                    info.metavar = f"{name.upper()}{'...' if several else ''}"
            elif isinstance(info, OptionInfo):
                if info.metavar is None:
                    info.metavar = _VALUES.get(kind)
                if parameter.default in (None, Parameter.empty):
                    info.show_default = False  # older releases of typer say [default: None]
                words = _WORDS.get(f"{command}.{name}") or _WORDS.get(name)
                if words is not None and kind is str and info.autocompletion is None:
                    info.autocompletion = _completing(words)


def _kind(annotation: Any) -> tuple[Any, bool]:
    """The type of one value, and whether there may be several."""
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = next(each for each in get_args(annotation) if each is not type(None))
    if get_origin(annotation) is list:
        return get_args(annotation)[0], True
    return annotation, False


def _completing(words: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        return [word for word in words() if word.startswith(incomplete)]

    return complete


def _policies() -> Iterable[str]:
    from ..matcher.policy import POLICIES

    return POLICIES


def _metrics() -> Iterable[str]:
    from ..evaluation.score.wanted import FAMILIES, computed_metrics

    return (*FAMILIES, *computed_metrics())


def _formats() -> Iterable[str]:
    from ..evaluation.lists.formats.registry import FORMATS

    return FORMATS


def _table_formats() -> Iterable[str]:
    from .streams import FORMATS

    return FORMATS


def _feature_sets() -> Iterable[str]:
    sets = Path(__file__).parents[1] / "features" / "sets"
    return sorted(path.stem for path in sets.glob("*.toml"))


def _said(*words: str) -> Callable[[], Iterable[str]]:
    return lambda: words


_WORDS: dict[str, Callable[[], Iterable[str]]] = {
    "policy": _policies,
    "metrics": _metrics,
    "features": _feature_sets,
    "evaluate.format": _formats,
    "stdout_format": _table_formats,
    "evaluate.missing": _said("empty", "own", "refuse"),
    "reasoning.missing": _said("zero", "own", "refuse"),
    "score.engine": _said("local", "ray"),
    "train.engine": _said("lightgbm", "autogluon"),
    "train.threshold": _said("minimax_f1", "max_f1", "half"),
    "train.contained": _said("keep", "set-aside", "match"),
    "source": _said("icd10cm", "icd10"),
    "icd_source": _said("icd10cm", "icd10"),
    "distance": _said("cosine", "euclidean"),
    "icd_distance": _said("cosine", "euclidean"),
    "entries": _said("codes", "names"),
    "icd_entries": _said("codes", "names"),
    "difficulty": _said("easy", "medium", "hard"),
    "denominator": _said("nk2", "observed"),
    "pairing": _said("best", "greedy"),
    "allocation": _said("proportional", "equal"),
    "import_.changed": _said("refuse", "keep", "replace"),
    "encoding": _said("cp1252", "latin-1", "utf-16", "gb18030", "cp1251", "mac_roman"),
}
"""The words of an option, or of a command's (`command.option`)."""
