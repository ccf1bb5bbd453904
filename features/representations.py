"""What is computed once per unique string, and only when a feature asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .alignment import Words
from .contrast import Claims, has_contrasts
from .levenshtein import Spelling
from .providers import Providers
from .tokens import CutNames, TokenSets

if TYPE_CHECKING:
    from ..terms.icd.search import Candidates
    from ..terms.icd.similarity import CategoryDistribution
    from ..votes.lookup import PairVotes
    from ..votes.picks import Choices
    from ..votes.voters import Picker, Voter
    from .feature_set import FeatureSet
    from .passes import Pass


_NAMES_AT_ONCE = 4096
"""Of the ICD-10 search, between two reports of progress."""

_FEW = 64
"""So few names are prepared in one thread."""

_ON_THE_WAY = ("cut", "icd found", "choices")
"""What other representations are made from, and no feature reads."""

Progress = Callable[[int, int], None]
"""Called with what is done and what there is to do in all."""


class Representations:
    """u unique normalised strings, cut, spelt and embedded on demand. Safe to share between threads.

    What was made can be pickled (`pickle.dumps(texts, protocol=5)`; arrays travel out of band with a `buffer_callback`):
    what comes back serves the features that were prepared, without encoders, ICD-10 or stores, and makes nothing more.
    """

    def __init__(self, names: Sequence[str], providers: Providers) -> None:
        self.names = names
        self._opened: Providers | None = providers
        self._made: dict[tuple[Any, ...], Any] = {}
        self._begin()

    def _begin(self) -> None:
        self._prepared: set[str] = set()
        self._lock = threading.Lock()
        self._locks: dict[tuple[Any, ...], threading.RLock] = {}
        self._searched: Progress | None = None

    def __getstate__(self) -> dict[str, Any]:
        made = {key: value for key, value in self._made.items() if key[0] not in _ON_THE_WAY}
        return {"names": self.names, "made": made, "prepared": self._prepared}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.names, self._made, self._opened = state["names"], state["made"], None
        self._begin()
        self._prepared = set(state["prepared"])

    def prepare(self, features: FeatureSet, *, progress: Progress | None = None) -> None:
        """Makes all that the features need of the names, so that a table of pairs computes nothing but pairs.

        What rests on encoders and stores is made in this thread, in the order of the features; a second one meanwhile cuts
        and spells the names. What is there already is not made again.

        progress : called from this thread with the names done and the names in all, as the ICD-10 search, by far the
            slowest part, goes on; at the end for all names.
        """
        from .passes import passes

        todo = [one for one in passes(features) if one.key not in self._prepared]
        if not todo or not len(self.names):
            return
        one_name = np.zeros(1, np.int32)

        def make(one: Pass) -> None:
            # A pair of names, whichever, needs what all pairs need.
            one.fill(self, one_name, one_name, np.empty((1, len(features.features)), np.float32, order="F"))
            self._prepared.add(one.key)

        apart = [one for one in todo if one.kind.asked or "encoder" in one.options]
        of_the_text = [one for one in todo if one not in apart]
        if len(self.names) <= _FEW:
            for one in todo:
                make(one)
            return
        self._searched = progress
        try:
            with ThreadPoolExecutor(1) as pool:
                others = pool.submit(lambda: [make(one) for one in of_the_text])
                for one in apart:
                    make(one)
                others.result()
        finally:
            self._searched = None
        if progress is not None:
            progress(len(self.names), len(self.names))

    def _once(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        if key in self._made:
            return self._made[key]
        with self._lock:
            lock = self._locks.setdefault(key, threading.RLock())
        with lock:
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
    def spelling(self) -> Spelling:
        return self._once(("spelling",), lambda: Spelling.of(self.names))

    @property
    def _cut(self) -> CutNames:
        return self._once(("cut",), lambda: CutNames.of(self.names))

    def token_sets(self, view: str) -> TokenSets:
        return self._once(("tokens", view), lambda: TokenSets.of(self._cut, view, self._language))

    def vectors(self, encoder: str) -> NDArray[np.float32]:
        """float32[u, d], unit rows."""
        return self._once(("vectors", encoder), lambda: self._providers.encoder(encoder).encode(self.names))

    @property
    def claims(self) -> Claims | None:
        """What the names claim, to find contrasts; None in a language without a table of them."""

        def make() -> Claims | None:
            return Claims.of(self.names, self._language) if has_contrasts(self._language) else None

        return self._once(("claims",), make)

    def words(self, encoder: str) -> Words:
        def make() -> Words:
            return Words.of(self._cut, self._language, self._providers.encoder(encoder).encode)

        return self._once(("words", encoder), make)

    def votes(self, voter: Voter) -> PairVotes:
        from ..votes.lookup import PairVotes

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
        from ..votes.picks import Choices

        def find() -> Choices:
            return Choices.of(self.names, self._providers.icd_index(picker.source, picker.encoder), picker.k)

        return self._once(("choices", picker.source, picker.encoder, picker.k), find)

    def icd_categories(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u]: the three-character category of the nearest entry, as a number."""

        def find() -> NDArray[np.int32]:
            return self._providers.icd_index(source, encoder).category_of(self._icd_nodes(source, encoder))

        return self._once(("icd", source, encoder), find)

    def icd_paths(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u, levels]: the code of the nearest entry, and all above it from the chapter down."""

        def find() -> NDArray[np.int32]:
            return self._providers.icd_index(source, encoder).tree.paths(self._icd_nodes(source, encoder))

        return self._once(("icd paths", source, encoder), find)

    def icd_distribution(self, source: str, encoder: str) -> CategoryDistribution:
        """How each name is distributed over the categories of its nearest codes; a direct match lies in one."""
        from ..terms.icd.similarity import CategoryDistribution

        def find() -> CategoryDistribution:
            index, found = self._providers.icd_index(source, encoder), self._icd_found(source, encoder)
            return CategoryDistribution.of(found, index.category_of(found.nodes))

        return self._once(("icd distribution", source, encoder), find)

    def _icd_nodes(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u]: the code of the direct match or of the nearest entry, -1 where there is neither."""
        return np.ascontiguousarray(self._icd_found(source, encoder).nodes[:, 0])

    def _icd_found(self, source: str, encoder: str) -> Candidates:
        """One search serves every feature that rests on the nearest codes."""
        from ..terms.icd.search import CANDIDATES, Candidates

        def find() -> Candidates:
            index, total = self._providers.icd_index(source, encoder), len(self.names)
            found = Candidates.none(total, CANDIDATES)
            vectors = self._made.get(("vectors", encoder))
            for start in range(0, total, _NAMES_AT_ONCE):
                some = slice(start, start + _NAMES_AT_ONCE)
                part = index.find(self.names[some], CANDIDATES, None if vectors is None else vectors[some])
                found.nodes[some], found.cosines[some] = part
                if self._searched is not None:
                    self._searched(min(start + _NAMES_AT_ONCE, total), total)
            return found

        return self._once(("icd found", source, encoder), find)
