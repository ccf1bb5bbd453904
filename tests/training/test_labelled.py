"""What is made of labels before anything is learned: names within names, names not understood, experts."""

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
    contained,
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


def test_names_that_hold_one_another_and_their_vote_shares() -> None:
    rows = [("leukemia", "Acute Leukemia", 0), ("acute leukemia", "leukemia!", 1), ("leukemia", "LEUKEMIA", 0)]
    rows += [("acute leukemia", "chronic leukemia", 0), ("mumps", "measles", 1)]
    came, batch = read(*rows, soft="share", share=[0.2, 0.9, 0.0, 0.1, 0.8])
    assert contained(batch).tolist() == [True, True, True, False, False]
    pairs, _, found = treat_contained(came, batch, "match")
    assert pairs.soft is not None and pairs.soft.tolist() == [1, 0.9, 1, 0.1, 0.8]
    assert found == {"rule": "match", "pairs": 3, "matches": 1}


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


def test_experts_of_several_files_agree_pair_by_pair() -> None:
    """The first pair has both, turned; of the second ben says both; the third has no label by name."""
    a, b = ["MI", "gout", "gout", "heart attack", "flu"], ["Heart attack", "flu", "flu", "mi", "asthma"]
    ballots = np.array([[1, -1], [-1, 1], [-1, 0], [-1, 0], [-1, -1]], np.int8)
    came, batch = read(*zip(a, b, [1] * 5, strict=True))
    got = agreement_of(replace(came, ballots=ballots), batch)
    assert got is not None and (got["judged_twice"], got["unanimous"], got["votes_per_pair"]) == (1, 0.0, 2.0)
    assert agreement_of(*read(("gout", "flu", 1))) is None
