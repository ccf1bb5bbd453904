"""The names that benchmarks are made of: ICD-10-CM's reworded, and pairs of them; the real ones, and variants as hospitals write them."""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import simple_icd_10_cm

from dxmatch.terms.icd import open_tree

from ..case_table import rows_of

DATA = Path(os.environ.get("DXMATCH_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
"""The real public data."""
ROWS_OF_A_GROUP = 1 << 19
QUALIFIERS = (
    "acute", "chronic", "recurrent", "severe", "mild", "left", "right", "bilateral", "suspected", "congenital", "familial", "early onset",
    "history of", "advanced", "refractory", "progressive", "secondary", "idiopathic", "postoperative", "childhood",
)  # fmt: skip
SUFFIXES = (
    "stage I", "stage II", "stage III", "stage IV", "NOS", "type 1", "type 2", "in remission", "in pregnancy", "with complications", "grade 2",
    "of the elderly", "(disorder)", "unspecified", "right side", "left side",
)  # fmt: skip
_LETTERS = "abcdefghilmnoprstu"


def real_names() -> list[str]:
    """The different disease names of all the real files, in their order."""
    names: dict[str, None] = {}
    columns = {
        "disease_names.csv": ("name",),
        "orphadata_synonyms.csv": ("name", "synonym"),
        "mondo_exact.csv": ("mondo", "other"),
        "craft_md_pairs.csv": ("expert", "algorithm"),
    }
    for file, wanted in columns.items():
        for row in rows_of(DATA / file):
            for column in wanted:
                if (text := row[column].strip()) and len(text) <= 200:
                    names.setdefault(text)
    return list(names)


def typo(text: str, at_random: random.Random) -> str:
    """One letter left out, doubled, exchanged with its neighbour, or another; never the first of a word."""
    places = [i for i in range(1, len(text)) if text[i].isalpha() and text[i - 1].isalpha()]
    if not places:
        return text
    i, what = at_random.choice(places), at_random.randrange(4)
    middle = ("", text[i] * 2, text[i : i + 2][::-1], at_random.choice(_LETTERS))[what]
    return text[:i] + middle + text[i + (2 if what == 2 else 1) :]


def turned(text: str, at_random: random.Random) -> str:
    """The last word first with a comma behind it ("pneumonia, bacterial"), or two neighbouring words exchanged."""
    words = text.split(" ")
    if len(words) < 2:
        return text
    if at_random.random() < 0.7:
        return f"{words[-1]}, {' '.join(words[:-1])}"
    i = at_random.randrange(len(words) - 1)
    return " ".join([*words[:i], words[i + 1], words[i], *words[i + 2 :]])


def variant(text: str, at_random: random.Random) -> str:
    """A name as somebody may write it: half are as they stand but for case, the others qualified, turned or misspelt."""
    if (chance := at_random.random()) < 0.3:
        text = f"{at_random.choice(QUALIFIERS)} {text}"
    elif chance < 0.5:
        text = f"{text} {at_random.choice(SUFFIXES)}"
    if at_random.random() < 0.2:
        text = turned(text, at_random)
    if at_random.random() < 0.15:
        text = typo(text, at_random)
    return text if (case := at_random.random()) < 0.6 else text.upper() if case < 0.75 else text.capitalize()


def made_names(count: int, seed: int) -> list[str]:
    """`count` different variants of the real names, the same for the same seed."""
    return _with_variants(count, [], real_names(), random.Random(seed))


def titles_and_variants(count: int) -> list[str]:
    """`count` different texts, always the same, in no order: half of them titles of ICD-10-CM, the others variants of these."""
    at_random, tree = random.Random(3), open_tree("icd10cm")
    titles = list(dict.fromkeys(tree.names[node] for node in range(len(tree))))
    some = at_random.sample(titles, min(count // 2, len(titles)))
    names = _with_variants(count, some, some, at_random)
    at_random.shuffle(names)
    return names


def _with_variants(count: int, begin: list[str], of: list[str], at_random: random.Random) -> list[str]:
    made = dict.fromkeys(begin)
    while len(made) < count:
        made.setdefault(variant(at_random.choice(of), at_random))
    return list(made)


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
