"""What stands behind a feature set: encoders, the vote store, ICD indexes, each opened when it is first asked for."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ..errors import ModelError, OptionError
from ..files.wording import hint
from ..terms.encoders import OWN_LENGTH, Encoder
from ..terms.icd.naming import Naming
from ..terms.text.normalizer import Normalizer

if TYPE_CHECKING:
    from ..endpoints.endpoint import Endpoint
    from ..terms.diseases.graph import DiseaseGraph, DiseaseIndex
    from ..terms.encoders.declared import EncoderSpec
    from ..terms.icd.index import IcdIndex
    from ..votes.store.store import VoteStore

SHIPPED = "shipped"
"""The name, in a feature set, of the static encoder that travels in the model folder."""

SENTENCE_TRANSFORMERS = "sentence-transformers:"
"""What precedes a hub name or a folder, in a feature set, to ask for a sentence-transformers model."""

ENDPOINT = "endpoint:"
"""What precedes NAME:MODEL to ask for an embedding model of an endpoint."""

T = TypeVar("T")


class Lazy:
    """An object whose methods `once` make what is asked for. (Until Python 3.12 `functools.cached_property` has one lock for all objects.)"""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        made = super().__new__(cls)
        vars(made).update(_made={}, _lock=threading.RLock())
        return made


def once(make: Callable[..., T]) -> Callable[..., T]:
    """Has a method of a `Lazy` object compute a thing once, whoever asks, for each of its arguments."""

    @wraps(make)
    def kept(self: Any, *arguments: Any) -> T:
        key = (make.__name__, *arguments)
        if key not in self._made:
            with self._lock:
                if key not in self._made:
                    self._made[key] = make(self, *arguments)
        return self._made[key]

    return kept


@dataclass
class Providers(Lazy):
    """What stands behind a feature set: the naming of raw texts, encoders by the names that the TOML uses, votes, ICD indexes.

    An encoder or an ICD index is opened when the first feature asks for it and kept for all later jobs.

    Attributes
    ----------
    encoders : those that are at hand, by name.
    declared : those of the feature set, by name.
    endpoints : by name; where a declared encoder may be served. They come from the user's own file, never from a model.
    folders : by the name of an encoder, the folder of its model; the user's own word as well. No other path is opened.
    allow_download : the hub may be asked for a model by its name; without it what its cache holds is taken, and no request made.
    store : the votes and picks; None where no feature needs them.
    graph : the graph of diseases that travels in the model folder; None where no feature needs it.
    identities : what each encoder was when a model was trained; another one under the same name is refused. The device is
        no part of it.
    """

    naming: Naming
    encoders: dict[str, Encoder] = field(default_factory=dict)
    identities: Mapping[str, str] = field(default_factory=dict)
    declared: Mapping[str, EncoderSpec] = field(default_factory=dict)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    folders: Mapping[str, str | os.PathLike[str]] = field(default_factory=dict)
    allow_download: bool = False
    store: VoteStore | None = None
    graph: DiseaseGraph | None = None

    @property
    def normalizer(self) -> Normalizer:
        return self.naming.normalizer

    def encoder(self, name: str, unit: bool = True) -> Encoder:
        """The encoder of that name; a declared one, or a sentence-transformers model, is opened at its first use.

        unit : its vectors are brought to unit length; else they keep their own, for Euclidean distances, but for the shipped
            one, which has no other.

        Raises
        ------
        OptionError
            For a name that is neither at hand nor such a model.
        ModelError
            Where the model is not the one of `identities`.
        """
        return self.encoders[name] if name in self.encoders else self._opened(name, unit)

    @once
    def _opened(self, name: str, unit: bool) -> Encoder:
        spec, trained = self.declared.get(name) or undeclared(name), self.identities.get(name)
        if spec is None:
            known = sorted({*self.encoders, *self.declared})
            at_hand = f"one at hand ({', '.join(known) or 'none'}){hint(name, known)}"
            raise OptionError("encoder", f"{SENTENCE_TRANSFORMERS}NAME, {ENDPOINT}NAME:MODEL or {at_hand}", name)
        spec = spec.pinned(trained)
        opened = spec.open(self.endpoints, unit, folders=self.folders, allow_download=self.allow_download)
        if trained is not None and _model_of(trained) != _model_of(opened.identity):
            raise ModelError(
                f"The encoder {name!r} is not the one that the model was trained with: {opened.identity}, not {trained}."
            )
        return opened

    def vote_store(self) -> VoteStore:
        """Raises `OptionError` where a feature reads votes and no store was given."""
        if self.store is None:
            allowed = "the file of votes that 'dxmatch votes ask' or 'import' made: votes and picks are read there, and no model is asked in passing"
            raise OptionError("store", allowed, None)
        return self.store

    @once
    def disease_index(self, encoder: str) -> DiseaseIndex:
        """The graph's names under an encoder. Raises `OptionError` where a feature needs a graph and there is none."""
        from ..terms.diseases.graph import DiseaseIndex

        if self.graph is None:
            raise OptionError(
                "graph", "the graph of diseases of a model folder, for a feature of the kind 'disease'", None
            )
        return DiseaseIndex(self.graph, self.encoder(encoder))

    @once
    def icd_index(self, source: str, encoder: str, distance: str, entries: str, sections: bool) -> IcdIndex:
        """The index of a source's names under an encoder.

        distance, entries : see `IcdIndex`. sections : also of the names of chapters and sections, for a mapping; M's features
            rest on codes alone.
        """
        from ..terms.icd import IcdIndex

        if sections:
            return self.icd_index(source, encoder, distance, entries, False).with_sections()
        return IcdIndex.open(
            source,
            self.encoder(encoder, unit=distance == "cosine"),
            self.normalizer,
            more_names=None if self.graph is None else self.graph.more_names,
            euclidean=distance == "euclidean",
            by_name=entries == "names",
        )


def undeclared(name: str) -> EncoderSpec | None:
    """The encoder that a name of the form "sentence-transformers:NAME" or "endpoint:NAME:MODEL" means by itself."""
    from ..terms.encoders.declared import EncoderSpec

    endpoint, _, model = name.removeprefix(ENDPOINT).partition(":")
    if name.startswith(ENDPOINT) and model.strip():
        return EncoderSpec(name, model, endpoint)
    loaded = name.startswith(SENTENCE_TRANSFORMERS)
    return EncoderSpec(name, name.removeprefix(SENTENCE_TRANSFORMERS)) if loaded else None


def _model_of(identity: str) -> str:
    """Without the device, and without whether its vectors keep their length."""
    return identity.partition("+")[0].removesuffix(OWN_LENGTH)
