"""What is made of labels before anything is learned: two labels of one pair, names within names, names not understood, experts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.providers import Providers
from dxmatch.files.pairs import Pairs, read_pairs
from dxmatch.matcher.batch import Batch, PairModel
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.labelled import (
    agreement_of,
    agreement_words,
    contained,
    contained_warning,
    decide_conflicts,
    expert_agreement,
    treat_contained,
    understood_pairs,
)

from ..small_vocabulary import small_vocabulary


def read(*rows: tuple[str, str, int], soft: str | None = None, **columns: list[float]) -> tuple[Pairs, Batch]:
    """Pairs, and what training makes of them first: here without a column."""
    data = pd.DataFrame(rows, columns=["a", "b", "label"]).assign(**columns)
    pairs = read_pairs(data, label="label", soft=soft, on_conflict="majority")
    naming = Naming(Normalizer(), None, small_vocabulary())
    return pairs, PairModel(FeatureSet("none", "en", ()), Providers(naming), judge_all=True).batch(pairs.a, pairs.b)


@pytest.mark.parametrize(
    ("rule", "labels", "kept", "facts"),
    [
        ("majority", "110", [0, 1], {"pairs": 1, "decided": 1, "rows": 1}),
        ("majority", "100", [1, 2], {"pairs": 1, "decided": 1, "rows": 1}),
        ("majority", "10", [], {"pairs": 1, "decided": 0, "rows": 2}),
        ("drop", "110", [], {"pairs": 1, "decided": 0, "rows": 3}),
        ("majority", "11", [0, 1], {"pairs": 0, "decided": 0, "rows": 0}),
    ],
)
def test_a_pair_with_two_labels(rule: str, labels: str, kept: list[int], facts: dict[str, int]) -> None:
    """The same pair in either order, in another spelling of the same words; and one that is not divided."""
    sides = [("Heart-attack", "MI"), ("mi", "heart attack"), ("HEART  ATTACK", "(MI)")]
    rows = [(*side, int(label)) for side, label in zip(sides, labels, strict=False)]
    out, batch, found, told = decide_conflicts(*read(*rows, ("gout", "flu", 0)), rule)
    assert out.row.tolist() == [*kept, len(labels)] and len(batch) == len(out) and told == []
    assert found == {"rule": rule, **facts}


def test_two_labels_that_the_normaliser_finds_are_told() -> None:
    rows = [("gout", "asthma", 1), ("Asthma!", "(gout)", 0), ("mumps", "Mumps", 1), ("mumps!", "mumps", 0)]
    *_, told = decide_conflicts(*read(*rows), "refuse")
    assert told == ["Pairs that have two labels once their writing is normalised: 1 ('gout' and 'asthma')."]


def test_names_that_hold_one_another_and_their_vote_shares() -> None:
    rows = [("leukemia", "Acute Leukemia", 0), ("acute leukemia", "leukemia!", 1), ("leukemia", "LEUKEMIA", 0)]
    rows += [("acute leukemia", "chronic leukemia", 0), ("mumps", "measles", 1)]
    came, batch = read(*rows, soft="share", share=[0.2, 0.9, 0.0, 0.1, 0.8])
    assert contained(batch).tolist() == [True, True, True, False, False]
    pairs, _, found = treat_contained(came, batch, "match")
    assert pairs.soft is not None and pairs.soft.tolist() == [1, 0.9, 1, 0.1, 0.8]
    assert found == {"rule": "match", "pairs": 3, "matches": 1}


@pytest.mark.parametrize(("rule", "pairs", "matches", "told"), [
    ("keep", 100, 89, True), ("keep", 100, 11, True), ("keep", 100, 95, False), ("keep", 100, 5, False), ("keep", 19, 9, False),
    ("set-aside", 100, 60, False),
])  # fmt: skip
def test_a_mixed_rule_is_told(rule: str, pairs: int, matches: int, told: bool) -> None:
    said = contained_warning({"rule": rule, "pairs": pairs, "matches": matches})
    assert bool(said) == told
    assert not told or (
        f"Of {pairs} pairs" in said[0] and f"{pairs - matches} are labelled 0 and {matches} 1" in said[0]
    )


def test_what_is_not_understood_is_set_aside_and_named() -> None:
    rows = [("gout", "asthma"), ("gout", "Herzinfarkt"), ("5", "5"), ("gout, asthma", "none"), ("astma", "gout")]
    kept, _, warnings = understood_pairs(*read(*((a, b, 1) for a, b in rows)))
    assert kept.a.to_pylist() == kept.table.column("a") == ["gout", "5", "astma"]
    assert warnings == [
        "Pairs set aside, since a diagnosis is not understood: 2 of 5 ('Herzinfarkt': another language, or no words;"
        " 'gout, asthma': several diagnoses; 'none': no diagnosis)."
    ]
    with pytest.raises(InputError, match=r"no pair is left: in each of 1 a diagnosis is not understood \(another lang"):
        understood_pairs(*read(("gout", "Herzinfarkt", 1)))


def test_agreement_by_hand() -> None:
    """Three experts; votes 110, 11-, 0--, 000. Two votes or more: three pairs with N = 8 votes, N1 = 4, N0 = 4.

    D_o = (2 * 2 * 1 / 2 + 0 + 0) / 8 = 1/4; D_e = 2 * 4 * 4 / (8 * 7) = 4/7; alpha = 1 - 7/16.
    """
    got = expert_agreement(np.array([[1, 1, 0], [1, 1, -1], [0, -1, -1], [0, 0, 0]], np.int8))
    assert got == {
        "experts": 3, "votes_per_pair": 9 / 4, "judged_twice": 3, "unanimous": 2 / 3,
        "krippendorff_alpha": pytest.approx(9 / 16),
    }  # fmt: skip
    assert agreement_words(got) == (
        "3 experts, 2.2 votes a pair: unanimous on 67 % of 3 pairs, Krippendorff's alpha 0.56."
    )


def test_experts_of_several_files_agree_pair_by_pair() -> None:
    """The first pair has both, turned; of the second ben says both; the third has no label by name."""
    a, b = ["MI", "gout", "gout", "heart attack", "flu"], ["Heart attack", "flu", "flu", "mi", "asthma"]
    ballots = np.array([[1, -1], [-1, 1], [-1, 0], [-1, 0], [-1, -1]], np.int8)
    came, batch = read(*zip(a, b, [1] * 5, strict=True))
    got = agreement_of(replace(came, ballots=ballots), batch)
    assert got is not None and (got["judged_twice"], got["unanimous"], got["votes_per_pair"]) == (1, 0.0, 2.0)
    assert agreement_of(*read(("gout", "flu", 1))) is None
