"""Votes that a language model gave elsewhere, as one feature of a match function whose labels are not these votes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.train import train
from dxmatch.votes.answer_tables import import_table
from dxmatch.votes.asking_options import Asking
from dxmatch.votes.store.store import VoteStore

SET = """
feature = [
    {name = "vote_gpt4", kind = "vote", model = "gpt-4", prompt = "imported"}, {name = "ratio_stem", kind = "ratio", view = "stem"},
    {name = "levenshtein", kind = "levenshtein"},
]
"""


def test_on_our_own_labels(shared_data: Path, example: Path, tmp_path: Path) -> None:
    """The example's labels are our own; of its pairs CRAFT-MD voted on some, so the limit has to be lowered to train."""
    (tmp_path / "set.toml").write_text(SET)
    naming = FeatureSet.read(tmp_path / "set.toml").open(Normalizer()).naming
    with VoteStore(tmp_path / "votes.sqlite") as store:
        summary = import_table(
            shared_data / "craft_md_pairs.csv", store, naming=naming, a="expert", b="algorithm", verdict="label",
            model="gpt-4", rejects=tmp_path / "rejects.csv",
        )  # fmt: skip
    assert summary.answered > 17_000
    pairs, loading = example / "pairs.csv", dxmatch.Loading(store=tmp_path / "votes.sqlite")
    given = {"features": tmp_path / "set.toml", "asking": Asking(store=tmp_path / "votes.sqlite")}
    with pytest.raises(InputError, match=r"vote_gpt4 is known for [12]\d\.\d % of the pairs"):
        train(pairs, **given)
    m = train(pairs, **given, min_coverage=0.1)
    known = m.data["coverage"]["vote_gpt4"]
    card = (m.save(tmp_path / "m") / "CARD.md").read_text("utf-8")
    assert 0.1 < known < 0.3 and f"vote_gpt4 {100 * known:.1f} %" in card
    scored = dxmatch.load(tmp_path / "m", loading=loading, min_coverage=0.1).score(pairs, add=["features"])
    assert scored["probability"].equals(m.score(pairs)["probability"])
    assert set(scored["vote_gpt4"].drop_null().to_pylist()) == {0.0, 1.0}
    table = np.stack([np.array(scored[name].to_pylist(), np.float32) for name in m.features.names], axis=1)
    with_votes, without = table.copy(), table.copy()
    with_votes[:, 0], without[:, 0] = 1, 0
    gained = m.parts.trees.raw(with_votes) - m.parts.trees.raw(without)
    assert gained.min() >= 0 < gained.max()
    with pytest.raises(OptionError, match="store"):
        dxmatch.load(tmp_path / "m").probability("angina", "fever")
