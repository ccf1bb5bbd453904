"""M, a string ratio, MiniLM and one vote of GPT-4 on the same pairs of references that M has not seen.

    python -m tests.bench head-to-head

The labels are the majority of GPT-4's votes on a pair (CRAFT-MD), so GPT-4 agrees with them by construction. What can be
said of it is how often one of its votes differs from the majority of its other votes on the same pair: so only pairs with
three votes or more are here, and its row tells how far anything can get that is measured by such labels. Split, thresholds
and rivals are those of `accuracy`; then all but GPT-4 on `plain_words.csv`, kind by kind, with the errors.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rapidfuzz import fuzz
from rich.console import Console
from rich.table import Table

from dxmatch.endpoints.prices import estimated_tokens
from dxmatch.files.pair_columns import PairColumns
from dxmatch.files.pairs import Pairs, read_pairs
from dxmatch.files.reading import Reading
from dxmatch.matcher.match_function import load
from dxmatch.recipe.plain_words import MATCHES, NOT_UNDERSTOOD, read_plain_words
from dxmatch.stats.resampling import group_draws
from dxmatch.training.options import LabelRules
from dxmatch.training.statistics.measure import average_precision
from dxmatch.training.statistics.split import Groups, held_out
from dxmatch.training.statistics.threshold import MAX_F1, choose_threshold
from dxmatch.training.train import train
from dxmatch.votes.prompts.versions import PROMPTS

from .accuracy import DATA, Scored, minilm_cosines

FEWEST_VOTES, REPEATS, SEED = 3, 1000, 0
RIVALS = ("dxmatch", "token_set_ratio", "all-MiniLM-L6-v2 cosine")
GPT4 = "one vote of GPT-4"


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
    """One row for each rival, with what it has more or less than dxmatch; intervals over the same resamples of references."""
    measures = ("accuracy", "F1", "average precision")
    draws = group_draws(len(groups.names), REPEATS, SEED)[:, groups.code].astype(float)
    table = Table(title, *measures)
    said = {n: (of.values(label, np.ones((1, len(label)))), of.values(label, draws)) for n, of in verdicts.items()}
    first_point, first_resampled = said[RIVALS[0]]
    for name, (point, resampled) in said.items():
        cells = []
        for measure in measures:
            if measure not in point:
                cells.append("–")
                continue
            cell = f"{point[measure][0]:.3f} {_interval(resampled[measure])}"
            if name != RIVALS[0]:
                less = f"{point[measure][0] - first_point[measure][0]:+.3f}"
                cell += f"\n  {less} {_interval(resampled[measure] - first_resampled[measure], '+')}"
            cells.append(cell)
        table.add_row(name, *cells)
    Console(width=120).print(table)
    print(f"{len(label):,} pairs of {len(groups.names):,} references, {int(label.sum()):,} matches.\n")


def _interval(resampled: np.ndarray, sign: str = "") -> str:
    low, high = np.nanquantile(resampled, [0.025, 0.975])
    return f"[{low:{sign}.3f}, {high:{sign}.3f}]"


def by_kind(title: str, kinds: list[str], right: Mapping[str, np.ndarray]) -> None:
    """right : for each rival float64[n], how right it is on each pair."""
    table = Table(title, "pairs", *right)
    for kind in sorted(set(kinds)):
        rows = np.array([one == kind for one in kinds])
        table.add_row(kind, str(int(rows.sum())), *(f"{of[rows].mean():.0%}" for of in right.values()))
    Console(width=120).print(table)


def plain_words(thresholds: Mapping[str, float]) -> None:
    """The shipped model and its rivals on pairs in plain words, which none was trained on; with the first errors."""
    words, shipped = read_plain_words(), load()
    kept = [i for i, expected in enumerate(words.expected) if expected != NOT_UNDERSTOOD]
    a, b, kinds, expected = ([of[i] for i in kept] for of in (words.a, words.b, words.kind, words.expected))
    match = np.isin(expected, list(MATCHES))
    normal = [shipped.providers.naming(side) for side in (a, b)]
    at = thresholds | {"dxmatch": shipped.threshold}
    scores = {
        "dxmatch": np.nan_to_num(shipped.probabilities(a, b)),
        "token_set_ratio": _ratios(*normal),
        "all-MiniLM-L6-v2 cosine": minilm_cosines(*normal),
    }
    right = {name: (scores[name] >= at[name]) == match for name in RIVALS}
    by_kind("Plain words: right, by kind", kinds, right)
    for name, of in right.items():
        print(f"{name}: {of.mean():.3f} of {len(of)} right, at {at[name]:.3f}")
        for kind in sorted(set(kinds)):
            wrong = [i for i, one in enumerate(kinds) if one == kind and not of[i]][:3]
            print(f"  {kind}: " + "; ".join(f"{a[i]} / {b[i]} ({scores[name][i]:.2f})" for i in wrong))


def per_thousand(pairs: Pairs) -> None:
    """Seconds for 1,000 pairs, names prepared too, and the tokens that a language model would read and write."""
    m = load()
    m.probabilities(["gout"], ["gouty arthritis"])
    a, b = pairs.a.to_pylist(), pairs.b.to_pylist()
    normal = [m.providers.naming(side) for side in (a, b)]
    loading = _seconds(lambda: minilm_cosines(["gout"], ["gouty arthritis"]))
    taken = {
        "dxmatch": _seconds(lambda: load().probabilities(a, b)),
        "token_set_ratio": _seconds(lambda: _ratios(*normal)),
        "all-MiniLM-L6-v2 cosine": _seconds(lambda: minilm_cosines(*normal)) - loading,
    }
    for name, seconds in taken.items():
        print(f"{name}: {seconds * 1e6 / len(pairs):,.1f} ms for 1,000 pairs ({len({*a, *b}):,} names, {len(pairs):,} pairs)")  # fmt: skip
    for version in ("vote-1", "vote-2"):
        read = [estimated_tokens(PROMPTS[version].messages(x, y)) for x, y in zip(a, b, strict=True)]
        print(f"a vote by the prompt {version}: {1000 * np.mean(read):,.0f} tokens read for 1,000 pairs, 1,000 or so written")  # fmt: skip


def _ratios(a: list[str], b: list[str]) -> np.ndarray:
    return np.array([fuzz.token_set_ratio(x, y) for x, y in zip(a, b, strict=True)]) / 100


def _seconds(work: Callable[[], object]) -> float:
    """Of processor time: a busy machine does not count."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    source = DATA / "craft_md_pairs.csv"
    if not source.is_file():
        print(f"skipped: no real data at {DATA} (set DXMATCH_DATA)")
        return
    columns = {"a": "expert", "b": "algorithm", "label": "label"}
    with tempfile.TemporaryDirectory() as folder:
        rejects = Path(folder) / "rejects.csv"
        m = train(
            source,
            columns=PairColumns(**columns),
            labels=LabelRules(contained="set-aside"),
            reading=Reading(rejects=rejects),
        )
        pairs = read_pairs(source, **columns, soft="vote_share", rejects=rejects)
    scored = Scored.of(m, pairs)
    test = held_out(Groups.of(scored.group), 0.2, seed=0)
    kind_and_class = scored.contained & (scored.label == 0)
    seen = ~test & ~kind_and_class & ~scored.identical
    thresholds = {"dxmatch": m.threshold} | {
        name: choose_threshold(scored.scores[name][seen], scored.label[seen], MAX_F1) for name in RIVALS[1:]
    }
    votes = np.array(pairs.table.column("n_votes"), np.int64)
    assert pairs.soft is not None
    asked = test & ~scored.identical & (votes >= FEWEST_VOTES)
    for title, rows in {
        f"Held out, that differ, {FEWEST_VOTES} votes or more": asked,
        "The same, non-matches of kind and class set aside": asked & ~kind_and_class,
    }.items():
        label = scored.label[rows]
        verdicts = {n: Verdicts.at(scored.scores[n][rows], thresholds[n], label) for n in RIVALS}
        verdicts[GPT4] = Verdicts.of_one_vote(pairs.soft[rows], votes[rows])
        group = [name for name, kept in zip(scored.group, rows, strict=True) if kept]
        compare(title, label, Groups.of(group), verdicts)
        chosen = pairs.take(rows)
        relations = m.relations(chosen.a, chosen.b).kinds
        kinds = [f"{'match' if y else 'no match'}: {relation}" for relation, y in zip(relations, label, strict=True)]
        by_kind("Right, by kind", kinds, {name: said.right for name, said in verdicts.items()})
    plain_words(thresholds)
    per_thousand(pairs.take(test))


if __name__ == "__main__":
    main()
