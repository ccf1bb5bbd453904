"""The inputs that the benchmarks make themselves: names with the words and lengths of a classification, and pairs of them."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import simple_icd_10_cm

ROWS_OF_A_GROUP = 1 << 19


def make_names(count: int, seed: int = 0) -> list[str]:
    """Different names: ICD-10-CM's, each with one word of another of them.

    So most have no direct match in it, and must be searched for.
    """
    rng = random.Random(seed)
    codes = simple_icd_10_cm.get_all_codes(with_dots=True)
    known = sorted({simple_icd_10_cm.get_description(code).lower() for code in codes})
    rng.shuffle(known)
    words = [name.split() for name in known[:count]]
    vocabulary = [word for name in words for word in name]
    names: set[str] = set()
    while len(names) < count:
        reworded = list(rng.choice(words))
        reworded[rng.randrange(len(reworded))] = rng.choice(vocabulary)
        if any(character.isalnum() for character in "".join(reworded)):
            names.add(" ".join(reworded))
    return sorted(names)


def make_pairs(path: Path, pairs: int, strings: int) -> Path:
    """Writes a Parquet file of random pairs, columns a and b, of at most `strings` names."""
    names = pa.array(make_names(min(strings, pairs)), pa.string())
    generator = np.random.default_rng(0)
    schema = pa.schema({side: pa.dictionary(pa.int32(), pa.string()) for side in ("a", "b")})
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, pairs, ROWS_OF_A_GROUP):
            codes = generator.integers(0, len(names), (2, min(ROWS_OF_A_GROUP, pairs - start)), dtype=np.int32)
            columns = [pa.DictionaryArray.from_arrays(pa.array(side), names) for side in codes]
            writer.write_batch(pa.record_batch(columns, schema=schema), row_group_size=ROWS_OF_A_GROUP)
    return path
