"""What a feature set asks about the pairs of a table, for the asker of language models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from ..errors import InputError
from ..files.wording import hint
from ..votes.asking import Job
from ..votes.prompts.prompt import Prompt
from ..votes.prompts.questions import ModelConfig, Question
from ..votes.voters import Picker, Voter
from .feature_set import FeatureSet, FeatureSpec
from .names import Names


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
    known = [feature.name for feature, _ in features.to_ask]
    for name in only:
        if name not in known:
            allowed = ", ".join(known) or "none: the set asks no language model"
            raise InputError(
                f"no such vote or pick{hint(name, known)}", source=features.name, allowed=allowed, got=name
            )
    pairs = [(names.names[i], names.names[j]) for i, j in zip(first, second, strict=True) if i != j]
    differing = Names(list(dict.fromkeys(chain.from_iterable(pairs))), names.providers)
    return [_job(group, pairs, differing, features) for group in groups_of(features, only)]


def groups_of(features: FeatureSet, only: Sequence[str] = ()) -> list[list[tuple[FeatureSpec, Voter | Picker]]]:
    """The votes and picks of a set that are asked for, and who is asked, those of one model configuration at one endpoint together."""
    groups: dict[tuple[ModelConfig, str], list[tuple[FeatureSpec, Voter | Picker]]] = {}
    for feature, who in features.to_ask:
        if not only or feature.name in only:
            served = features.endpoint_of(who.config.model, who.endpoint)
            groups.setdefault((who.config, served), []).append((feature, who))
    return list(groups.values())


def prompts_of(features: FeatureSet) -> dict[str, Prompt]:
    """The prompts of its votes and picks, by version."""
    return {who.prompt.version: who.prompt for _, who in features.to_ask if who.prompt is not None}


def _job(
    group: list[tuple[FeatureSpec, Voter | Picker]], pairs: list[tuple[str, str]], names: Names, features: FeatureSet
) -> Job:
    """names : of the pairs."""
    specs, who = zip(*group, strict=True)
    first, prompt = who[0], who[0].prompt
    assert prompt is not None, "imported votes are not asked for"
    if isinstance(first, Picker):
        questions = partial(names.icd_choices(first).questions, first)
    else:
        voters = [one for one in who if isinstance(one, Voter)]
        both = any(one.both_orders for one in voters)
        voter = replace(first, both_orders=both, repeats=max(one.repeats for one in voters))
        questions = partial(_of_pairs, voter, pairs)
    called = f"{', '.join(feature.name for feature in specs)}: {first.config.model}"
    return Job(features.language_model(first), prompt, questions, called)


def _of_pairs(voter: Voter, pairs: Sequence[tuple[str, str]]) -> Iterator[Question]:
    for first, second in pairs:
        yield from voter.questions(first, second)
