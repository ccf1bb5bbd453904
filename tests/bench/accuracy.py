"""A match function trained here, beside a string score, an embedding and a vote of GPT-4, on references that none of them saw.

    python -m tests.bench accuracy          # with the silver pairs, where `make encoder` has left the encoder for them
    python -m tests.bench head-to-head      # without them

Trains on the real labelled pairs (`DXMATCH_DATA`) as the shipped model is trained, holds out a fifth of the references, and gives
each rival its best threshold on the training references. The labels are the majority of GPT-4's votes, so
GPT-4 agrees with them by construction: what can be said of it is how often one of its votes differs from the majority of its others,
so only pairs with three votes or more are beside it. Then the shipped model and the rivals on pairs of other kinds and specialties
(`second_test.csv`, `plain_words.csv`), how often `icd` finds the category of a name, and what 1,000 pairs cost.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

import dxmatch
from dxmatch import LabelRules, PairColumns, Reading, load, train
from dxmatch.files.pairs import Pairs, read_pairs
from dxmatch.recipe.plain_words import MATCHES, NOT_UNDERSTOOD, read_plain_words
from dxmatch.recipe.shipped import pool_of, silver_extra
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.statistics.split import Groups, held_out
from dxmatch.training.statistics.threshold import MAX_F1, choose_threshold
from dxmatch.votes.prompts.files import PROMPTS

from ..case_table import rows_of
from .measure import timed
from .names import DATA
from .rivals import Scored, Verdicts, by_kind, compare, minilm_cosines, ratios

ROOT = Path(__file__).resolve().parents[2]
KEPT_BACK = ROOT / "out" / "encoder-kept-back"
FEWEST_VOTES = 3
Thresholds = Mapping[str, float]
"""Of each name in `Scored.scores`; dxmatch first."""


def show(
    title: str, scored: Scored, rows: np.ndarray, thresholds: Thresholds, kinds: list[str], **more: Verdicts
) -> None:
    """kinds : of each pair, for a second table; none where it is empty. more : of the chosen rows."""
    label = scored.label[rows]
    said = {
        f"{name} ({at:.3f})": Verdicts.at(scored.scores[name][rows], at, label) for name, at in thresholds.items()
    } | more
    compare(title, label, Groups.of([name for name, kept in zip(scored.group, rows, strict=True) if kept]), said)
    if kinds:
        chosen = [kind for kind, kept in zip(kinds, rows, strict=True) if kept]
        by_kind("Right, by kind", chosen, {name: one.right for name, one in said.items()})


def plain_words(thresholds: Thresholds) -> None:
    """With the first errors of each kind."""
    words, shipped = read_plain_words(ROOT / "tests" / "data" / "plain_words.csv"), load()
    kept = [i for i, expected in enumerate(words.expected) if expected != NOT_UNDERSTOOD]
    a, b, kinds, expected = ([of[i] for i in kept] for of in (words.a, words.b, words.kind, words.expected))
    match, scores = np.isin(expected, list(MATCHES)), Scored.scores_of(shipped, a, b)
    right = {name: (scores[name] >= at) == match for name, at in thresholds.items()}
    by_kind("Plain words: right, by kind", kinds, right)
    for name, of in right.items():
        print(f"{name}: {of.mean():.3f} of {len(of)} right")
        for kind in sorted(set(kinds)):
            wrong = [i for i, one in enumerate(kinds) if one == kind and not of[i]][:3]
            print(f"  {kind}: " + "; ".join(f"{a[i]} / {b[i]}" for i in wrong))


def icd_categories() -> None:
    """Orphadata's names with an exact code: how often `icd` gives its category, and has it among 15 candidates."""
    exact = {row["name"]: row["icd10"][:3] for row in rows_of(DATA / "orphadata_icd10.csv") if row["relation"] == "E"}
    mapped = dxmatch.icd(pa.table({"diagnosis": list(exact)}), k=15).to_pylist()
    first = [(row["icd10"] or "")[:3] == code for row, code in zip(mapped, exact.values(), strict=True)]
    among = [
        code in {one["code"][:3] for one in row["candidates"]} for row, code in zip(mapped, exact.values(), strict=True)
    ]
    print(f"ICD-10 category of {len(exact):,} names: right {np.mean(first):.3f}, among 15 {np.mean(among):.3f}.")


def per_thousand(pairs: Pairs) -> None:
    """Seconds of the processor for 1,000 pairs, names prepared too, and the tokens that a language model would read."""
    m = load()
    m.probabilities(["gout"], ["gouty arthritis"])
    a, b = pairs.a.to_pylist(), pairs.b.to_pylist()
    normal = [m.providers.naming(side) for side in (a, b)]
    loading = timed(lambda: minilm_cosines(["gout"], ["gouty arthritis"]))[0]
    taken = {
        "dxmatch": timed(lambda: load().probabilities(a, b))[0],
        "token_set_ratio": timed(lambda: ratios(*normal))[0],
        "all-MiniLM-L6-v2 cosine": timed(lambda: minilm_cosines(*normal))[0] - loading,
    }
    for name, seconds in taken.items():
        print(
            f"{name}: {seconds * 1e6 / len(pairs):,.1f} ms for 1,000 of {len(pairs):,} pairs ({len({*a, *b}):,} names)"
        )
    for version in ("vote-1", "vote-2"):
        asked = [PROMPTS[version].messages(x, y) for x, y in zip(a, b, strict=True)]
        read = [sum(len(one["content"]) / 3.5 + 8 for one in messages) for messages in asked]  # as a plan guesses
        print(f"a vote by the prompt {version}: {1000 * np.mean(read):,.0f} tokens read for 1,000 pairs")


def main(silver: bool = True) -> None:
    source = DATA / "craft_md_pairs.csv"
    if not source.is_file():
        print(f"skipped: no real data at {DATA} (set DXMATCH_DATA)")
        return
    columns = {"a": "expert", "b": "algorithm", "label": "label"}
    with tempfile.TemporaryDirectory() as folder:
        reading, extra = Reading(rejects=Path(folder) / "rejects.csv"), None
        if silver and KEPT_BACK.is_dir():
            extra = silver_extra(pool_of(DATA, Normalizer()), KEPT_BACK, load().providers.graph, Path(folder))
        labels = LabelRules(contained="set-aside", extra=extra)
        m = train(source, columns=PairColumns(**columns), labels=labels, reading=reading)
        pairs = read_pairs(source, **columns, soft="vote_share", rejects=reading.rejects)
    print(f"Trained {'without' if extra is None else 'with'} silver pairs.")
    scored = Scored.of(m, pairs)
    test, differ = held_out(Groups.of(scored.group), 0.2, seed=0), ~scored.identical
    kept = ~(scored.contained & (scored.label == 0))
    seen = ~test & kept & differ
    thresholds = {name: choose_threshold(of[seen], scored.label[seen], MAX_F1) for name, of in scored.scores.items()}
    thresholds["dxmatch"] = m.threshold
    votes = np.array(pairs.table.column("n_votes"), np.int64)
    assert pairs.soft is not None
    relations = m.relations(pairs.a, pairs.b).kinds
    kinds = [f"{'match' if y else 'no match'}: {one}" for one, y in zip(relations, scored.label, strict=True)]
    asked = test & differ & (votes >= FEWEST_VOTES)
    for title, rows in {
        "Held out, all pairs": test,
        "Held out, pairs that differ": test & differ,
        "Held out, pairs that differ, non-matches of kind and class set aside": test & differ & kept,
        f"Held out, that differ, {FEWEST_VOTES} votes or more": asked,
        "The same, non-matches of kind and class set aside": asked & kept,
    }.items():
        gpt4 = (
            {"one vote of GPT-4": Verdicts.of_one_vote(pairs.soft[rows], votes[rows])}
            if not (rows & ~asked).any()
            else {}
        )
        show(title, scored, rows, thresholds, kinds if gpt4 else [], **gpt4)
    second, shipped = read_pairs(ROOT / "tests" / "data" / "second_test.csv", label="label"), load()
    thresholds["dxmatch"] = shipped.threshold
    of_second = Scored.of(shipped, second)
    show("Second test, pairs that differ", of_second, ~of_second.identical, thresholds, second.table.column("kind"))
    plain_words(thresholds)
    icd_categories()
    per_thousand(pairs.take(test))
