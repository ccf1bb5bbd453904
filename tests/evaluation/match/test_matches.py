"""M against the right answers, between raters, on first diagnoses: against plain loops, and each pair asked once."""

from __future__ import annotations

import warnings
from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import ModelError, NotUnderstoodWarning
from dxmatch.evaluation.match.matches import match
from dxmatch.evaluation.read.lists import Lists, panels
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.evaluation.score.agreement import categories_of

from ..made import By, SetMatcher, framed, lists_of

WORDS = ["asthma", "copd", "angina", "gout", "Gout", "none"]
FAMILIES = ("relative", "ranking", "recall", "hierarchical", "agreement")


def shared_letters(x: str, y: str) -> float:
    return 1.0 if x == y else min(0.9, len(set(x) & set(y)) / 2)


def matched(cases: Any, m: Any, max_k: int = 3, families: Any = FAMILIES, **options: Any) -> Any:
    return match(cases if isinstance(cases, Lists) else lists_of(cases), m, families, max_k, **options)


lists = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
drawn_cases = st.lists(st.tuples(lists, lists, lists, lists), min_size=1, max_size=6)


@settings(deadline=None, max_examples=60)
@given(drawn_cases, st.integers(1, 5), st.booleans())
def test_equal_to_plain_loops_and_each_pair_asked_once(drawn, k, directed):
    """Also of a policy that looks one way: (right answer, diagnosis) there, the better of both ways between raters."""

    def probability(x: str, y: str) -> float:
        return shared_letters(x, y) * (0.5 if directed and x > y else 1.0)

    cases = {f"c{i}": dict(zip(("A", "X", "Y", "truth"), lists, strict=True)) for i, lists in enumerate(drawn)}
    answers, m = lists_of(cases), Ordered(probability)
    m.policy = "narrower-counts" if directed else "specification"
    found = matched(answers, m, k, panels=panels(answers))
    right, peers, first = found.references, found.peers, found.first
    wanted: set[tuple[str, str]] = set()

    def says(x: str, y: str) -> float:
        wanted.add((x, y) if directed else (min(x, y), max(x, y)))
        return 1.0 if x == y else m.probability(*((x, y) if directed else (min(x, y), max(x, y))))

    def peers_say(x: str, y: str) -> float:
        return max(says(x, y), says(y, x))

    assert (right is None) == all(set(case["truth"]) == {"none"} for case in cases.values())
    compared = dict(enumerate(np.concatenate([block for _, block in peers.compared()])))
    met = dict(enumerate(np.concatenate([block for _, block in first.compared()])))
    pair_of = {pair: at for at, pair in enumerate(zip(first.first.tolist(), first.second.tolist(), strict=True))}
    pairs = list(zip(peers.first.tolist(), peers.second.tolist(), strict=True))
    for i, case in enumerate(answers.cases):
        truth = list(dict.fromkeys(text for text in cases[case]["truth"] if text != "none"))
        said = [cases[case][rater] for rater in answers.raters]
        for j, listed in enumerate(said):
            for rank, d in product(
                range(0 if right is None else right.said.shape[2]), range(0 if right is None else right.given.shape[1])
            ):
                there = rank < len(listed) and listed[rank] != "none" and d < len(truth)
                value = says(truth[d], listed[rank]) if there else np.nan
                np.testing.assert_allclose(right.probabilities[i, j, rank, d], value, rtol=1e-6)
                assert right.hits[i, j, rank, d] == (there and value >= 0.5) and not right.distance.any()
        for (one, other), table in zip(pairs, compared[i], strict=True):
            for p, q in product(range(k), repeat=2):
                there = all(at < len(said[r]) and said[r][at] != "none" for r, at in ((one, p), (other, q)))
                assert table[p, q] == (there and peers_say(said[one][p], said[other][q]) >= 0.5)
        for one, other in combinations(range(len(said)), 2):
            there = said[one][0] != "none" and said[other][0] != "none"
            assert met[i][pair_of[one, other], 0, 0] == (there and peers_say(said[one][0], said[other][0]) >= 0.5)
    assert len(m.asked) == len(set(m.asked))
    assert set(m.asked) == wanted


class Ordered(By):
    """Notes the pairs in the order that they were asked in."""

    def probabilities(self, a, b):
        self.asked += zip(a, b, strict=True)
        return np.array([1.0 if x == y else float(self.probability(x, y)) for x, y in zip(a, b, strict=True)])


def test_of_a_long_list_the_first_hundred_are_looked_at():
    cases = {f"c{i}": {"A": ["gout"], "B": ["copd"], "truth": ["asthma", "mi"]} for i in range(20)}
    cases["c7"]["A"] = [f"disease {i}" for i in range(99)] + ["heart attack"] + [f"disease {i}" for i in range(3000)]
    made = matched(cases, SetMatcher(("heart attack", "mi")))
    assert np.argwhere(made.references.hits).tolist() == [[7, 0, 99, 1]]
    assert [one.count for one in made.findings if one.kind == "lengths"] == [1]


def test_chunks_and_order_of_rows_change_nothing(monkeypatch):
    from dxmatch.evaluation.match import pairs

    generator = np.random.default_rng(4)
    cases = {
        f"c{i:02d}": {rater: generator.choice(WORDS, 3).tolist() for rater in ("A", "X", "Y", "truth")}
        for i in generator.permutation(30)
    }
    whole, parts = By(shared_letters), By(shared_letters)
    one = matched(cases, whole)
    monkeypatch.setattr(pairs, "_CELLS_PER_BLOCK", 6)
    other = matched(dict(reversed(cases.items())), parts)
    assert max(parts.calls) == 3 < max(whole.calls) and whole.asked == parts.asked
    np.testing.assert_array_equal(one.references.probabilities, other.references.probabilities[::-1])


def test_categories_join_chains_and_spellings():
    """a-b and b-c in cases of their own: a and c are in one category, which nothing but the chain says."""
    cases = {
        "one": {"A": ["a"], "X": ["b"], "Y": ["none"]},
        "two": {"A": ["b"], "X": ["c"], "Y": ["B "]},
        "three": {"A": ["a"], "X": ["c"], "Y": ["d"]},
    }
    first = matched(cases, SetMatcher(("a", "b"), ("b", "c"), ("b", "B"))).first
    assert first is not None
    found = categories_of(first)
    of = found.of
    assert len({*of[:, :2].ravel().tolist(), of[1, 2]}) == 1 and of[0, 2] == -1 and of[2, 2] != of[2, 0]
    assert (found.count, found.agreements, found.chained) == (2, 5, 2)


def test_relations_are_asked_of_final_diagnoses_alone():
    """And not of matches."""
    rows = framed({"one": {"A": ["gout", "copd", "mi"], "truth": ["mi", "asthma"]}})
    m, related = By(), []

    def relations(a, b):
        related.extend(zip(a, b, strict=True))
        return SimpleNamespace(kinds=["related"] * len(a), semantic_distance=np.full(len(a), 4))

    m.relations = relations  # type: ignore[attr-defined]
    made = matched(read_lists(pd.concat([rows, rows.iloc[[3]].assign(role="final")])), m, families=["ranking"])
    assert related == [("mi", "copd"), ("mi", "gout")] and not made.references.distance.any()
    assert made.of_final.references.distance[0, 0, :, 0].tolist() == [4, 4, 0]


def test_nobody_is_asked_for_what_nobody_needs():
    cases = {"one": {"A": ["gout"], "X": ["copd"], "Y": ["mi"], "truth": ["asthma"]}}
    votes = By()
    votes.rests_on_votes = True  # type: ignore[attr-defined]
    made = matched(cases, votes, families=["weighted"])
    assert not votes.asked and made.references is made.case_table is made.peers is made.first is made.codes is None
    # where nothing is paid for a pair, the table of cases is there all the same
    assert matched(cases, By(), families=["weighted"]).case_table is not None
    assert matched({"one": {"A": ["gout"], "X": ["copd"]}}, By(), families=["weighted"]).references is None


@pytest.mark.parametrize("answer", [[0.5], [1.5] * 6, [np.nan] * 6])
def test_an_m_that_gives_something_else_is_refused(answer):
    m = SimpleNamespace(threshold=0.5, probabilities=lambda a, b: np.array(answer))
    with pytest.raises(ModelError):
        matched({"one": {"A": ["a", "b", "c"], "truth": ["d", "e"]}}, m)


def test_what_m_does_not_understand_and_reads_otherwise_is_found():
    class Careful(By):
        def probabilities(self, a, b):
            warnings.warn("not understood", NotUnderstoodWarning, stacklevel=2)
            unscored = [("zzt" in x or "zzt" in y) and x != y for x, y in zip(a, b, strict=True)]
            return np.where(unscored, np.nan, super().probabilities(a, b))

        def not_understood(self, texts):
            return {text: "gibberish" for text in texts if "zzt" in text}

        def read_as(self, texts):
            return {text: (("ashtma", "asthma"),) for text in texts if text == "ashtma"}

    cases = {
        "one": {"A": ["zzt", "ashtma"], "truth": ["zzt one", "gout"]},
        "two": {"A": ["zzt"], "truth": ["zzt"]},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = matched(cases, Careful())
    assert made.references.probabilities[0, 0, 0, 0] == 0 and made.references.hits[1, 0, 0, 0], "the same words"
    found = {one.kind: (one.count, one.example) for one in made.findings}
    assert found["not_understood"] == (2, "'zzt' (gibberish), 'zzt one' (gibberish)")
    assert found["spelling"] == (1, "'ashtma' as 'asthma'")


def test_a_verdict_is_that_of_the_full_precision():
    """0.7 as float32 is above 0.7: the threshold is held against what M gave."""
    near = By(lambda x, y: 0.7)
    near.threshold = 0.7000000001
    found = matched({"one": {"A": ["a"], "truth": ["b"]}}, near)
    assert found.references is not None and not found.references.hits.any() and found.m.threshold == near.threshold
