"""The six string features, alignment and contrast on one core, beside what one would use instead.

    python -m tests.bench linguistic

1,000,000 pairs over 5,000 strings. Every peer runs in the same process in turns with ours; the slow ones on a random part of the
pairs, as pairs per second. What both give is compared before anything is timed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import simplemma
from nltk import bigrams
from nltk.metrics.distance import edit_distance
from nltk.stem.snowball import SnowballStemmer
from nltk.tokenize import WhitespaceTokenizer
from textblob.en.taggers import PatternTagger

from dxmatch.features.alignment import SIDES, Words, alignment
from dxmatch.features.contrast import Claims, contrasts, count_contrasts
from dxmatch.features.levenshtein import Spelling, normalized_levenshtein
from dxmatch.features.tokens import VIEWS, TokenSets, overlap_ratio
from dxmatch.terms.encoders.static import StaticEncoder

from .made import make_names, make_pairs
from .report import Row, Work, show, versus

ENCODER = Path(__file__).resolve().parents[2] / "models" / "offline-en" / "encoder"
_STEM, _TAGGER, _TOKENIZER = SnowballStemmer("english"), PatternTagger(), WhitespaceTokenizer()


@dataclass(frozen=True)
class Input:
    """Pairs of names; `text` are some of them, drawn at random, at the places `some`, as pairs of strings."""

    names: list[str]
    first: np.ndarray
    second: np.ndarray
    some: np.ndarray

    @classmethod
    def made(cls, strings: int, pairs: int, some: int) -> Input:
        first, second = make_pairs(strings, pairs)
        return cls(make_names(strings), first, second, np.random.default_rng(1).choice(pairs, some, replace=False))

    @property
    def text(self) -> list[tuple[str, str]]:
        return [(self.names[self.first[p]], self.names[self.second[p]]) for p in self.some]

    def __len__(self) -> int:
        return len(self.first)


def naive(a: str, b: str) -> list[float]:
    """The six features of one pair, as one would write them with NLTK: nothing is remembered between pairs."""
    out = []
    words = [_TOKENIZER.tokenize(text) for text in (a, b)]
    views: list[Callable[[list[str], str], set]] = [
        lambda w, t: set(w),
        lambda w, t: set(bigrams(w)),
        lambda w, t: {_STEM.stem(x) for x in w},
        lambda w, t: {simplemma.lemmatize(x, lang="en").casefold() for x in w},
        lambda w, t: {(str(x), str(tag)) for x, tag in _TAGGER.tag(t, tokenize=False)},
    ]
    for view in views:
        x, y = view(words[0], a), view(words[1], b)
        smaller = min(len(x), len(y))
        out.append(len(x & y) / smaller if smaller else float("nan"))
    longer = max(len(a), len(b))
    out.append(edit_distance(a, b) / longer if longer else 0.0)
    return out


def ours(names: list[str], first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """float32[6, n], the strings cut here, too."""
    out = np.empty((len(VIEWS) + 1, len(first)), np.float32)
    for column, view in enumerate(VIEWS):
        overlap_ratio(TokenSets.of(names, view, "en"), first, second, out[column])
    normalized_levenshtein(Spelling.of(names), first, second, out[-1])
    return out


def rows(scale: str = "full") -> Iterator[Row]:
    made = Input.made(5_000, 1_000_000, 1_000) if scale == "full" else Input.made(1_000, 100_000, 100)
    names, first, second, text = made.names, made.first, made.second, made.text
    ours(
        names[:50], first[:10] % 50, second[:10] % 50
    )  # the naive version finds the same word caches warm as ours does
    sets, spelling = [TokenSets.of(names, view, "en") for view in VIEWS], Spelling.of(names)
    out = np.empty((len(VIEWS) + 1, len(made)), np.float32)

    def columns() -> None:
        for column, view in enumerate(sets):
            overlap_ratio(view, first, second, out[column])
        normalized_levenshtein(spelling, first, second, out[-1])

    columns()
    expected = np.array([naive(a, b) for a, b in text], np.float32)
    assert np.array_equal(expected, out[:, made.some].T, equal_nan=True), "ours and the naive version differ"
    by_nltk = Work(lambda: [naive(a, b) for a, b in text], len(text))
    what = f"six string features, {len(made):,} pairs over {len(names):,} strings"
    yield versus(what, "pairs/s", Work(columns, len(made)), "naive per-pair NLTK", by_nltk, mark=1000, runs=2)
    whole = Work(lambda: ours(names, first, second), len(made))
    yield versus(f"{what}, cut here", "pairs/s", whole, "naive per-pair NLTK", by_nltk, runs=2)

    alone = Work(lambda: normalized_levenshtein(spelling, first, second, out[-1]), len(made))
    for peer, work, mark in levenshtein_peers(made, out[-1]):
        yield versus("Levenshtein", "pairs/s", alone, peer, work, mark=mark)
    words = Work(lambda: overlap_ratio(sets[0], first, second, out[0]), len(made))
    if importlib.util.find_spec("textdistance"):
        from textdistance import Overlap

        measure = Overlap(qval=None, as_set=True)
        theirs = Work(lambda: [measure.similarity(x, y) for x, y in text], len(text))
        yield versus("overlap of words", "pairs/s", words, "textdistance", theirs)
    if scale == "full":
        yield from words_rows(made)


def words_rows(made: Input) -> Iterator[Row]:
    """Alignment and contrast beside a plain version of each, which has the words' vectors at hand."""
    encoder, names, text = StaticEncoder.load(ENCODER), made.names, made.text
    words, claims, out = Words.of(names, "en", encoder.encode), Claims.of(names, "en"), np.empty(len(made), np.float32)
    known = sorted({w for name in names for w in name.split()})
    vectors = dict(zip(known, encoder.encode(known), strict=True))

    def plain(a: str, b: str) -> list[float]:
        alike = np.array([vectors[w] for w in a.split()]) @ np.array([vectors[w] for w in b.split()]).T
        return sorted([float(alike.max(1).mean()), float(alike.max(0).mean())])

    aligned = {side: np.empty(len(made), np.float32) for side in SIDES}
    both = Work(lambda: alignment(words, made.first, made.second, aligned), len(made))
    per_pair = Work(lambda: [plain(x, y) for x, y in text], len(text))
    yield versus("alignment of words, both sides", "pairs/s", both, "numpy per pair", per_pair)
    counted = Work(lambda: count_contrasts(claims, made.first, made.second, out), len(made))
    per_pair = Work(lambda: [contrasts(x, y) for x, y in text], len(text))
    yield versus("contrasts", "pairs/s", counted, "the words of each pair", per_pair)
    yield versus("claims of names, for contrasts", "names/s", Work(lambda: Claims.of(names, "en"), len(names)), runs=2)


def levenshtein_peers(made: Input, expected: np.ndarray) -> Iterator[tuple[str, Work, float | None]]:
    """(name, work, mark) of each that is installed; each must give what ours gave, `expected` float32[n]."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    text, distance = made.text, Levenshtein.normalized_distance
    a, b = [made.names[i] for i in made.first], [made.names[j] for j in made.second]

    def at_once() -> Any:
        return cpdist(a, b, scorer=distance, workers=1, dtype=np.float32)

    assert np.allclose(at_once(), expected), "rapidfuzz differs"
    yield "rapidfuzz cpdist", Work(at_once, len(a)), 1.0
    yield "rapidfuzz per pair", Work(lambda: [distance(x, y) for x, y in text], len(text)), 1.0
    if importlib.util.find_spec("duckdb"):
        import duckdb
        import pyarrow as pa

        strings = pa.table({"a": a, "b": b})
        database = duckdb.connect(config={"threads": 1})
        database.execute("set enable_progress_bar = false")
        database.register("pairs", strings)
        database.execute("create temp table held as select * from pairs")
        sql = "select cast(levenshtein(a, b) / greatest(length(a), length(b)) as float) as d from held"

        def in_sql() -> Any:
            return database.sql(sql).fetchnumpy()["d"]

        assert np.allclose(np.sort(in_sql()), np.sort(expected)), "DuckDB differs"
        yield "DuckDB levenshtein", Work(in_sql, len(a)), 1.0
    if importlib.util.find_spec("recordlinkage"):
        import pandas as pd
        import recordlinkage

        left, right = pd.DataFrame({"x": [x for x, _ in text]}), pd.DataFrame({"x": [y for _, y in text]})
        index = pd.MultiIndex.from_arrays([left.index, right.index])
        compare = recordlinkage.Compare()
        compare.string("x", "x", method="levenshtein")
        yield "recordlinkage", Work(lambda: compare.compute(index, left, right), len(text)), None
    if importlib.util.find_spec("textdistance"):
        import textdistance

        measure = textdistance.Levenshtein(external=False)
        few = text[:500]
        yield "textdistance", Work(lambda: [measure.normalized_distance(x, y) for x, y in few], len(few)), None


def main() -> None:
    show(rows(), Path("out/bench/linguistic.json"))


if __name__ == "__main__":
    main()
