"""What a user says of a model folder that it cannot say of itself, and what is opened of the folder and beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from ..errors import ModelError, OptionError
from ..features.feature_set import FeatureSet
from ..features.providers import SHIPPED, Providers
from ..models.folder import ModelFolder
from ..options import File, Options
from ..terms.diseases.graph import DiseaseGraph, vocabulary_of
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer
from ..votes.store.store import VoteStore

_IDENTITY = re.compile(r".+@[0-9a-f]{12}|(?:.+@)?[0-9a-f]{64}", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Loading(Options):
    """Where a match function is taken from, what it must be, and what it may open beside its folder.

    Parameters
    ----------
    revision : str, optional
        Of a model of the Hugging Face hub: a commit of 40 digits, which stays what it is; a tag or a branch, with a warning that says the
        commit.
    identity : str, optional
        What the model must be: "name@" and 12 digits as in reports, or the 64 of the whole folder (`identities`). The 64 cannot be imitated,
        the 12 can with some days of computing.
    encoders : mapping, optional
        Where the model's sentence-transformers encoders lie on this machine, {"name": folder}. A model folder names no path that is opened.
    allow_download : bool
        The hub may be asked for the model, and for an encoder that the model has by its name there. Without it no request is made, and only
        what the hub's cache on this machine holds is taken.
    store : path, optional
        The vote store, for a model whose features are votes or picks. It is read; nothing is asked.
    endpoints : path, optional
        A TOML file that says where the model's encoders are served, if they are. A model folder never does.

    Raises
    ------
    OptionError
        For what is not allowed.
    """

    revision: str | None = None
    identity: str | None = None
    encoders: Mapping[str, File] | None = None
    allow_download: bool = False
    store: File | None = None
    endpoints: File | None = None


OF_MODELS = ("revision", "identity", "encoders", "allow_download")
"""The fields that say which model; the others come with how language models are asked."""


def check_identity(name: str, known: Sequence[str], identity: str) -> None:
    """Holds a model's name, and all that it may be called by (`MatchFunction.identities`), against the identity that was expected.

    Raises
    ------
    OptionError
        For what is no identity.
    ModelError
        For another model, with both.
    """
    if not isinstance(identity, str) or not _IDENTITY.fullmatch(identity):
        allowed = "NAME@HASH, of 12 digits as in reports, or 64 as 'dxmatch model show' gives, or these 64 alone"
        raise OptionError("identity", allowed, identity)
    if not {identity, f"{name}@{identity}"} & set(known):
        here = known[-1] if len(identity.rpartition("@")[2]) == 64 else known[0]
        raise ModelError(f"The model is {here}, not {identity}.")


def open_parts(
    parts: ModelFolder, encoders: Mapping[str, str | os.PathLike[str]] | None = None, **others: Any
) -> tuple[FeatureSet, Providers]:
    """The feature set of a model folder, and what stands behind it; encoders and indexes are opened when they are first asked for.

    encoders : where those of the model lie. others : as in `Providers`.

    Raises
    ------
    ModelError
        Where the columns of the trees are not those of the feature set, with the difference.
    OptionError
        For an encoder that the model has not.
    """
    manifest, encoders = parts.manifest, encoders or {}
    features = FeatureSet.from_dict(manifest.feature_set, f"model {manifest.name}")
    if features.names != manifest.feature_names:
        raise ModelError(
            f"Model {manifest.name}: the columns of the trees (-) and its feature set (+) differ in a name or the order:\n"
            + "\n".join(unified_diff(manifest.feature_names, features.names, lineterm="", n=0))
        )
    mine = {*features.encoders, *features.declared_encoders}
    if foreign := sorted({*encoders} - mine):
        allowed = ", ".join(sorted(mine - {SHIPPED})) or "none, for all that it needs is in its folder"
        raise OptionError("encoders", f"by the names of the model's encoders ({allowed})", foreign[0])
    diseases, encoder = parts.diseases, parts.encoder
    graph = None if diseases is None else DiseaseGraph.from_arrays(diseases, f"{manifest.name}: diseases")
    return features, features.open(
        Normalizer.from_spec(manifest.normalizer),
        None if encoder is None else StaticEncoder.from_arrays(encoder, f"{manifest.name}: encoder"),
        folders=encoders,
        graph=graph,
        vocabulary=None if graph is None else vocabulary_of(graph, features.language),
        identities=manifest.encoders,
        **others,
    )


def open_store(path: str | os.PathLike[str] | None) -> VoteStore | None:
    """The vote store at `path`, which must be there; None for none."""
    return None if path is None else VoteStore(path, must_exist=True)
