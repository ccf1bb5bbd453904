"""What is computed once per unique name, when a feature first asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import DxmatchError, OptionError
from ..terms.icd.search import CANDIDATES, Candidates
from ..terms.icd.similarity import CategoryDistribution
from .alignment import Words
from .contrast import Attributes, has_contrasts
from .disease import Links
from .exclusion import Claims
from .interning import numbered
from .providers import Providers
from .tokens import TokenizedNames, TokenSets

if TYPE_CHECKING:
    from ..terms.icd.index import IcdIndex
    from ..terms.text.assertion import Assertion
    from ..votes.lookup import PairVotes
    from ..votes.picks import Choices
    from ..votes.voters import Picker, Voter

_SEARCH_BATCH = 4096
"""Names of the ICD-10 search between two reports of progress."""

_INTERMEDIATE = ("assertions", "cores", "_tokenized", "_icd_found", "_choices")
"""What other representations are made from, and no feature reads."""

Progress = Callable[[int, int], None]
"""Called with what is done and what there is to do in all."""

T = TypeVar("T")


def _once(make: Callable[..., T]) -> Callable[..., T]:
    """Has a method of `Representations` compute a thing once, whoever asks, for each of its arguments."""

    @wraps(make)
    def kept(self: Representations, *arguments: Any) -> T:
        key = (make.__name__, *arguments)
        if key not in self._made:
            with self._lock:
                if key not in self._made:
                    self._made[key] = make(self, *arguments)
        return self._made[key]

    return kept


class Representations:
    """u unique normalised names: tokenised, embedded, placed in ICD-10 on demand. Safe to share between threads.

    What was made can be pickled (`pickle.dumps(texts, protocol=5)`; arrays travel out of band with a `buffer_callback`):
    what comes back serves the features that were prepared, without encoders, ICD-10 or stores, and makes nothing more.

    Attributes
    ----------
    names : the u names.
    progress : called with the names done and the names in all while the ICD-10 search, by far the slowest part, goes on.
    """

    def __init__(self, names: Sequence[str], providers: Providers) -> None:
        self.names = names
        self.progress: Progress | None = None
        self._opened: Providers | None = providers
        self._made: dict[tuple[Any, ...], Any] = {}
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        made = {key: value for key, value in self._made.items() if key[0] not in _INTERMEDIATE}
        return {"names": self.names, "made": made}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.names, self._made = state["names"], state["made"]
        self.progress = self._opened = None
        self._lock = threading.RLock()

    @property
    def _providers(self) -> Providers:
        if self._opened is None:
            allowed = "representations that were prepared for these features before they were pickled"
            raise OptionError("texts", allowed, "")
        return self._opened

    @property
    def _language(self) -> str:
        return self._providers.normalizer.language

    @property
    @_once
    def assertions(self) -> list[Assertion]:
        """What each name says, and of which diagnosis."""
        return [self._providers.normalizer.assertion(name) for name in self.names]

    @property
    @_once
    def cores(self) -> list[str]:
        """The diagnosis of each name, without what is said of it."""
        return [assertion.core for assertion in self.assertions]

    @property
    @_once
    def claims(self) -> Claims:
        """To find what excludes."""
        return Claims(numbered([assertion.claim for assertion in self.assertions])[1], self.attributes)

    @property
    @_once
    def name_array(self) -> NDArray[np.object_]:
        """object[u]: the cores, to be taken by many indices at once."""
        return np.array(self.cores, object)

    @property
    @_once
    def _tokenized(self) -> TokenizedNames:
        return TokenizedNames.of(self.cores)

    @_once
    def token_sets(self, view: str) -> TokenSets:
        return TokenSets.of(self._tokenized, view, self._language)

    @_once
    def vectors(self, encoder: str) -> NDArray[np.float32]:
        """float32[u, d], unit rows."""
        by = self._providers.encoder(encoder)
        vectors = by.encode(self.cores)
        if len(vectors) != len(self.names) or not np.isfinite(vectors).all():
            raise DxmatchError(f"The encoder {by.identity} gave vectors of shape {vectors.shape}, or not finite ones.")
        return vectors

    @property
    @_once
    def attributes(self) -> Attributes | None:
        """To find conflicts between names; None in a language without a table of them."""
        return Attributes.of(self.cores, self._language) if has_contrasts(self._language) else None

    @_once
    def words(self, encoder: str) -> Words:
        return Words.of(self._tokenized, self._language, self._providers.encoder(encoder).encode)

    @_once
    def votes(self, voter: Voter) -> PairVotes:
        from ..votes.lookup import PairVotes

        return PairVotes.read(self._providers.vote_store(), voter, self.names)

    @_once
    def picked_categories(self, picker: Picker) -> NDArray[np.int32]:
        """int32[u]: the category of the direct match or of the language model's pick, -1 where there is neither."""
        index = self._picked_index(picker.source, picker.encoder, picker.distance, picker.entries)
        return index.category_of(self.icd_choices(picker).nodes(picker, self._providers.vote_store()))

    def icd_choices(self, picker: Picker) -> Choices:
        """The candidates of each name, which pickers of one ICD-10, encoder, way and k share."""
        return self._choices(picker.k, picker.source, picker.encoder, picker.distance, picker.entries)

    @_once
    def _choices(self, k: int, *where: str) -> Choices:
        from ..votes.picks import Choices

        return Choices.of(self.names, self._picked_index(*where), k)

    def _picked_index(self, source: str, encoder: str, distance: str, entries: str) -> IcdIndex:
        return self._providers.icd_index(source, encoder, distance=distance, entries=entries)

    @_once
    def diseases(self, encoder: str) -> Links:
        """The diseases that each name is nearest to."""
        index = self._providers.disease_index(encoder)
        return Links.of(index.find(self.cores, self.vectors(encoder)), index.graph)

    @_once
    def icd_categories(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u]: the three-character category of the nearest entry, as a number; -1 for none."""
        return self._providers.icd_index(source, encoder).category_of(self._icd_nodes(source, encoder))

    @_once
    def icd_paths(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u, levels]: the code of the nearest entry, and all above it from the chapter down."""
        return self._providers.icd_index(source, encoder).tree.paths(self._icd_nodes(source, encoder))

    @_once
    def icd_distribution(self, source: str, encoder: str) -> CategoryDistribution:
        """How each name is distributed over the categories of its nearest codes; a direct match lies in one."""
        index, found = self._providers.icd_index(source, encoder), self._icd_found(source, encoder)
        return CategoryDistribution.of(found, index.category_of(found.nodes))

    def _icd_nodes(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u]: the code of the direct match or of the nearest entry, -1 where there is neither."""
        return np.ascontiguousarray(self._icd_found(source, encoder).nodes[:, 0])

    @_once
    def _icd_found(self, source: str, encoder: str) -> Candidates:
        """One search serves every feature that rests on the nearest codes."""
        index, total = self._providers.icd_index(source, encoder), len(self.names)
        found, vectors = Candidates.none(total, CANDIDATES), self.vectors(encoder)
        for start in range(0, total, _SEARCH_BATCH):
            some = slice(start, start + _SEARCH_BATCH)
            found.nodes[some], found.scores[some] = index.find(self.cores[some], CANDIDATES, vectors[some])
            if self.progress is not None:
                self.progress(min(start + _SEARCH_BATCH, total), total)
        return found
