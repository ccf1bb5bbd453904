"""The six string features, alignment and contrast on 1,000,000 pairs over 5,000 strings, on one core, beside what one would use instead.

    python -m tests.bench.bench_linguistic

Every peer runs in the same process on the same pairs; the slow ones on a random part, as pairs per second.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import simplemma
from nltk import bigrams
from nltk.metrics.distance import edit_distance
from nltk.stem.snowball import SnowballStemmer
from nltk.tokenize import WhitespaceTokenizer
from textblob.en.taggers import PatternTagger

from dxmatch.features.alignment import Words, alignment
from dxmatch.features.contrast import Claims, contrasts, count_contrasts
from dxmatch.features.encoders.static import StaticEncoder
from dxmatch.features.levenshtein import Spelling, normalized_levenshtein
from dxmatch.features.linguistic import VIEWS, TokenSets, overlap_ratio

from .report import Row, best_of, show

PAIRS, STRINGS = 1_000_000, 5_000
ENCODER = Path(__file__).resolve().parents[2] / "models" / "offline-en" / "encoder"


def make_names(count: int, seed: int = 0) -> list[str]:
    """Diagnosis-like names of one to six words, about 33 letters long."""
    rng = random.Random(seed)
    course = ["acute", "chronic", "subacute", "recurrent", "severe", "congenital", "idiopathic", "secondary", "primary"]
    site = [
        "myocardial",
        "renal",
        "hepatic",
        "pulmonary",
        "cerebral",
        "gastric",
        "thyroid",
        "pancreatic",
        "femoral",
        "retinal",
    ]
    kind = [
        "infarction",
        "failure",
        "insufficiency",
        "carcinoma",
        "inflammation",
        "stenosis",
        "fracture",
        "syndrome",
        "fibrosis",
    ]
    tail = [
        "of left lower lobe",
        "with complication",
        "due to infection",
        "in pregnancy",
        "type 2",
        "stage 3",
        "",
        "",
        "",
    ]
    names: set[str] = set()
    while len(names) < count:
        words = [rng.choice(course), rng.choice(site), rng.choice(site), rng.choice(kind), rng.choice(tail)]
        names.add(" ".join(w for w in words[rng.randrange(3) :] if w))
    return sorted(names)


def make_pairs(strings: int, pairs: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, strings, (2, pairs), dtype=np.int32)
    order = np.lexsort((second, first))
    return first[order], second[order]


_STEM, _TAGGER, _TOKENIZER = SnowballStemmer("english"), PatternTagger(), WhitespaceTokenizer()


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
    out = np.empty((len(VIEWS) + 1, len(first)), np.float32)
    for column, view in enumerate(VIEWS):
        overlap_ratio(TokenSets.of(names, view, "en"), first, second, out[column])
    normalized_levenshtein(Spelling.of(names), first, second, out[-1])
    return out


def run(pairs: int = PAIRS, naive_pairs: int = 2_000) -> list[Row]:
    names = make_names(STRINGS)
    first, second = make_pairs(STRINGS, pairs)
    ours(names[:50], first[:10] % 50, second[:10] % 50)
    for view in VIEWS:  # the naive version finds the same word caches warm as ours does
        TokenSets.of(names[:50], view, "en")

    sets = [TokenSets.of(names, view, "en") for view in VIEWS]
    spelling = Spelling.of(names)
    out = np.empty((len(VIEWS) + 1, pairs), np.float32)

    def columns() -> None:
        for column, view in enumerate(sets):
            overlap_ratio(view, first, second, out[column])
        normalized_levenshtein(spelling, first, second, out[-1])

    kernels = pairs / best_of(columns)
    whole = pairs / best_of(lambda: ours(names, first, second))
    some = np.random.default_rng(1).choice(pairs, naive_pairs, replace=False)
    text = [(names[first[p]], names[second[p]]) for p in some]
    expected = np.array([naive(a, b) for a, b in text], np.float32)
    assert np.array_equal(expected, out[:, some].T, equal_nan=True), "ours and the naive version differ"
    slow = naive_pairs / best_of(lambda: [naive(a, b) for a, b in text], 2)

    what = f"six string features, {pairs:,} pairs over {STRINGS:,} strings, one core"
    rows = [
        Row(what, "pairs/s", kernels, "naive per-pair NLTK", slow, mark=1000),
        Row(f"{what}, cutting the strings included", "pairs/s", whole, "naive per-pair NLTK", slow),
    ]
    lev = np.empty(pairs, np.float32)
    alone = pairs / best_of(lambda: normalized_levenshtein(spelling, first, second, lev))
    for peer, pairs_per_second in _levenshtein_peers(names, first, second, text):
        rows.append(Row("Levenshtein alone", "pairs/s", alone, peer, pairs_per_second))
    word_sets = best_of(lambda: overlap_ratio(sets[0], first, second, out[0]))
    rows.append(Row("overlap of words alone", "pairs/s", pairs / word_sets, *_overlap_peer(text)))
    return [*rows, *_words_rows(names, first, second, text)]


def _words_rows(names, first, second, text):
    """Alignment and contrast beside a plain version of each, which has the words' vectors at hand."""
    encoder = StaticEncoder.load(ENCODER)
    words, made, out = Words.of(names, "en", encoder.encode), Claims.of(names, "en"), np.empty(len(first), np.float32)
    alignment(words, "better", first[:1], second[:1], out[:1])
    count_contrasts(made, first[:1], second[:1], out[:1])
    seconds = best_of(lambda: alignment(words, "better", first, second, out))
    vectors = dict(
        zip(known := sorted({w for name in names for w in name.split()}), encoder.encode(known), strict=True)
    )

    def plain(a: str, b: str) -> float:
        alike = np.array([vectors[w] for w in a.split()]) @ np.array([vectors[w] for w in b.split()]).T
        return float(max(alike.max(1).mean(), alike.max(0).mean()))

    slow = len(text) / best_of(lambda: [plain(x, y) for x, y in text])
    yield Row("alignment of words, one side", "pairs/s", len(first) / seconds, "numpy per pair", slow)
    seconds = best_of(lambda: count_contrasts(made, first, second, out))
    slow = len(text) / best_of(lambda: [contrasts(x, y) for x, y in text])
    yield Row("contrasts", "pairs/s", len(first) / seconds, "the words of each pair", slow)
    seconds = best_of(lambda: Claims.of(names, "en"), 2)
    yield Row("claims of names, for contrasts", "names/s", len(names) / seconds, "none", None)


def _overlap_peer(text: list[tuple[str, str]]) -> tuple[str, float | None]:
    try:
        from textdistance import Overlap
    except ImportError:
        return "textdistance (not installed)", None
    measure = Overlap(qval=None, as_set=True)
    return "textdistance", len(text) / best_of(lambda: [measure.similarity(x, y) for x, y in text])


def _levenshtein_peers(names, first, second, text):
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    a, b = [names[i] for i in first], [names[j] for j in second]
    yield (
        "rapidfuzz cpdist",
        len(a) / best_of(lambda: cpdist(a, b, scorer=Levenshtein.normalized_distance, workers=1, dtype=np.float32)),
    )
    yield "rapidfuzz per pair", len(text) / best_of(lambda: [Levenshtein.normalized_distance(x, y) for x, y in text])
    try:
        import pandas as pd
        import recordlinkage

        left, right = pd.DataFrame({"x": [x for x, _ in text]}), pd.DataFrame({"x": [y for _, y in text]})
        index = pd.MultiIndex.from_arrays([left.index, right.index])
        compare = recordlinkage.Compare()
        compare.string("x", "x", method="levenshtein")
        yield "recordlinkage", len(text) / best_of(lambda: compare.compute(index, left, right))
    except ImportError:
        yield "recordlinkage (not installed)", None
    try:
        import textdistance

        measure = textdistance.Levenshtein(external=False)
        yield (
            "textdistance",
            len(text[:500]) / best_of(lambda: [measure.normalized_distance(x, y) for x, y in text[:500]]),
        )
    except ImportError:
        yield "textdistance (not installed)", None


def main() -> None:
    show(run(), Path("out/bench/linguistic.json"))


if __name__ == "__main__":
    main()
