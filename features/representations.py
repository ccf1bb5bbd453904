"""What is computed once per unique string, and only when a feature asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .alignment import Words
from .contrast import Claims, has_contrasts
from .encoders import Encoder
from .errors import ModelError, OptionError
from .levenshtein import Spelling
from .linguistic import TokenSets
from .naming import Naming
from .text import Normalizer

if TYPE_CHECKING:
    from .encoders.declared import EncoderSpec
    from .endpoints import Endpoint
    from .feature_set import FeatureSet
    from .icd.index import Found
    from .icd.likeness import Shares
    from .votes.lookup import PairVotes
    from .votes.picks import Choices
    from .votes.store import VoteStore
    from .votes.voters import Picker, Voter

SHIPPED = "shipped"
"""The name, in a feature set, of the static encoder that travels in the model folder."""

SENTENCE_TRANSFORMERS = "sentence-transformers:"
"""What precedes a hub name or a folder, in a feature set, to ask for a sentence-transformers model."""

ICD_CANDIDATES = 15
"""The nearest ICD-10 codes that are looked at, as many as in "How to Evaluate Medical AI"."""


@dataclass
class Providers:
    """What stands behind a feature set: the naming of raw texts, encoders by the names that the TOML uses, votes, ICD indexes.

    An encoder or an ICD index is opened when the first feature asks for it and kept for all later jobs.

    encoders : those that are open. declared : those of the feature set, by name.
    endpoints : by name; where a declared encoder may be served. They come from the user's own file, never from a model.
    store : the votes and picks; None where no feature needs them.
    identities : what each encoder was when a model was trained; another one under the same name is refused. The device is
        no part of it.
    """

    naming: Naming
    encoders: dict[str, Encoder] = field(default_factory=dict)
    identities: Mapping[str, str] = field(default_factory=dict)
    declared: Mapping[str, EncoderSpec] = field(default_factory=dict)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    store: VoteStore | None = None
    _indexes: dict[tuple[str, str], Any] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    @classmethod
    def of(
        cls,
        features: FeatureSet,
        normalizer: Normalizer,
        shipped: Encoder | None = None,
        *,
        endpoints: Mapping[str, Endpoint] | None = None,
        store: VoteStore | None = None,
        identities: Mapping[str, str] | None = None,
    ) -> Providers:
        """What stands behind `features`; `shipped` is the static encoder, where one of them names it."""
        return cls(
            Naming(normalizer, features.icd_source),
            {} if shipped is None else {SHIPPED: shipped},
            identities or {},
            features.declared_encoders,
            endpoints or {},
            store,
        )

    @property
    def normalizer(self) -> Normalizer:
        return self.naming.normalizer

    def encoder(self, name: str) -> Encoder:
        """The encoder of that name; a declared one, or a sentence-transformers model, is opened at its first use.

        Errors: `OptionError` for a name that is neither at hand nor such a model; `ModelError` where the model is not the
        one of `identities`.
        """
        with self._lock:
            if name not in self.encoders:
                opened = self._opened(name)
                self._check_identity(name, opened)
                self.encoders[name] = opened
            return self.encoders[name]

    def _opened(self, name: str) -> Encoder:
        from .encoders.declared import EncoderSpec

        if name in self.declared:
            return self.declared[name].open(self.endpoints)
        if name.startswith(SENTENCE_TRANSFORMERS):
            return EncoderSpec(name, name.removeprefix(SENTENCE_TRANSFORMERS)).open({})
        at_hand = ", ".join(sorted({*self.encoders, *self.declared})) or "none"
        raise OptionError("encoder", f"{SENTENCE_TRANSFORMERS}NAME or one at hand ({at_hand})", name)

    def vote_store(self) -> VoteStore:
        """Errors: `OptionError` where a feature reads votes and no store was given."""
        if self.store is None:
            raise OptionError("store", "the file of votes that 'dxmatch votes ask' or 'import' made", None)
        return self.store

    def _check_identity(self, name: str, opened: Encoder) -> None:
        trained, here = self.identities.get(name), opened.identity
        if trained is not None and trained.partition("+")[0] != here.partition("+")[0]:
            raise ModelError(
                f"The encoder {name!r} is not the one that the model was trained with: {here}, not {trained}."
            )

    def icd_index(self, source: str, encoder: str) -> Any:
        from .icd import IcdIndex

        with self._lock:
            if (source, encoder) not in self._indexes:
                self._indexes[source, encoder] = IcdIndex.open(source, self.encoder(encoder), self.normalizer)
            return self._indexes[source, encoder]


class Representations:
    """u unique normalised strings, cut, spelt and embedded on demand. Safe to share between threads."""

    def __init__(self, names: Sequence[str], providers: Providers) -> None:
        self.names = names
        self._providers = providers
        self._made: dict[tuple[Any, ...], Any] = {}
        self._lock = threading.RLock()

    def _once(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    @property
    def spelling(self) -> Spelling:
        return self._once(("spelling",), lambda: Spelling.of(self.names))

    def token_sets(self, view: str) -> TokenSets:
        language = self._providers.normalizer.language
        return self._once(("tokens", view), lambda: TokenSets.of(self.names, view, language))

    def vectors(self, encoder: str) -> NDArray[np.float32]:
        """float32[u, d], unit rows."""
        return self._once(("vectors", encoder), lambda: self._providers.encoder(encoder).encode(self.names))

    @property
    def claims(self) -> Claims | None:
        """What the names claim, to find contrasts; None in a language without a table of them."""
        language = self._providers.normalizer.language
        return self._once(("claims",), lambda: Claims.of(self.names, language) if has_contrasts(language) else None)

    def words(self, encoder: str) -> Words:
        language = self._providers.normalizer.language
        encode = self._providers.encoder(encoder).encode
        return self._once(("words", encoder), lambda: Words.of(self.names, language, encode))

    def votes(self, voter: Voter) -> PairVotes:
        from .votes.lookup import PairVotes

        key = ("votes", voter)
        return self._once(key, lambda: PairVotes.read(self._providers.vote_store(), voter, self.names))

    def picked_categories(self, picker: Picker) -> NDArray[np.int32]:
        """int32[u]: the category of the direct match or of the language model's pick, -1 where there is neither."""

        def read() -> NDArray[np.int32]:
            index = self._providers.icd_index(picker.source, picker.encoder)
            nodes = self.icd_choices(picker).nodes(picker.respondent, self._providers.vote_store())
            return index.category_of(nodes)

        return self._once(("picked", picker), read)

    def icd_choices(self, picker: Picker) -> Choices:
        """The candidates of each name, which pickers of one ICD-10, encoder and k share."""
        from .votes.picks import Choices

        def find() -> Choices:
            return Choices.of(self.names, self._providers.icd_index(picker.source, picker.encoder), picker.k)

        return self._once(("choices", picker.source, picker.encoder, picker.k), find)

    def icd_categories(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u]: the three-character category of the nearest entry, as a number."""
        index = self._providers.icd_index(source, encoder)
        return self._once(("icd", source, encoder), lambda: index.category_of(self._icd_nodes(source, encoder)))

    def icd_paths(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u, levels]: the code of the nearest entry, and all above it from the chapter down."""
        from .icd.likeness import paths

        tree = self._providers.icd_index(source, encoder).tree
        return self._once(("icd paths", source, encoder), lambda: paths(tree, self._icd_nodes(source, encoder)))

    def icd_shares(self, source: str, encoder: str) -> Shares:
        """How each name is shared out among the categories of its nearest codes; a direct match lies in one."""
        from .icd.likeness import Shares

        def find() -> Shares:
            index, found = self._providers.icd_index(source, encoder), self._icd_found(source, encoder)
            return Shares.of(index.category_of(found.direct), found.nearest, index.category_of(index.nodes))

        return self._once(("icd shares", source, encoder), find)

    def _icd_nodes(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u]: the code of the direct match or of the nearest entry, -1 where there is neither."""
        nodes_of_entries = self._providers.icd_index(source, encoder).nodes
        found = self._icd_found(source, encoder)
        nodes = found.direct.copy()
        for row, nearest in found.nearest.items():
            if len(nearest.entries):
                nodes[row] = nodes_of_entries[nearest.entries[0]]
        return nodes

    def _icd_found(self, source: str, encoder: str) -> Found:
        """One search serves every feature that rests on the nearest codes."""
        index = self._providers.icd_index(source, encoder)
        return self._once(("icd found", source, encoder), lambda: index.find(self.names, ICD_CANDIDATES))
