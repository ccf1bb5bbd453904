"""HDF1 by level and weighted scores, each with 1,000 resamples, on 100,000 cases x 8 raters x 5 diagnoses.

The peers: plain Python loops over dicts and sets, on a subsample of cases and of resamples, scaled up (both are linear
in each); hiclass for hierarchical precision and recall, and ranx for top-k accuracy, where they are installed. Everything
runs on one core and is timed in seconds of the processor, so that a busy machine does not matter.
Run: python -m tests.bench hierarchical
"""

from __future__ import annotations

import importlib
import importlib.util
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dxmatch.evaluation.metrics.hierarchical import harmonic_mean, mean_of_defined, opened, top_k_accuracy
from dxmatch.evaluation.metrics.weighted import SETTINGS, case_weights_of, rescaled, scores, severity_distances
from dxmatch.evaluation.statistics.bootstrap import resampled_means
from dxmatch.terms.icd import IcdTree
from dxmatch.terms.icd.ancestor_sets import Overlap, Paths, overlap

from .report import Row, best_of, show

CASES, RATERS, K, REPEATS, REFERENCES = 100_000, 8, 5, 1000, 2
LOOP_CASES, LOOP_REPEATS, PEER_CASES = 300, 3, 2000
MARK = 200


def drawn(n: int, tree: IcdTree) -> tuple[np.ndarray, np.ndarray]:
    """Lists from a pool of 12 nodes per case, and the reference from the same; most nodes are subcategories."""
    generator = np.random.default_rng(0)
    pool = generator.integers(0, len(tree), (n, 12)).astype(np.int32)
    picks = generator.integers(0, 12, (n, RATERS * K + REFERENCES))
    nodes = np.take_along_axis(pool, picks, 1)
    return nodes[:, : RATERS * K].reshape(n, RATERS, K), nodes[:, RATERS * K :]


def hierarchical(found: Overlap, repeats: int) -> tuple[np.ndarray, np.ndarray]:
    """HDF1 over all levels and at each: of the data [r, 5], of the resamples [repeats, r, 5]."""
    flat = np.concatenate([part.reshape(len(part), -1) for part in (found.precision, found.recall)], 1)
    shape = found.shared.shape[1:]
    data = harmonic_mean(*np.split(mean_of_defined(flat), 2))
    again = harmonic_mean(*np.split(resampled_means(flat, repeats, 0), 2, 1))
    return data.reshape(shape), again.reshape(-1, *shape)


def aggregates(distances: np.ndarray, repeats: int) -> tuple[np.ndarray, np.ndarray]:
    """The three aggregates of one score: of the data [3, r], of the resamples [repeats, 3, r]."""
    scaled = rescaled(scores(distances))
    weights = np.stack([case_weights_of(scaled, setting) for setting in SETTINGS], 1)
    flat = np.concatenate([(weights * scaled[:, None]).reshape(len(scaled), -1), weights.reshape(len(scaled), -1)], 1)
    ratios = [
        above / below
        for above, below in (np.split(part, 2, -1) for part in (flat.mean(0), resampled_means(flat, repeats, 0)))
    ]
    return ratios[0].reshape(3, -1), ratios[1].reshape(len(ratios[1]), 3, -1)


Kept = dict[tuple[int, ...], float]


def shares_by_loops(predicted: list, reference: list, parents: list, kinds: list) -> list[Kept]:
    """Precision and recall, by case, rater and level, where they are defined."""

    def augmented(nodes: list[int]) -> set[int]:
        out: set[int] = set()
        for node in nodes:
            while node >= 0 and node not in out:
                out.add(node)
                node = parents[node]
        return out

    precision, recall = {}, {}
    for case, (lists, true) in enumerate(zip(predicted, reference, strict=True)):
        c = augmented(true)
        for rater, nodes in enumerate(lists):
            c_hat = augmented(nodes)
            for level in range(-1, 4):
                of_level = [{n for n in s if level < 0 or min(kinds[n], 3) == level} for s in (c & c_hat, c_hat, c)]
                shared, said, held = map(len, of_level)
                if said:
                    precision[case, rater, level] = shared / said
                if held:
                    recall[case, rater, level] = shared / held
    return [precision, recall]


def hdf1_by_loops(shares: list[Kept], resamples: list[list[int]]) -> list[float]:
    """Of each resample of the cases, by rater and level."""
    values = []
    for cases in resamples:
        for rater in range(RATERS):
            for level in range(-1, 4):
                means = []
                for part in shares:
                    total = count = 0
                    for case in cases:
                        one = part.get((case, rater, level))
                        if one is not None:
                            total += one
                            count += 1
                    means.append(total / count)
                values.append(2 * means[0] * means[1] / (means[0] + means[1]) if sum(means) else 0.0)
    return values


def scores_by_loops(distances: list) -> Kept:
    score = {}
    for case, lists in enumerate(distances):
        for rater, row in enumerate(lists):
            above = below = 0.0
            for rank, d in enumerate(row, 1):
                weight = (6 - rank) / 5
                above += weight * (5 - d) ** 2
                below += weight
            score[case, rater] = 2 * above / below / 16 - 1
    return score


def aggregates_by_loops(score: Kept, resamples: list[list[int]]) -> list[float]:
    """The three aggregates of each resample of the cases, by rater."""
    values = []
    for cases in resamples:
        for k, x0 in SETTINGS.values():
            for rater in range(RATERS):
                above = below = 0.0
                for case in cases:
                    s = score[case, rater]
                    weight = 1 / (1 + 2.718281828459045 ** (k * (s - x0)))
                    above += weight * s
                    below += weight
                values.append(above / below)
    return values


def timed(work: Any) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def scaled_up(
    per_case: Callable[[], Any], of_resamples: Callable[[Any, list], list[float]], cases: int
) -> tuple[float, list[float]]:
    """Seconds of loops over all cases and resamples from those over a few of each, and the values of these."""
    generator = np.random.default_rng(0)
    resamples = [generator.integers(0, LOOP_CASES, LOOP_CASES).tolist() for _ in range(LOOP_REPEATS)]
    kept = per_case()
    values = of_resamples(kept, [list(range(LOOP_CASES)), *resamples])
    once = best_of(per_case, 2, time.process_time)
    each = best_of(lambda: of_resamples(kept, resamples), 2, time.process_time) / LOOP_REPEATS
    return (once + each * REPEATS) * cases / LOOP_CASES, values


def peer(name: str) -> Any:
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        print(f"{name.partition('.')[0]} is not installed: no comparison with it")
        return None
    warnings.simplefilter("ignore")
    return importlib.import_module(name)


def against_hiclass(predicted: np.ndarray, reference: np.ndarray, paths: Paths) -> Row | None:
    """Precision and recall, macro-averaged, of one rater; the rest of a level is no part of hiclass."""
    metrics = peer("hiclass.metrics")
    if metrics is None:
        return None
    said, true = predicted[:PEER_CASES, :1], reference[:PEER_CASES]
    names = [np.moveaxis(paths.nodes[:, nodes], 0, -1).astype(str) for nodes in (true, said[:, 0])]
    y_true, y_pred = (np.where(part == "-1", "", part) for part in names)
    width = max(y_true.shape[1], y_pred.shape[1])
    y_true, y_pred = (
        np.pad(part, ((0, 0), (0, width - part.shape[1]), (0, 0)), constant_values="") for part in (y_true, y_pred)
    )
    theirs, (p, r) = timed(lambda: [f(y_true, y_pred, average="macro") for f in (metrics.precision, metrics.recall)])
    ours, found = timed(lambda: overlap(said, true, paths))
    assert np.allclose([found.precision[:, 0, 0].mean(), found.recall[:, 0, 0].mean()], [p, r]), "hiclass differs"
    return Row(f"hierarchical P and R, {PEER_CASES:,} cases", "s", ours, "hiclass", theirs, 1.0)


def against_ranx(hits: np.ndarray) -> Row | None:
    """Hit rate at 5; ranx gets its own structures made beforehand, and a first call to compile."""
    ranx = peer("ranx")
    if ranx is None:
        return None
    documents = [[f"d{i}" for i in range(hits.shape[1])]] * len(hits)
    truth = {
        str(i): {d: 1 for d, hit in zip(row, found, strict=True) if hit} or {"none": 1}
        for i, (row, found) in enumerate(zip(documents, hits.tolist(), strict=True))
    }
    run = {str(i): {d: 1.0 / (rank + 1) for rank, d in enumerate(row)} for i, row in enumerate(documents)}
    qrels, ranked = ranx.Qrels(truth), ranx.Run(run)
    ranx.evaluate(qrels, ranked, "hit_rate@5")
    theirs, value = timed(lambda: ranx.evaluate(qrels, ranked, "hit_rate@5"))
    ours, mine = timed(lambda: top_k_accuracy(hits, 5))
    assert np.isclose(mine, value), "ranx differs"
    return Row(f"top-5 accuracy, {len(hits):,} cases", "s", ours, "ranx", theirs, 1.0)


@threadpool_limits.wrap(limits=1)
def rows(scale: str = "full") -> Iterator[Row]:
    """At the short scale fewer cases, of which the loops see as many; hiclass and ranx compile or are slow, so not there."""
    cases, repeats = (CASES, REPEATS) if scale == "full" else (5_000, REPEATS)
    tree, paths = opened("icd10cm")
    predicted, reference = drawn(cases, tree)
    distances = np.random.default_rng(1).integers(1, 6, (cases, RATERS, K)).astype(np.int8)
    few = slice(0, LOOP_CASES)

    lists = predicted[few].tolist(), reference[few].tolist(), tree.parents.tolist(), tree.kinds.tolist()
    looped, values = scaled_up(lambda: shares_by_loops(*lists), hdf1_by_loops, cases)
    ours = hierarchical(overlap(predicted[few], reference[few], paths), LOOP_REPEATS)
    assert np.allclose(values, np.concatenate([part.ravel() for part in ours])), "loops and kernels differ"
    seconds = best_of(lambda: hierarchical(overlap(predicted, reference, paths), repeats), 2, time.process_time)
    size = f"{cases:,} cases x {RATERS} raters x {K} diagnoses, {repeats:,} resamples"
    yield Row(f"HDF1 by level, {size}", "s", seconds, "Python loops", looped, MARK)

    looped, values = scaled_up(lambda: scores_by_loops(distances[few].tolist()), aggregates_by_loops, cases)
    ours = aggregates(distances[few], LOOP_REPEATS)
    assert np.allclose(values, np.concatenate([part.ravel() for part in ours])), "loops and kernels differ"
    seconds = best_of(lambda: aggregates(distances, repeats), 2, time.process_time)
    yield Row(f"weighted aggregates, {size}", "s", seconds, "Python loops", looped, MARK)
    if scale == "full":
        severities = np.random.default_rng(2).integers(0, 6, (cases, RATERS, K))
        seconds, _ = timed(lambda: scores(severity_distances(severities[:, :1, :1], severities)))
        yield Row("severity distances and scores", "s", seconds)
        for row in (
            against_hiclass(predicted, reference, paths),
            against_ranx(predicted[:, 0] == reference[:, :1]),
        ):
            if row is not None:
                yield row


def main() -> None:
    show(rows())


if __name__ == "__main__":
    main()
