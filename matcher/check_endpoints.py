"""Whether the models that a feature set asks can be asked: one question to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import progress
from ..errors import InputError
from ..features.feature_set import FeatureSet
from ..features.vote_plan import groups_of
from ..files.wording import hint
from ..options import File, checked
from ..votes.asking import LanguageModel, named_model, services_of
from ..votes.endpoint_check import Asked, EndpointCheck, ask_each
from ..votes.prompts.files import prompt_of
from ..votes.voters import Voter
from .loading import Loading
from .pair_votes import providers_of

if TYPE_CHECKING:
    from ..endpoints.endpoint import Endpoint


@checked
def check_endpoints(
    features: File | None = None,
    *,
    matcher: Any = None,
    endpoints: File | None = None,
    only: Sequence[str] = (),
    models: Sequence[str] = (),
) -> list[EndpointCheck]:
    """Asks one question of each language model, and one vector of each served encoder; says what to mend where none comes.

    The question is always the same ("heart attack", "myocardial infarction"), and holds none of your data. Nothing is kept.

    Parameters
    ----------
    features
        The feature set that names them: a TOML file, or a built-in set by name.
    matcher
        A trained match function, or its folder, whose features are taken instead.
    endpoints
        A TOML file whose `[endpoint.NAME]` tables go before the set's own.
    only
        Of the set, these columns or encoders alone.
    models
        "ENDPOINT:MODEL" of `endpoints`, or of the set, asked for a vote; without a set or match function, these alone.

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
    if features is not None or matcher is not None:
        chosen, _ = providers_of(features or "offline", matcher=matcher, loading=Loading(endpoints=endpoints))
        served = dict(chosen.endpoints)
        if not models or only:
            asked = _of_set(chosen, only)
    elif endpoints is not None:
        served = services_of(endpoints)[0]
    asked += [_of_name(name, served) for name in models]
    if not asked:
        raise InputError(
            f"{matcher or features or endpoints or 'nothing'}: no language model to ask",
            allowed="a feature set with votes, picks or served encoders, or a file of endpoints and ENDPOINT:MODEL",
        )
    with progress.shown("Asking") as report:
        return ask_each(asked, report)


def _of_set(features: FeatureSet, only: Sequence[str]) -> list[Asked]:
    """Each model configuration once, with all columns that rest on it; then the served encoders."""
    asked = []
    for group in groups_of(features):
        specs, who = zip(*group, strict=True)
        voters = [one for one in who if isinstance(one, Voter)]
        columns, model = tuple(feature.name for feature in specs), features.language_model(who[0])
        asked.append(Asked(columns, model, who[0].prompt, soft=any(one.soft for one in voters)))
    for name, spec in features.declared_encoders.items():
        if spec.endpoint is not None:
            columns = tuple(f.name for f in features.features if f.options.get("encoder") == name) or (name,)
            model = LanguageModel(features.endpoints[spec.endpoint], spec.model)
            asked.append(Asked(columns, model, dimensions=spec.dimensions, before=spec.prompt or ""))
    known_columns = [column for one in asked for column in one.columns]
    for name in only:
        if name not in known_columns:
            allowed = ", ".join(known_columns) or "none: the set asks no model"
            raise InputError(
                f"no such vote, pick or served cosine{hint(name, known_columns)}",
                source=features.name, allowed=allowed, got=name,
            )  # fmt: skip
    return [one for one in asked if not only or set(only) & set(one.columns)]


def _of_name(name: str, served: Mapping[str, Endpoint]) -> Asked:
    """ENDPOINT:MODEL, asked for a vote."""
    return Asked((), named_model("models", name, served), prompt_of("vote"))
