"""Free text -> ICD-10: how often the category is right, and how long a start and 5,000 strings take."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dxmatch.terms.icd import IcdIndex, open_tree
from dxmatch.terms.text.normalizer import Normalizer

from .report import ASKED, Row, show
from .shared import DATA, minilm

ROOT = Path(__file__).resolve().parents[2]
WEIGHTS = ROOT / "models" / "offline-en" / "encoder"
STARTS = 7
FIRST_ANSWER = 0.3
"""Seconds in which a warm start is to answer."""

# In a new process: from its first line, imports of numpy and of this package included, to the first answered string.
# The query's vector is given, so that the time is the index's own; loading an encoder is shown apart.
START = """
import time
begin = time.perf_counter()
import sys
import numpy as np
from dxmatch.terms.icd import IcdIndex
from dxmatch.terms.text.normalizer import Normalizer
class Given:
    identity, dimensions = sys.argv[2], int(sys.argv[3])
    def encode(self, texts):
        return np.full((len(texts), self.dimensions), self.dimensions**-0.5, np.float32)
index = IcdIndex.open("icd10cm", Given(), Normalizer(), sys.argv[1])
opened = time.perf_counter()
assert index.assign(["myocardal infarktion"]).nodes[0] >= 0
print(opened - begin, time.perf_counter() - begin)
"""

SHIPPED_START = """
import time
begin = time.perf_counter()
import sys
from dxmatch.terms.icd import IcdIndex
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.terms.encoders.static import StaticEncoder
index = IcdIndex.open("icd10cm", StaticEncoder.load(sys.argv[2]), Normalizer(), sys.argv[1])
assert index.assign(["myocardal infarktion"]).nodes[0] >= 0
print(time.perf_counter() - begin)
"""


class MiniLM:
    identity, dimensions = "minilm-l6-v2", 384

    def __init__(self) -> None:
        self._model = minilm()

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return self._model.encode(list(texts), batch_size=256, normalize_embeddings=True, show_progress_bar=False)


def gold(normalizer: Normalizer) -> tuple[list[str], list[str]]:
    """Names and three-character codes of the rows with relation E."""
    with (DATA / "orphadata_icd10.csv").open(encoding="utf-8", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row["relation"] == "E"]
    return [normalizer(row["name"]) for row in rows], [row["icd10"][:3] for row in rows]


def shares_right(index: IcdIndex, names: list[str], codes: list[str]) -> dict[str, float]:
    tree = index.tree
    assigned = [tree.category(int(node)) for node in index.assign(names).nodes]
    found = [[tree.category(node) for node in row[row >= 0].tolist()] for row in index.candidates(names).nodes]
    right = {
        "right at 1 (direct match, else nearest)": [a == code for a, code in zip(assigned, codes, strict=True)],
        "right at 1 (nearest)": [one[:1] == [code] for one, code in zip(found, codes, strict=True)],
        "right at 15": [code in one for one, code in zip(found, codes, strict=True)],
    }
    return {what: float(np.mean(each)) for what, each in right.items()}


def in_new_processes(code: str, *arguments: str) -> np.ndarray[Any, Any]:
    """The seconds that `code` prints, the fastest of several new processes."""
    out = []
    for _ in range(STARTS):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
        out.append([float(number) for number in done.stdout.split()])
    return np.min(out, axis=0)


def new_strings(n: int, names: list[str]) -> list[str]:
    """`n` different strings that no index holds: two diseases each."""
    rng = np.random.default_rng(0)
    out: dict[str, None] = {}
    while len(out) < n:
        a, b = rng.choice(len(names), 2, replace=False)
        out[f"{names[a]} with {names[b]}"[:80]] = None
    return list(out)


def measure(encoder: Any, normalizer: Normalizer, names: list[str], codes: list[str], folder: str) -> dict[str, float]:
    begin = time.perf_counter()
    index = IcdIndex.open("icd10cm", encoder, normalizer, folder)
    out = {"index built in (tree parsed before)": time.perf_counter() - begin} | shares_right(index, names, codes)
    strings = new_strings(5000, names)
    begin = time.perf_counter()
    encoder.encode(strings)
    encoded = time.perf_counter()
    index.assign(strings)
    done = time.perf_counter()
    out["5,000 new strings: encoded in"] = encoded - begin
    out["5,000 new strings: searched in"] = max(0.0, (done - encoded) - (encoded - begin))
    opened, answered = in_new_processes(START, folder, encoder.identity, str(encoder.dimensions))
    out |= {"warm start: opened": opened, "warm start: first answer": answered}
    return out


def run(encoders: dict[str, Any]) -> list[Row]:
    """One row per measure; the first encoder is ours, the second the peer."""
    normalizer = Normalizer()
    names, codes = gold(normalizer)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        tree = open_tree("icd10cm", folder)
        parsed = time.perf_counter() - begin
        categories = {tree.code(node) for node in np.flatnonzero(tree.kinds == 2).tolist()}
        absent = sum(code not in categories for code in codes)
        print(f"Orphadata, relation E: n = {len(names)}; {absent} have a category that ICD-10-CM lacks, never right.")
        measured = {name: measure(encoder, normalizer, names, codes, folder) for name, encoder in encoders.items()}
        (_, ours), *peers = measured.items()
        peer, theirs = peers[0] if peers else ("", {})
        rows = [Row("tree parsed in", "s", parsed)]
        for what, value in ours.items():
            rows.append(Row(what, "share" if "right" in what else "s", value, peer, theirs.get(what)))
        asked = "warm start: first answer"
        rows.append(Row(asked, "s", ours[asked], ASKED, FIRST_ANSWER, 1.0))
        if WEIGHTS.is_dir():
            (seconds,) = in_new_processes(SHIPPED_START, folder, str(WEIGHTS))
            rows.append(Row("warm start: first answer, encoder loaded too", "s", float(seconds)))
    return rows


def main() -> None:
    encoders: dict[str, Any] = {}
    if WEIGHTS.is_dir():
        from dxmatch.terms.encoders.static import StaticEncoder

        encoders["shipped"] = StaticEncoder.load(WEIGHTS)
    else:
        print("No shipped encoder (models/offline-en/encoder): MiniLM stands alone, in the column 'Ours'.")
    encoders["MiniLM"] = MiniLM()
    show(run(encoders), Path("out/bench/icd.json"))
    print("Ours was trained on Orphadata's names (each disease's synonyms, without codes), so its shares are not on")
    print("unseen names; the figure on a split by disease is in the model's card.")
    print("Warm start: a new process, from its first line, imports of numpy and dxmatch included; the query's vector")
    print("is given, but in the last row.")
    print(f"Times of starts are the best of {STARTS}; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
