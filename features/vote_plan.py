"""What a feature set would ask about the pairs of a job: which questions, how many are known, tokens and cost expected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from ..endpoints.prices import estimated_tokens
from ..errors import DxmatchError, InputError
from ..files.did_you_mean import hint
from ..terms.icd.search import DISTANCES
from ..votes.asker import Job
from ..votes.prompts.prompt import Prompt
from ..votes.prompts.questions import ModelConfig, Question
from ..votes.store.store import VoteStore
from ..votes.voters import IMPORTED, Picker, Voter, asked_by
from .feature_set import FeatureSet, FeatureSpec
from .interning import InternedPairs
from .providers import Providers
from .representations import Representations

_SAMPLE = 200
"""So many of the unknown questions are written out to expect their tokens."""
_TOKENS_OF_AN_ANSWER = 3


@dataclass(frozen=True)
class Planned:
    """The questions to one model configuration at one endpoint.

    prompt : what they are put with. wanted : all questions. unknown : those without an answer in the store.
    prompt_tokens, completion_tokens : expected for the unknown ones. cost : of these; None where the price is not given.
    """

    features: tuple[str, ...]
    config: ModelConfig
    prompt: Prompt
    endpoint: str
    questions: Callable[[], Iterator[Question]]
    wanted: int
    unknown: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def plan(
    pairs: InternedPairs, features: FeatureSet, providers: Providers, store: VoteStore | None, only: Sequence[str] = ()
) -> list[Planned]:
    """One entry for each model configuration that the votes and picks of the set name, in the order of the columns.

    store : None where nothing is known yet. only : these features alone. Equal names are not asked about: they match.

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
    rows = np.flatnonzero(~pairs.equal)
    first, second = ([pairs.names[i] for i in side[rows].tolist()] for side in (pairs.first, pairs.second))
    differing = _Differing(first, second, Representations(list(dict.fromkeys(chain(first, second))), providers))
    groups: dict[tuple[ModelConfig, str], list[FeatureSpec]] = {}
    for feature in asked:
        if not only or feature.name in only:
            who = _who(feature)
            served = features.endpoint_of(who.config.model, who.endpoint)
            groups.setdefault((who.config, served), []).append(feature)
    _open_encoders(list(groups.values()), providers)
    return [_planned(specs, differing, features, store) for specs in groups.values()]


def _open_encoders(groups: Sequence[Sequence[FeatureSpec]], providers: Providers) -> None:
    """Raises `InputError` where the encoder of a pick cannot be opened, with what can be asked without it."""
    for specs in groups:
        picker = _who(specs[0])
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
    prompts = [_who(feature).prompt for feature in features.asked]
    return {prompt.version: prompt for prompt in prompts if prompt is not None}


def jobs_of(planned: Sequence[Planned], features: FeatureSet, store: VoteStore) -> list[Job]:
    """What is planned and unknown, for `ask`."""
    return [
        Job(
            features.endpoints[one.endpoint],
            one.config,
            store.unknown(one.questions()),
            one.unknown,
            features.prices.get(one.config.model),
            one.prompt,
        )
        for one in planned
        if one.unknown
    ]


class _Differing(NamedTuple):
    """The pairs whose names differ, and these names."""

    first: list[str]
    second: list[str]
    texts: Representations


def _who(feature: FeatureSpec) -> Voter | Picker:
    return asked_by(feature.kind, feature.options)


def _planned(
    specs: Sequence[FeatureSpec], differing: _Differing, features: FeatureSet, store: VoteStore | None
) -> Planned:
    who = [_who(feature) for feature in specs]
    config, prompt = who[0].config, who[0].prompt
    assert prompt is not None, "imported votes are not asked for"
    endpoint = features.endpoint_of(config.model, who[0].endpoint)
    if isinstance(who[0], Picker):
        choices = differing.texts.icd_choices(who[0])
        wanted = len(choices.asked)

        def questions() -> Iterator[Question]:
            return choices.questions(config, prompt)
    else:
        voters = [one for one in who if isinstance(one, Voter)]
        voter = replace(
            voters[0], both_orders=any(v.both_orders for v in voters), repeats=max(v.repeats for v in voters)
        )
        wanted = len(differing.first) * voter.repeats * (2 if voter.both_orders else 1)

        def questions() -> Iterator[Question]:
            for first, second in zip(differing.first, differing.second, strict=True):
                yield from voter.questions(first, second)

    unknown = wanted if store is None else sum(1 for _ in store.unknown(questions()))
    sample = list(islice(questions() if store is None else store.unknown(questions()), _SAMPLE))
    one_prompt, one_completion = _tokens_of_one(config, prompt, sample, store)
    tokens = round(unknown * one_prompt), round(unknown * one_completion)
    price = features.prices.get(config.model)
    cost = 0.0 if not unknown else None if price is None else price.of(*tokens)
    names = tuple(feature.name for feature in specs)
    return Planned(names, config, prompt, endpoint, questions, wanted, unknown, *tokens, cost)


def _tokens_of_one(
    config: ModelConfig, prompt: Prompt, sample: Sequence[Question], store: VoteStore | None
) -> tuple[float, float]:
    """Prompt and completion tokens of one question: the mean of those answered, else from the length of `sample`."""
    if store is not None and (seen := store.mean_tokens(config)) is not None:
        return seen
    lengths = [estimated_tokens(prompt.messages(question.first, question.second)) for question in sample]
    return sum(lengths) / max(len(lengths), 1), float(_TOKENS_OF_AN_ANSWER)
