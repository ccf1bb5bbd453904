"""`python -m tests.bench link`: a long list of names linked with another, its time, memory, and what the candidates lose.

What is lost is counted by brute force: M on some names of the first list with every name of the second.
"""

from __future__ import annotations

import json
import platform
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from .names import made_names

SAMPLE_SEED = 7
LOOKED_INTO = (1, 5)
CANDIDATES = (50, 200, 1000)


def main(a: int, b: int, sample: int, out: Path) -> None:
    """Links `a` made names with `b` others and tells what of a sample's matches was found; the figures go to `out`, too."""
    import dxmatch
    from dxmatch.features.names import Names
    from dxmatch.matcher import link as linking

    kept: list[Names] = []
    prepare = linking.prepare

    def preparing(names: Names, *arguments: Any, **options: Any) -> None:
        """The names that the job prepared serve the brute force, too."""
        prepare(names, *arguments, **options)
        kept.append(names)
        print(f"names prepared after {time.perf_counter() - start:.0f} s, peak {peak():.1f} GB", flush=True)

    linking.prepare = preparing
    m = dxmatch.load()
    m.probability("heart attack", "gout")  # what is made once and kept is no part of it
    first, second = made_names(a, 1), made_names(b, 2)
    before = peak()
    start, cpu = time.perf_counter(), time.process_time()
    made = linking.link(m.model, first, second, least=m.threshold)
    figures: dict[str, Any] = {
        "a": a, "b": b, "seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu, "peak_gb": peak(), "before_gb": before,
        "linked": made.linked, "unlinked": made.unlinked, "not_understood": made.not_understood, "machine": platform.processor(),
    }  # fmt: skip
    print(json.dumps(figures, indent=1), flush=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(figures, indent=1))
    found = dict(zip(made.table["index_a"].to_pylist(), made.table["probability"].to_pylist(), strict=True))
    del made
    figures |= recall(m, kept[0], first, second, sample, found)
    print(json.dumps(figures, indent=1), flush=True)
    out.write_text(json.dumps(figures, indent=1))


def recall(
    m: Any, prepared: Any, first: list[str], second: list[str], sample: int, found: dict[int, float | None]
) -> dict[str, Any]:
    """What of the brute-force matches of a sample is among the candidates, and how often the link is the best there is."""
    from dxmatch.matcher.candidates import CandidateSearch
    from dxmatch.matcher.terms import listed

    place = {name: i for i, name in enumerate(prepared.names)}
    rows = sorted(np.random.default_rng(SAMPLE_SEED).permutation(len(first))[:sample].tolist())
    names, (a, b) = listed(m.model, a=[first[row] for row in rows], b=second)
    of_name = np.array([place.get(name, -1) for name in names.names] + [-1], np.int32)
    among = np.unique(of_name[b.name[b.understood]])
    search = CandidateSearch(prepared, among)
    of_candidates = dict.fromkeys(CANDIDATES, 0)
    all_matches = linkable = linked = best = 0
    top = dict.fromkeys(LOOKED_INTO, 0)
    top_of = dict.fromkeys(LOOKED_INTO, 0)
    start = time.perf_counter()
    for i, name in enumerate(of_name[a.name].tolist()):
        if not a.understood[i]:
            continue
        probability = m.model.probabilities(prepared, np.full(len(among), name, np.int32), among)
        matches = probability >= m.threshold
        all_matches += int(matches.sum())
        for count in reversed(CANDIDATES):  # what the job takes, last
            search._count = min(count, len(among))
            mine = np.isin(among, search(np.array([name], np.int32))[1]) | (among == name)
            of_candidates[count] += int((matches & mine).sum())
        for k in LOOKED_INTO:
            order = np.argsort(-probability, kind="stable")[:k]
            order = order[matches[order]]
            top_of[k] += len(order)
            top[k] += int(mine[order].sum())
        if matches.any():
            linkable += 1
            got = found[rows[i]]
            linked += got is not None
            best += got is not None and got >= probability.max()
    n = max(all_matches, 1)
    return {
        "sample": sample, "brute_force_seconds": time.perf_counter() - start, "matching_pairs": all_matches,
        **{f"recall_of_all_pairs_by_{count}_candidates": found / n for count, found in of_candidates.items()},
        **{f"recall_of_the_best_{k}": top[k] / max(top_of[k], 1) for k in LOOKED_INTO},
        "linkable": linkable, "linked_share": linked / max(linkable, 1), "best_share": best / max(linkable, 1),
    }  # fmt: skip


def peak() -> float:
    """The most memory of this process so far, in GB."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1e9 if sys.platform == "darwin" else 1e6)
