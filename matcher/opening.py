"""What stands behind a model folder: the columns that it decides by, the reader of texts, encoders, the graph of diseases, votes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import unified_diff
from typing import TYPE_CHECKING

from ..endpoints.endpoint import Endpoint
from ..errors import ModelError, OptionError
from ..features.feature_set import FeatureSet
from ..features.providers import SHIPPED, Providers
from ..models.folder import ModelFolder
from ..terms.diseases.graph import DiseaseGraph, vocabulary_of
from ..terms.encoders.kept import kept_encoders
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer
from ..terms.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from ..votes.store.store import VoteStore


def open_parts(
    parts: ModelFolder,
    *,
    store: VoteStore | None = None,
    endpoints: Mapping[str, Endpoint] | None = None,
    encoders: Mapping[str, str | os.PathLike[str]] | None = None,
    allow_download: bool = False,
    vocabulary: Vocabulary | None = None,
) -> tuple[FeatureSet, Providers]:
    """The feature set of a model folder, and what stands behind it; encoders and indexes are opened when they are first asked for.

    Raises
    ------
    ModelError
        Where the columns of the trees are not those of the feature set, with the difference.
    OptionError
        For an encoder that the model has not.
    """
    manifest = parts.manifest
    features = FeatureSet.from_dict(manifest.feature_set, f"model {manifest.name}")
    if features.names != manifest.feature_names:
        raise ModelError(
            f"Model {manifest.name}: the columns of the trees (-) and its feature set (+) differ in a name or the order:\n"
            + "\n".join(unified_diff(manifest.feature_names, features.names, lineterm="", n=0))
        )
    mine = {*features.encoders, *features.declared_encoders}
    if foreign := sorted({*(encoders or ())} - mine):
        allowed = ", ".join(sorted(mine - {SHIPPED})) or "none, for all that it needs is in its folder"
        raise OptionError("encoders", f"by the names of the model's encoders ({allowed})", foreign[0])
    graph = None
    if parts.diseases is not None:
        graph = DiseaseGraph.from_arrays(parts.diseases, f"{manifest.name}: diseases")
        vocabulary = vocabulary or vocabulary_of(graph, features.language)
    return features, features.open(
        Normalizer.from_spec(manifest.normalizer),
        StaticEncoder.from_arrays(parts.encoder, f"{manifest.name}: encoder") if parts.encoder else None,
        endpoints=endpoints or {},
        folders={**kept_encoders(parts.kept, features.encoders), **(encoders or {})},
        allow_download=allow_download,
        store=store,
        graph=graph,
        identities=manifest.encoders,
        vocabulary=vocabulary,
    )


def open_store(path: str | os.PathLike[str] | None) -> VoteStore | None:
    """The vote store at `path`, which must be there; None for none."""
    if path is None:
        return None
    from ..votes.store.store import VoteStore

    return VoteStore(path, must_exist=True)
