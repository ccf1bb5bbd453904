"""Whether the models that a feature set asks can be asked: one question to each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from ..endpoints.prices import read_services
from ..errors import InputError, OptionError
from ..features.feature_set import FeatureSet
from ..files.did_you_mean import hint
from ..progress import Progress
from ..votes.endpoint_check import Asked, EndpointCheck, ask_each
from ..votes.prompts.questions import ModelConfig, canonical
from ..votes.prompts.versions import PROMPTS, VOTE_PROMPT
from ..votes.voters import IMPORTED, Picker, Voter, asked_by
from .origin import Origin
from .pair_votes import providers_of

if TYPE_CHECKING:
    from ..endpoints.endpoint import Endpoint

Path = str | os.PathLike[str]


def check_endpoints(
    features: Path | None = None,
    *,
    model: Path | None = None,
    endpoints: Path | None = None,
    only: Sequence[str] = (),
    models: Sequence[str] = (),
    progress: Progress = lambda done, total: None,
    **origin: Unpack[Origin],
) -> list[EndpointCheck]:
    """Asks one question of each language model, and one vector of each served encoder; says what to mend where none comes.

    The question is always the same ("heart attack", "myocardial infarction"), and holds none of your data. Nothing is kept.

    Parameters
    ----------
    features : the feature set that names them: a TOML file, or a built-in set by name.
    model : a trained model, whose features are taken instead.
    endpoints : a TOML file whose `[endpoint.NAME]` tables go before the set's own.
    only : of the set, these columns or encoders alone.
    models : "ENDPOINT:MODEL" of `endpoints`, or of the set, asked for a vote; without a set or model, these alone.
    progress : called with the models asked and all of them.
    origin : as in `load`, with `model`.

    Returns
    -------
    list of EndpointCheck
        One a model and what it is asked for: `.usable`, `.problem` with what to mend, `.answer`, `.seconds`.

    Raises
    ------
    InputError
        There is no model to ask, an unknown endpoint, a file that cannot be right. MissingExtra: the extra `llm`.
    """
    served: dict[str, Endpoint] = {}
    asked: list[Asked] = []
    if features is not None or model is not None:
        chosen, _ = providers_of(features or "offline", model=model, endpoints=endpoints, **origin)
        served = dict(chosen.endpoints)
        if not models or only:
            asked = _of_set(chosen, only)
    elif endpoints is not None:
        served = read_services(endpoints)[0]
    asked += [_of_name(name, served) for name in models]
    if not asked:
        whose = os.fspath(model or features or endpoints or "nothing")
        raise InputError(
            f"{whose}: no language model to ask",
            allowed="a feature set with votes, picks or served encoders, or a file of endpoints and ENDPOINT:MODEL",
        )
    return ask_each(asked, progress)


def _of_set(features: FeatureSet, only: Sequence[str]) -> list[Asked]:
    """Each model configuration once, with all columns that rest on it; then the served encoders."""
    groups: dict[Any, Asked] = {}
    for feature in features.asked:
        if feature.options["prompt"] == IMPORTED:
            continue
        who = asked_by(feature.kind, feature.options)
        endpoint = features.endpoints[features.endpoint_of(who.config.model, who.endpoint)]
        known = groups.get((who.config, endpoint))
        columns = (*(known.columns if known else ()), feature.name)
        calls = 2.0 if isinstance(who, Picker) else who.repeats * (2.0 if who.both_orders else 1.0)
        soft = isinstance(who, Voter) and who.soft
        groups[who.config, endpoint] = Asked(
            columns, who.config.model, endpoint, who.config, who.prompt,
            soft=soft or bool(known and known.soft), calls_per_pair=max(calls, known.calls_per_pair if known else 0.0),
        )  # fmt: skip
    for name, spec in features.declared_encoders.items():
        if spec.endpoint is not None:
            columns = tuple(f.name for f in features.features if f.options.get("encoder") == name) or (name,)
            groups[name, "encoder"] = Asked(
                columns, spec.model, features.endpoints[spec.endpoint], dimensions=spec.dimensions, before=spec.prompt or ""
            )  # fmt: skip
    known_columns = [column for one in groups.values() for column in one.columns]
    for name in only:
        if name not in known_columns:
            allowed = ", ".join(known_columns) or "none: the set asks no model"
            raise InputError(
                f"no such vote, pick or served cosine{hint(name, known_columns)}",
                source=features.name, allowed=allowed, got=name,
            )  # fmt: skip
    return [one for one in groups.values() if not only or set(only) & set(one.columns)]


def _of_name(name: str, served: dict[str, Endpoint]) -> Asked:
    """ENDPOINT:MODEL, asked for a vote; a model's name may hold colons."""
    endpoint, _, model = name.partition(":")
    if endpoint not in served or not model.strip():
        known = f"the endpoints: {', '.join(served)}" if served else "with a file of endpoints"
        raise OptionError("models", f"ENDPOINT:MODEL, such as lab:llama3.1:8b ({known}{hint(endpoint, served)})", name)
    prompt = PROMPTS[VOTE_PROMPT]
    config = ModelConfig(
        model, prompt.version, canonical({"max_tokens": prompt.max_answer_tokens, "temperature": 0})
    )  # fmt: skip
    return Asked((), model, served[endpoint], config, prompt)
