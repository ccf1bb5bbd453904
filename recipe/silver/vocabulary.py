"""All names that silver pairs are made of, and what is known about which two of them may be one disease."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from ...features.tokens import stems
from ...files.tables import required_columns
from ...terms.icd.sources import open_tree
from ...terms.icd.tree import CATEGORY, EXTENSION, IcdTree
from ...terms.text.normalizer import Normalizer
from ..diseases.compile import compiled_graph
from ..diseases.tables import without_mark
from ..encoder.data import COMMON, ICD, MONDO, ORPHADATA, ORPHADATA_CODES, all_sources, folds_of, join
from ..encoder.variants import TABLE
from ..word_lists.reading import KINDS, SIGNS, rows, rows_like, word_set
from .titles import Title, title

_NOT_DISEASES = re.compile(r"[V-Z]")
_SMALL = word_set("of the in with and or due to by for on at from a an as disease disorder syndrome")
_NEGATED = re.compile(r"\b(non|without|no) (\w+)")
_MIN_PART = 6


class Vocabulary:
    """The names of all sources, in the form they are written, by disease.

    Parameters
    ----------
    data : the folder with the files of Orphadata, MONDO and the graph of diseases.
    fold : 0 to 4 for the names of one fold of the diseases (`encoder.data.folds_of`) alone; None for all.

    A disease is a number. Names of one disease are joined by every source at once, so that what one source calls a
    synonym is never called different because another one does not know.
    """

    def __init__(self, data: Path, normalizer: Normalizer, fold: int | None = None) -> None:
        self.normalizer = lru_cache(maxsize=None)(normalizer)
        self.fold = fold
        sources = all_sources(data, self.normalizer)
        names = join([*sources.values()], self.normalizer)
        self.disease_of: dict[str, int] = dict(zip(names.texts, names.disease.tolist(), strict=True))
        self._fold_of: dict[int, int] = dict(zip(names.disease.tolist(), folds_of(names).tolist(), strict=True))
        self._above: dict[int, int] = {}
        self.tree: IcdTree = open_tree("icd10cm")
        self.titles: dict[int, Title] = {}
        self.graph = compiled_graph(data, self.normalizer, more=[sources[each] for each in (COMMON, ORPHADATA, MONDO)])
        self.pairs = {name: list(zip(each.first, each.second, strict=True)) for name, each in sources.items()}
        self.pairs[ICD] = list(self._read_icd())
        self._exact: dict[int, set[int]] = defaultdict(set)
        self._narrow: dict[int, set[int]] = defaultdict(set)
        self._place_diseases(data / ORPHADATA_CODES)
        matches = [(row["sign"], row["disease"]) for row in rows(SIGNS)]
        matches += [(row["a"], row["b"]) for row in rows_like(KINDS)]
        self._not_different = {frozenset(map(self.normalizer, pair)) for pair in matches}

    def _read_icd(self) -> Iterator[tuple[str, str]]:
        """Titles with their inclusion terms, and alone, as they are written. Chapters V to Z tell of no disease."""
        for node in range(len(self.tree)):
            if not CATEGORY <= self.tree.kinds[node] < EXTENSION or _NOT_DISEASES.match(self.tree.codes[node]):
                continue
            full = self.tree.names[node]
            whole = title(full)
            if whole is not None and self.normalizer(whole.words):
                self.titles[node] = whole
                self._know(whole.words, full)
            for term in (full, *self.tree.inclusion_terms(node)):
                part = title(term)
                if part is not None and self.normalizer(part.words) and not part.other:
                    self._know(part.words, term)
                    yield (part.words if whole is None or whole.other else whole.words), part.words

    def _know(self, as_written: str, full: str) -> None:
        """`as_written` is of the disease of `full`; where it is a name by itself, both are one disease."""
        disease = self.disease_of.get(self.normalizer(full))
        if disease is not None:
            by_itself = self.disease_of.setdefault(self.normalizer(as_written), disease)
            self._above[self._root(by_itself)] = self._root(disease)

    def _root(self, disease: int) -> int:
        """The number that stands for all that are one disease once remarks and brackets are off."""
        while (above := self._above.get(disease, disease)) != disease:
            disease = above
        return disease

    def _place_diseases(self, path: Path) -> None:
        """Where in ICD-10-CM each disease stands: at a node, or somewhere under it. path : of Orphadata's codes."""
        for node in range(len(self.tree)):
            if not CATEGORY <= self.tree.kinds[node] < EXTENSION:
                continue
            full = self.tree.names[node]
            at = node
            written = self.titles.get(node)
            # "X, unspecified" is a child of X by its code and X itself by its meaning.
            if written and written.residual and self.tree.kinds[node] > CATEGORY:
                at = int(self.tree.parents[node])
            for name in (full, *([written.words] if written else [])):
                if (disease := self.disease_of.get(self.normalizer(name))) is not None:
                    self._exact[self._root(disease)].add(at)
            for term in self.tree.inclusion_terms(node):
                if (disease := self.disease_of.get(self.normalizer(term))) is not None:
                    self._exact[self._root(disease)].add(node)
        for name, code, relation in required_columns(path, "name", "icd10", "relation"):
            if (node := self.tree.find(code)) >= 0:
                # A disease of one name stands in no file of synonyms; its number is of no fold.
                known = self.normalizer(without_mark(name))
                disease = self._root(self.disease_of.setdefault(known, -1 - len(self.disease_of)))
                (self._narrow if relation == "NTBT" else self._exact)[disease].add(node)

    @cached_property
    def known_words(self) -> frozenset[str]:
        return frozenset(word for name in self.disease_of for word in name.split())

    @cached_property
    def _synonymous_stems(self) -> dict[str, str]:
        """Stem -> the stem that stands for it: "renal" and "kidney" are one word."""
        found: dict[str, str] = {}
        for row in rows(TABLE):
            first, *others = stems([phrase for phrase in row["words"].split("; ") if " " not in phrase], "en") or ("",)
            found |= dict.fromkeys(others, first)
        return found

    def meaningful(self, name: str) -> frozenset[str]:
        """The stems of a normalised name without small words.

        Organs and their adjectives are one word, and so are "non" or "without" and what they deny.
        """
        kept = [word for word in _NEGATED.sub(r"non\2", name).split() if word not in _SMALL] or name.split()
        same = self._synonymous_stems
        return frozenset(same.get(stem, stem) for stem in stems(kept, "en"))

    def disease(self, name: str) -> int | None:
        return self.disease_of.get(self.normalizer(name))

    def in_fold(self, names: Iterable[str]) -> bool:
        """Whether all of these names that a source knows are of the fold that is asked for."""
        if self.fold is None:
            return True
        found = {self._fold_of.get(d) for name in names if (d := self.disease(name)) is not None}
        return found <= {self.fold, None}

    def may_differ(self, first: Sequence[str], second: Sequence[str]) -> bool:
        """Whether nothing says that a name of `first` and one of `second` are one disease, or that one specifies the other."""
        for a in map(self.normalizer, first):
            for b in map(self.normalizer, second):
                words_a, words_b = self.meaningful(a), self.meaningful(b)
                if _within(words_a, words_b) or _within(words_b, words_a) or frozenset((a, b)) in self._not_different:
                    return False
                d, e = self.disease_of.get(a), self.disease_of.get(b)
                if d is not None and e is not None and self._one_or_in_line(self._root(d), self._root(e)):
                    return False
                p, q = self.graph.disease_of.get(a), self.graph.disease_of.get(b)
                if p is not None and q is not None and self.graph.in_line(p, q):
                    return False
        return True

    def _one_or_in_line(self, d: int, e: int) -> bool:
        """Whether both are one disease, or one stands above the other in ICD-10-CM, or at its place."""
        exact, narrow = self._exact, self._narrow
        pairs = [(exact[d], exact[e]), (exact[d], narrow[e]), (narrow[d], exact[e])]
        return d == e or any(self._same_line(p, q) for ps, qs in pairs for p in ps for q in qs)

    def _same_line(self, p: int, q: int) -> bool:
        p, q = min(p, q), max(p, q)
        while q > p:
            q = int(self.tree.parents[q])
        return p == q


def _within(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether all of `words` stand in `others`, alone or at the end of a compound: "sarcoma" in "liposarcoma"."""
    return all(
        word in others
        or (len(word) >= _MIN_PART and any(other.endswith(word) and not other.startswith("non") for other in others))
        for word in words
    )
