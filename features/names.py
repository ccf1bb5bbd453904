"""Diagnoses, each once: what they are read as, and what the features need of them, made when one first asks for it."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..progress import Progress
from ..terms.icd.naming import Reading, mixed_scripts
from ..terms.icd.search import CANDIDATES, Candidates, Shares
from ..terms.text.vocabulary import Corrections
from ..votes.voters import Picker, Voter, mean_votes
from .contrast import Attributes
from .providers import Lazy, Providers, once
from .tokens import Sets, Words, numbered, token_sets

if TYPE_CHECKING:
    import pyarrow as pa

    from ..terms.text.assertion import Assertion
    from ..votes.picks import Choices

    Strings = Sequence[str] | pa.Array | pa.ChunkedArray

SIDES = ("a", "b")
_AT_ONCE = 1 << 16
"""Texts that are read between two reports of progress."""
_SEARCH_BATCH = 4096
"""Names of the ICD-10 search between two reports of progress."""

Index = NDArray[np.int32]


class Links(NamedTuple):
    """u names in the graph of diseases.

    Attributes
    ----------
    nodes, certainty : int32[u, k] and float32[u, k], as `DiseaseIndex.find` gives them: the diseases that a name is nearest to, and the
        cosine of each, 0 for one below it.
    starts, above, steps, information, too_broad : the graph's.
    """

    nodes: Index
    certainty: NDArray[np.float32]
    starts: NDArray[np.int64]
    above: Index
    steps: NDArray[np.uint8]
    information: NDArray[np.float32]
    too_broad: NDArray[np.bool_]


class IcdPlaces(NamedTuple):
    """u names in ICD-10.

    Attributes
    ----------
    categories : int32[u], the three-character category of the code of a direct match, else of the nearest entry, as a number; -1 for none.
    paths : int32[u, levels], that code, and all above it from the chapter down.
    distribution : of each name over the categories of its nearest codes; a direct match lies in one.
    """

    categories: Index
    paths: Index
    distribution: Shares


class Names(Lazy):
    """r different texts and their u different names: tokenised, embedded, placed in ICD-10 on demand. Safe to share between threads.

    What was made can be pickled (`pickle.dumps(names, protocol=5)`; arrays travel out of band with a `buffer_callback`):
    what comes back serves the features that were prepared, without encoders, ICD-10 or stores, and makes nothing more.

    Parameters
    ----------
    names : different names, normalised, their slips mended; each is a text that was read as itself, but for what `read` gives.

    Attributes
    ----------
    texts : the r different texts. name_of : int32[r], the place of each text's name.
    not_understood : by the place of a text, why it is not understood. read_as : its words that were read as others.
    progress : called with the names done and the names in all while the ICD-10 search, by far the slowest part, goes on.
    """

    def __init__(self, names: Iterable[str], providers: Providers) -> None:
        self.names = list(names)
        self.texts: Sequence[str] = self.names
        self.name_of = np.arange(len(self.names), dtype=np.int32)
        self.not_understood: dict[int, str] = {}
        self.read_as: dict[int, Corrections] = {}
        self.providers = providers
        self.progress: Progress | None = None

    @classmethod
    def read(cls, texts: Sequence[str], providers: Providers, *, progress: Progress | None = None) -> Names:
        """Reads different texts.

        Parameters
        ----------
        progress : called with the texts read and the texts in all.

        Raises
        ------
        InputError
            For a text without a letter or digit, or of more than 10,000 characters.
        """
        readings = list[Reading]()
        for start in range(0, len(texts), _AT_ONCE):
            readings += providers.naming.read(texts[start : start + _AT_ONCE])
            if progress is not None:
                progress(len(readings), len(texts))
        self = cls(dict.fromkeys(one.name for one in readings), providers)
        self.texts, place = texts, {name: i for i, name in enumerate(self.names)}
        self.name_of = np.array([place[one.name] for one in readings], np.int32)
        self.not_understood = {at: why for at, one in enumerate(readings) if (why := one.not_understood) is not None}
        self.read_as = {at: one.read_as for at, one in enumerate(readings) if one.read_as}
        return self

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_lock", "providers", "progress")}
        # Nothing reads, of what was prepared, what other things were made from.
        return {**kept, "_made": {key: value for key, value in self._made.items() if not key[0].startswith("_")}}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, progress=None)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def mixed_scripts(self) -> tuple[str, ...]:
        """The words of the texts that mix scripts, each once."""
        return tuple(dict.fromkeys(word for text in self.texts for word in mixed_scripts(text)))

    @property
    @once
    def _assertions(self) -> list[Assertion]:
        """What each name says, and of which diagnosis."""
        return [self.providers.normalizer.assertion(name) for name in self.names]

    @property
    @once
    def cores(self) -> list[str]:
        """The diagnosis of each name, without what is said of it."""
        return [assertion.core for assertion in self._assertions]

    @property
    @once
    def claims(self) -> Index:
        """int32[u]: equal for names whose assertions go together (`Assertion.claim`)."""
        return numbered([assertion.claim for assertion in self._assertions])[1]

    @property
    @once
    def attributes(self) -> Attributes | None:
        """To find conflicts between names; None in a language without a table of them."""
        return Attributes.of(self.cores, self.providers.normalizer.language)

    @once
    def token_sets(self, view: str) -> Sets:
        """The tokens of each name, of one kind."""
        return token_sets(self.cores, view, self.providers.normalizer.language)

    @once
    def words(self, encoder: str) -> Words:
        """The words of each name, with their vectors."""
        return Words.of(self.cores, self.providers.normalizer.language, self.providers.encoder(encoder).encode)

    @once
    def vectors(self, encoder: str) -> NDArray[np.float32]:
        """float32[u, d], unit rows."""
        return np.ascontiguousarray(self.providers.encoder(encoder).encode(self.cores), np.float32)

    @once
    def diseases(self, encoder: str) -> Links:
        """The diseases that each name is nearest to."""
        index = self.providers.disease_index(encoder)
        graph, found = index.graph, index.find(self.cores, self.vectors(encoder))
        above = graph.above.starts, graph.above.diseases, graph.above.steps
        return Links(found.nodes, np.clip(found.scores, 0, 1), *above, graph.information, graph.too_broad)

    @once
    def votes(self, voter: Voter) -> dict[tuple[int, int], float]:
        """The mean vote of a language model on pairs of the names, by their places, the lower first."""
        return mean_votes(self.providers.vote_store(), voter, self.names)

    @once
    def picked_categories(self, picker: Picker) -> Index:
        """int32[u]: the category of the direct match or of the language model's pick, -1 where there is neither."""
        index = self.providers.icd_index(picker.source, picker.encoder, picker.distance, picker.entries, False)
        return index.category_of(self.icd_choices(picker).nodes(picker, self.providers.vote_store()))

    def icd_choices(self, picker: Picker) -> Choices:
        """The candidates of each name, which pickers of one ICD-10, encoder, way and k share."""
        return self._choices(picker.k, picker.source, picker.encoder, picker.distance, picker.entries)

    @once
    def _choices(self, k: int, *where: str) -> Choices:
        from ..votes.picks import Choices

        return Choices.of(self.names, self.providers.icd_index(*where, False), k)

    @once
    def icd(self, source: str, encoder: str) -> IcdPlaces:
        """Where each name is in ICD-10, by one search."""
        index, total = self.providers.icd_index(source, encoder, "cosine", "codes", False), len(self.names)
        found, vectors = Candidates.none(total, CANDIDATES), self.vectors(encoder)
        for start in range(0, total, _SEARCH_BATCH):
            some = slice(start, start + _SEARCH_BATCH)
            found.put(some, index.find(self.cores[some], CANDIDATES, vectors[some]))
            if self.progress is not None:
                self.progress(min(start + _SEARCH_BATCH, total), total)
        categories = index.category_of(found.nodes)
        return IcdPlaces(categories[:, 0].copy(), index.tree.paths[found.nodes[:, 0]], found.shares(categories))


def different_texts(a: Strings, b: Strings) -> tuple[list[str], NDArray[np.int32], NDArray[np.int32]]:
    """The different texts of two columns of n diagnoses, and each column as places among them, int32[n].

    Parameters
    ----------
    a, b : lists, Arrow arrays, or columns of pandas, polars or numpy.

    Raises
    ------
    InputError
        For what is no column, columns of unlike length, and for anything but a text, with its row and side.
    """
    for side, column in zip(SIDES, (a, b), strict=True):
        several = isinstance(column, Mapping | Set) or hasattr(type(column), "columns")
        if several or isinstance(column, str | bytes) or not hasattr(column, "__len__"):
            allowed = "a list or a column of texts; `probability` takes a single pair"
            raise InputError("not a list of diagnoses", column=side, allowed=allowed, got=column)
    if len(a) != len(b):
        raise InputError("the two sides differ in length", allowed="one b for each a", got=(len(a), len(b)))
    (of_a, at_a), (of_b, at_b) = (_numbered_texts(column, side) for side, column in zip(SIDES, (a, b), strict=True))
    texts, places = numbered([*of_a, *of_b])
    return texts, places[at_a], places[len(of_a) :][at_b]


def _numbered_texts(column: Strings, side: str) -> tuple[list[str], Index]:
    """The different texts of a column, and int32[n], where each row's is among them."""
    if type(column).__module__.partition(".")[0] == "pyarrow":
        import pyarrow as pa

        from ..files.table import is_text

        arrow: Any = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        if is_text(arrow.type) and not arrow.null_count:
            encoded = arrow.cast(pa.large_string()).dictionary_encode()
            return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int32, copy=False)
        column = arrow.to_pylist()
    values = list(column)
    for row, text in enumerate(values):
        if not isinstance(text, str):
            raise InputError("not a text", row=row, column=side, allowed="a diagnosis in words", got=text)
    return numbered(values)


def unordered_pairs(
    a: NDArray[np.int32], b: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """The different unordered pairs of n rows of two codes in [0, count).

    Returns
    -------
    first, second : int32[m], `first <= second`, sorted by (first, second), so that pairs that share a code lie together.
    pair_of_row : int64[n], the pair of each row.
    """
    keys = np.minimum(a, b).astype(np.int64) * count + np.maximum(a, b)
    unique, pair_of_row = np.unique(keys, return_inverse=True)
    first, second = np.divmod(unique, max(count, 1))
    return first.astype(np.int32), second.astype(np.int32), pair_of_row.astype(np.int64, copy=False)
