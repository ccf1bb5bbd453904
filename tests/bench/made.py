"""The inputs that the speed benchmarks make themselves: names of diagnoses, and pairs of them."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

ROWS_AT_ONCE = 1 << 19
"""Rows of a row group."""

_COURSE = ["acute", "chronic", "subacute", "recurrent", "severe", "congenital", "idiopathic", "secondary", "primary"]
_SITE = [
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
_KIND = [
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
_TAIL = [
    "of left lower lobe", "with complication", "due to infection", "in pregnancy", "type 2", "stage 3", "", "", "",
]  # fmt: skip


def make_names(count: int, seed: int = 0) -> list[str]:
    """Different diagnosis-like names of one to six words, about 33 letters long; there are some 60,000 of them."""
    rng = random.Random(seed)
    names: set[str] = set()
    while len(names) < count:
        words = [rng.choice(words) for words in (_COURSE, _SITE, _SITE, _KIND, _TAIL)]
        names.add(" ".join(w for w in words[rng.randrange(3) :] if w))
    return sorted(names)


def make_pairs(strings: int, pairs: int, seed: int = 0) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Two indices below `strings` a pair, sorted as `InternedPairs` sorts them."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, strings, (2, pairs), dtype=np.int32)
    order = np.lexsort((second, first))
    return first[order], second[order]


def reworded_names(count: int, seed: int = 0) -> list[str]:
    """Different names with the words and lengths of a classification: ICD-10-CM's, each with one word of another of them.

    So most have no direct match in it, and must be searched for.
    """
    from dxmatch.terms.text.normalizer import Normalizer
    from dxmatch.training.encoder.data import icd_synonyms

    rng, normalizer = random.Random(seed), Normalizer()
    known = sorted(set(icd_synonyms().second))
    rng.shuffle(known)
    words = [normalizer(name).split() for name in known[:count]]
    vocabulary = [word for name in words for word in name]
    names: set[str] = set()
    while len(names) < count:
        reworded = list(rng.choice(words))
        reworded[rng.randrange(len(reworded))] = rng.choice(vocabulary)
        names.add(" ".join(reworded))
    return sorted(names)


def made_pairs(path: Path, pairs: int, strings: int) -> Path:
    """Writes a Parquet file of random pairs, columns a and b, of at most `strings` names."""
    names = pa.array(reworded_names(min(strings, pairs)), pa.string())
    generator = np.random.default_rng(0)
    schema = pa.schema({side: pa.dictionary(pa.int32(), pa.string()) for side in ("a", "b")})
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, pairs, ROWS_AT_ONCE):
            codes = generator.integers(0, len(names), (2, min(ROWS_AT_ONCE, pairs - start)), dtype=np.int32)
            columns = [pa.DictionaryArray.from_arrays(pa.array(side), names) for side in codes]
            writer.write_batch(pa.record_batch(columns, schema=schema), row_group_size=ROWS_AT_ONCE)
    return path
