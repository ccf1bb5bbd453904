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
from pathlib import Path

import numpy as np

from dxmatch.files.pairs import Pairs, read_pairs
from dxmatch.files.reading import PairColumns, Reading
from dxmatch.matcher.match_function import load
from dxmatch.recipe.plain_words import MATCHES, NOT_UNDERSTOOD, read_plain_words
from dxmatch.training.options import LabelRules
from dxmatch.training.statistics.split import Groups, held_out
from dxmatch.training.statistics.threshold import MAX_F1, choose_threshold
from dxmatch.training.train import train
from dxmatch.votes.prompts.files import PROMPTS

from .names import DATA
from .rivals import Scored, Verdicts, by_kind, compare, minilm_cosines, ratios

ROOT = Path(__file__).resolve().parents[2]
FEWEST_VOTES = 3
RIVALS = ("dxmatch", "token_set_ratio", "all-MiniLM-L6-v2 cosine")
GPT4 = "one vote of GPT-4"


def plain_words(thresholds: Mapping[str, float]) -> None:
    """The shipped model and its rivals on pairs in plain words, which none was trained on; with the first errors."""
    words, shipped = read_plain_words(ROOT / "tests" / "data" / "plain_words.csv"), load()
    kept = [i for i, expected in enumerate(words.expected) if expected != NOT_UNDERSTOOD]
    a, b, kinds, expected = ([of[i] for i in kept] for of in (words.a, words.b, words.kind, words.expected))
    match = np.isin(expected, list(MATCHES))
    normal = [shipped.providers.naming(side) for side in (a, b)]
    at = thresholds | {"dxmatch": shipped.threshold}
    scores = {
        "dxmatch": np.nan_to_num(shipped.probabilities(a, b)),
        "token_set_ratio": ratios(*normal),
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
        "token_set_ratio": _seconds(lambda: ratios(*normal)),
        "all-MiniLM-L6-v2 cosine": _seconds(lambda: minilm_cosines(*normal)) - loading,
    }
    for name, seconds in taken.items():
        print(f"{name}: {seconds * 1e6 / len(pairs):,.1f} ms for 1,000 pairs ({len({*a, *b}):,} names, {len(pairs):,} pairs)")  # fmt: skip
    for version in ("vote-1", "vote-2"):
        asked = [PROMPTS[version].messages(x, y) for x, y in zip(a, b, strict=True)]
        read = [sum(len(one["content"]) / 3.5 + 8 for one in messages) for messages in asked]  # as a plan guesses
        print(f"a vote by the prompt {version}: {1000 * np.mean(read):,.0f} tokens read for 1,000 pairs, 1,000 or so written")  # fmt: skip


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
