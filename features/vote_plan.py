"""What a feature set asks about the pairs of a table, for the asker of language models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import NamedTuple

from ..errors import DxmatchError, InputError
from ..files.wording import hint
from ..terms.icd.search import DISTANCES
from ..votes.asking import Job
from ..votes.prompts.prompt import Prompt
from ..votes.prompts.questions import ModelConfig, Question
from ..votes.voters import IMPORTED, Picker, Voter, asked_by
from .feature_set import FeatureSet, FeatureSpec
from .names import Names
from .providers import Providers


def jobs_of(
    names: Names, first: Sequence[int], second: Sequence[int], features: FeatureSet, only: Sequence[str] = ()
) -> list[Job]:
    """One job for each model configuration that the votes and picks of the set name, in the order of the columns.

    first, second : the places of the names of different pairs. Equal names are not asked about: they match.
    only : these features alone.

    Raises
    ------
    InputError
        A feature of `only` that is not a vote or pick of the set.
    """
    asked = [feature for feature in features.asked if feature.options["prompt"] != IMPORTED]
    known = [feature.name for feature in asked]
    for name in only:
        if name not in known:
            allowed = ", ".join(known) or "none: the set asks no language model"
            raise InputError(
                f"no such vote or pick{hint(name, known)}", source=features.name, allowed=allowed, got=name
            )
    pairs = [(names.names[i], names.names[j]) for i, j in zip(first, second, strict=True) if i != j]
    differing = _Differing(pairs, Names(list(dict.fromkeys(chain.from_iterable(pairs))), names.providers))
    groups = groups_of(features, only)
    _open_encoders(groups, names.providers)
    return [_job(specs, differing, features) for specs in groups]


def groups_of(features: FeatureSet, only: Sequence[str] = ()) -> list[list[FeatureSpec]]:
    """The votes and picks of a set that are asked for, those of one model configuration at one endpoint together."""
    groups: dict[tuple[ModelConfig, str], list[FeatureSpec]] = {}
    for feature in features.asked:
        if feature.options["prompt"] != IMPORTED and (not only or feature.name in only):
            who = who_of(feature)
            served = features.endpoint_of(who.config.model, who.endpoint)
            groups.setdefault((who.config, served), []).append(feature)
    return list(groups.values())


def _open_encoders(groups: Sequence[Sequence[FeatureSpec]], providers: Providers) -> None:
    """Raises `InputError` where the encoder of a pick cannot be opened, with what can be asked without it."""
    for specs in groups:
        picker = who_of(specs[0])
        if not isinstance(picker, Picker):
            continue
        try:
            providers.encoder(picker.encoder, unit=picker.distance == DISTANCES[0])
        except DxmatchError as error:
            names = [
                feature.name
                for group in groups
                for feature in group
                if feature.options.get("encoder") != picker.encoder
            ]
            why = error.problem if isinstance(error, InputError) else f"{error}".rstrip(".")
            raise InputError(
                f"{', '.join(feature.name for feature in specs)}: the candidates of the pick are found by the encoder "
                f"{picker.encoder!r}: {why}. What is asked without it, by its name ('only'): {', '.join(names) or 'nothing'}",
                remedy=error.remedy if isinstance(error, InputError) else None,
            ) from error


def prompts_of(features: FeatureSet) -> dict[str, Prompt]:
    """The prompts of its votes and picks, by version."""
    prompts = [who_of(feature).prompt for feature in features.asked]
    return {prompt.version: prompt for prompt in prompts if prompt is not None}


class _Differing(NamedTuple):
    """The pairs whose names differ, and these names."""

    pairs: list[tuple[str, str]]
    names: Names


def who_of(feature: FeatureSpec) -> Voter | Picker:
    """Who is asked for the values of a vote or pick."""
    return asked_by(feature.kind, feature.options)


def _job(specs: Sequence[FeatureSpec], differing: _Differing, features: FeatureSet) -> Job:
    who = [who_of(feature) for feature in specs]
    first, prompt = who[0], who[0].prompt
    assert prompt is not None, "imported votes are not asked for"
    if isinstance(first, Picker):
        questions = partial(differing.names.icd_choices(first).questions, first)
    else:
        voters = [one for one in who if isinstance(one, Voter)]
        both = any(one.both_orders for one in voters)
        voter = replace(first, both_orders=both, repeats=max(one.repeats for one in voters))
        questions = partial(_of_pairs, voter, differing)
    called = f"{', '.join(feature.name for feature in specs)}: {first.config.model}"
    return Job(features.language_model(first), prompt, questions, called)


def _of_pairs(voter: Voter, differing: _Differing) -> Iterator[Question]:
    for first, second in differing.pairs:
        yield from voter.questions(first, second)
