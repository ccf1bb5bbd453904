"""What is computed once per unique name, when a feature first asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DxmatchError, OptionError
from .alignment import Words
from .contrast import Attributes, has_contrasts
from .providers import Providers
from .tokens import TokenizedNames, TokenSets

if TYPE_CHECKING:
    from ..terms.icd.index import Found
    from ..terms.icd.likeness import Shares
    from ..votes.lookup import PairVotes
    from ..votes.picks import Choices
    from ..votes.voters import Picker, Voter

_SEARCH_BATCH = 4096
"""Names of the ICD-10 search between two reports of progress."""

_INTERMEDIATE = ("tokenized", "icd found", "choices")
"""What other representations are made from, and no feature reads."""

Progress = Callable[[int, int], None]
"""Called with what is done and what there is to do in all."""


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

    def _once(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        if key not in self._made:
            with self._lock:
                if key not in self._made:
                    self._made[key] = make()
        return self._made[key]

    @property
    def _providers(self) -> Providers:
        if self._opened is None:
            raise OptionError(
                "texts", "representations that were prepared for these features before they were pickled", ""
            )
        return self._opened

    @property
    def _language(self) -> str:
        return self._providers.normalizer.language

    @property
    def _tokenized(self) -> TokenizedNames:
        return self._once(("tokenized",), lambda: TokenizedNames.of(self.names))

    def token_sets(self, view: str) -> TokenSets:
        return self._once(("tokens", view), lambda: TokenSets.of(self._tokenized, view, self._language))

    def vectors(self, encoder: str) -> NDArray[np.float32]:
        """float32[u, d], unit rows."""

        def encode() -> NDArray[np.float32]:
            by = self._providers.encoder(encoder)
            vectors = by.encode(self.names)
            if len(vectors) != len(self.names) or not np.isfinite(vectors).all():
                raise DxmatchError(
                    f"The encoder {by.identity} gave vectors of shape {vectors.shape}, or not finite ones."
                )
            return vectors

        return self._once(("vectors", encoder), encode)

    @property
    def attributes(self) -> Attributes | None:
        """To find conflicts between names; None in a language without a table of them."""

        def make() -> Attributes | None:
            return Attributes.of(self.names, self._language) if has_contrasts(self._language) else None

        return self._once(("attributes",), make)

    def words(self, encoder: str) -> Words:
        def make() -> Words:
            return Words.of(self._tokenized, self._language, self._providers.encoder(encoder).encode)

        return self._once(("words", encoder), make)

    def votes(self, voter: Voter) -> PairVotes:
        from ..votes.lookup import PairVotes

        key = ("votes", voter)
        return self._once(key, lambda: PairVotes.read(self._providers.vote_store(), voter, self.names))

    def picked_categories(self, picker: Picker) -> NDArray[np.int32]:
        """int32[u]: the category of the direct match or of the language model's pick, -1 where there is neither."""

        def read() -> NDArray[np.int32]:
            index = self._providers.icd_index(picker.source, picker.encoder)
            nodes = self.icd_choices(picker).nodes(picker.config, self._providers.vote_store())
            return index.category_of(nodes)

        return self._once(("picked", picker), read)

    def icd_choices(self, picker: Picker) -> Choices:
        """The candidates of each name, which pickers of one ICD-10, encoder and k share."""
        from ..votes.picks import Choices

        def find() -> Choices:
            return Choices.of(self.names, self._providers.icd_index(picker.source, picker.encoder), picker.k)

        return self._once(("choices", picker.source, picker.encoder, picker.k), find)

    def icd_categories(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u]: the three-character category of the nearest entry, as a number; -1 for none."""

        def find() -> NDArray[np.int32]:
            return self._providers.icd_index(source, encoder).category_of(self._icd_nodes(source, encoder))

        return self._once(("icd", source, encoder), find)

    def icd_paths(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u, levels]: the code of the nearest entry, and all above it from the chapter down."""
        from ..terms.icd.likeness import paths

        def find() -> NDArray[np.int32]:
            return paths(self._providers.icd_index(source, encoder).tree, self._icd_nodes(source, encoder))

        return self._once(("icd paths", source, encoder), find)

    def icd_shares(self, source: str, encoder: str) -> Shares:
        """The distribution of each name over the categories of its nearest codes; a direct match lies in one."""
        from ..terms.icd.likeness import Shares

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
        from ..terms.icd.index import Found
        from ..terms.icd.likeness import CANDIDATES

        def find() -> Found:
            index, total = self._providers.icd_index(source, encoder), len(self.names)
            direct, nearest = np.empty(total, np.int32), {}
            vectors = self.vectors(encoder)
            for start in range(0, total, _SEARCH_BATCH):
                some = slice(start, start + _SEARCH_BATCH)
                part = index.find(self.names[some], CANDIDATES, vectors[some])
                direct[some] = part.direct
                nearest.update((start + row, found) for row, found in part.nearest.items())
                if self.progress is not None:
                    self.progress(min(start + _SEARCH_BATCH, total), total)
            return Found(direct, nearest)

        return self._once(("icd found", source, encoder), find)
