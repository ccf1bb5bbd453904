"""What a feature set, or a match function's, asks of language models: the votes and picks of pairs, and whether the models can be asked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Annotated, Any

from .. import progress
from ..endpoints.endpoint import Endpoint, read_services
from ..errors import InputError, OptionError
from ..features.feature_set import FeatureSet, FeatureSpec
from ..features.names import Names
from ..features.providers import SHIPPED, Providers
from ..files.pairs import read_pairs
from ..files.reading import OF_TABLES, Reading
from ..files.wording import hint
from ..models.folder import shipped_parts
from ..options import File, Table, checked
from ..terms.diseases.graph import shipped_graph, vocabulary_of
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer
from ..votes.asking import Job, named_model
from ..votes.endpoint_check import Asked, EndpointCheck, ask_each
from ..votes.prompts.files import prompt_of
from ..votes.prompts.questions import ModelConfig
from ..votes.voters import Picker
from .batch import Batch, PairModel
from .loading import OF_MODELS, Loading
from .protocol import loaded


def pairs_to_ask(
    pairs: Table,
    features: str = "paper17",
    *,
    matcher: str | None = None,
    a: str = "a",
    b: str = "b",
    abbreviations: File | None = None,
    endpoints: File | None = None,
    reading: Annotated[Reading, *OF_TABLES] = Reading(),
    loading: Annotated[Loading, *OF_MODELS] = Loading(),
) -> Batch:
    """The pairs of a table as the feature set sees them whose votes and picks they need.

    Parameters
    ----------
    pairs : path or data frame
        Pairs: a .csv, .tsv, .jsonl or .parquet file.
    features : str
        A built-in feature set, or a TOML file.
    matcher : path, optional
        What this trained model needs, in place of `features`: its folder, or OWNER/NAME@COMMIT of the hub.
    a, b : str
        The columns of the two diagnoses.
    abbreviations : path, optional
        Your own abbreviations, as given to train: columns abbreviation, expansion.
    endpoints : path, optional
        A TOML file with `[endpoint.NAME]` tables, which go before the set's own.
    reading : Reading
        Its encoding, and a file for rejects.
    loading : Loading
        As in `providers_of`.
    """
    loading = replace(loading, endpoints=endpoints)
    seen = PairModel(*providers_of(features, matcher=matcher, abbreviations=abbreviations, loading=loading))
    read = read_pairs(pairs, a=a, b=b, rejects=reading.rejects, encoding=reading.encoding)
    return seen.batch(read.a, read.b)


def providers_of(
    features: File, *, matcher: Any = None, abbreviations: File | None = None, loading: Loading = Loading()
) -> tuple[FeatureSet, Providers]:
    """A feature set with its endpoints, and what stands behind it.

    Parameters
    ----------
    features : a built-in set by name, or a TOML file.
    matcher : a trained match function, or its folder, whose features are taken instead.
    abbreviations : the user's own, as given to `train`; a model keeps its own.
    loading : how that folder is loaded; without one, where the set's encoders are. The `[endpoint.NAME]` tables of its endpoints go before
        the set's own.

    Raises
    ------
    OptionError
        Abbreviations beside a match function, an identity without one.
    InputError
        Of `FeatureSet.read`.
    """
    if matcher is not None:
        if abbreviations is not None:
            raise OptionError("abbreviations", "left out with a model, which keeps its own", os.fspath(abbreviations))
        trained: Any = loaded(matcher, loading=loading)
        chosen = trained.features if loading.endpoints is None else trained.features.served_by(loading.endpoints)
        chosen.check_providers(trained.name)
        return chosen, trained.providers
    if loading.identity is not None:
        raise OptionError("identity", "left out without a model", loading.identity)
    chosen = FeatureSet.read(features, loading.endpoints)
    shipped = StaticEncoder.from_arrays(shipped_parts().encoder or {}) if SHIPPED in chosen.encoders else None
    # As `train` opens it: names are mended by the graph's words, and its names are candidates of a pick.
    graph = shipped_graph() if chosen.needs_graph else None
    return chosen, chosen.open(
        Normalizer(chosen.language, abbreviations), shipped, endpoints=chosen.endpoints, folders=loading.encoders,
        allow_download=loading.allow_download, graph=graph, vocabulary=None if graph is None else vocabulary_of(graph, chosen.language),
    )  # fmt: skip


def jobs_of(batch: Batch, only: Sequence[str] = ()) -> list[Job]:
    """One job for each model configuration that the votes and picks of the batch's set name, in the order of the columns.

    Equal names are not asked about: they match.
    only : these features alone.

    Raises
    ------
    InputError
        A feature of `only` that is not a vote or pick of the set.
    """
    features, names = batch.model.features, batch.names
    differ = zip(batch.first[~batch.equal].tolist(), batch.second[~batch.equal].tolist(), strict=True)
    pairs = [(names.names[i], names.names[j]) for i, j in differ]
    differing, jobs = Names(list(dict.fromkeys(chain.from_iterable(pairs))), names.providers), list[Job]()
    for group in _groups_of(features, only):
        specs, who = zip(*group, strict=True)
        first, prompt = who[0], who[0].prompt
        assert prompt is not None, "imported votes are not asked for"
        if isinstance(first, Picker):
            questions = partial(differing.icd_choices(first).questions, first)
        else:
            both, repeats = any(one.both_orders for one in who), max(one.repeats for one in who)
            questions = partial(replace(first, both_orders=both, repeats=repeats).questions, pairs)
        called = f"{', '.join(feature.name for feature in specs)}: {first.config.model}"
        jobs.append(Job(features.language_model(first), prompt, questions, called))
    return jobs


def _groups_of(features: FeatureSet, only: Sequence[str]) -> list[list[tuple[FeatureSpec, Any]]]:
    """The votes and picks of a set that are asked for, and who is asked, those of one model configuration at one endpoint together."""
    known = [feature.name for feature, _ in features.to_ask]
    for name in set(only).difference(known):
        allowed = ", ".join(known) or "none: the set asks no language model"
        raise InputError(f"no such vote or pick{hint(name, known)}", source=features.name, allowed=allowed, got=name)
    groups: dict[tuple[ModelConfig, str], list[tuple[FeatureSpec, Any]]] = {}
    for feature, who in features.to_ask:
        if not only or feature.name in only:
            served = features.endpoint_of(who.config.model, who.endpoint)
            groups.setdefault((who.config, served), []).append((feature, who))
    return list(groups.values())


@checked
def check_endpoints(
    features: File | None = None,
    *,
    matcher: Any = None,
    endpoints: File | None = None,
    only: Sequence[str] = (),
    models: Sequence[str] = (),
) -> list[EndpointCheck]:
    """Asks one question of each language model, and says what to mend where no answer comes that can be used.

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
        Of the set, these columns alone.
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
    served: Mapping[str, Endpoint] = read_services(endpoints)[0]
    asked: list[Asked] = []
    if features is not None or matcher is not None:
        chosen, _ = providers_of(features or "offline", matcher=matcher, loading=Loading(endpoints=endpoints))
        served = chosen.endpoints
        for specs, (who, *_) in (zip(*group, strict=True) for group in _groups_of(chosen, only) if not models or only):
            asked.append((tuple(feature.name for feature in specs), chosen.language_model(who), who.prompt))
    asked += [((), named_model("models", name, served), prompt_of("vote")) for name in models]
    if not asked:
        raise InputError(
            f"{matcher or features or endpoints or 'nothing'}: no language model to ask",
            allowed="a feature set with votes or picks, or a file of endpoints and ENDPOINT:MODEL",
        )
    with progress.shown("Asking") as report:
        return ask_each(asked, report)
