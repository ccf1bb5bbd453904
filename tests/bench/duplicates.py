"""`python -m tests.bench dedupe`: the duplicates of a long list of names, with time and memory.

Half of the names are titles of ICD-10-CM, the others variants of these.
"""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

from .linking import peak
from .names import variant


def titles_and_variants(count: int) -> list[str]:
    """`count` different texts, always the same, in no order."""
    from dxmatch.terms.icd import open_tree

    at_random, tree = random.Random(3), open_tree("icd10cm")
    titles = list(dict.fromkeys(tree.name(node) for node in range(len(tree))))
    some = at_random.sample(titles, min(count // 2, len(titles)))
    made = dict.fromkeys(some)
    while len(made) < count:
        made.setdefault(variant(at_random.choice(some), at_random))
    names = list(made)
    at_random.shuffle(names)
    return names


def main(count: int, out: Path) -> None:
    """Finds the duplicates among `count` names, under the strict policy; the figures go to `out`, too."""
    import dxmatch

    m = dxmatch.load()
    m.probability("heart attack", "gout")  # what is made once and kept is no part of it
    names, before = titles_and_variants(count), peak()
    start, cpu = time.perf_counter(), time.process_time()
    made = m.dedupe(names)
    figures = {
        "names": count, "before_gb": before, "seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu,
        "peak_gb": peak(), "clusters": int(made["cluster"].max()), "joined": int((made["size"] > 1).sum()),
    }  # fmt: skip
    print(json.dumps(figures, indent=1), flush=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(figures, indent=1))
