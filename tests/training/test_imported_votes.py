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
[[feature]]
name = "vote_gpt4"
kind = "vote"
model = "gpt-4"
prompt = "imported"
[[feature]]
name = "ratio_stem"
kind = "ratio"
view = "stem"
[[feature]]
name = "levenshtein"
kind = "levenshtein"
"""


@pytest.fixture(scope="module")
def voted(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Path:
    """A folder with the set and a store of the GPT-4 votes of CRAFT-MD."""
    folder = tmp_path_factory.mktemp("voted")
    (folder / "set.toml").write_text(SET)
    naming = FeatureSet.read(folder / "set.toml").open(Normalizer()).naming
    with VoteStore(folder / "votes.sqlite") as store:
        summary = import_table(
            shared_data / "craft_md_pairs.csv", store, naming=naming, a="expert", b="algorithm", verdict="label",
            model="gpt-4", rejects=folder / "rejects.csv",
        )  # fmt: skip
    assert summary.answered > 17_000
    return folder


def test_on_our_own_labels(voted: Path, example: Path, tmp_path: Path) -> None:
    """The example's labels are our own; of its pairs CRAFT-MD voted on some, so the limit has to be lowered to train."""
    pairs, store = example / "pairs.csv", voted / "votes.sqlite"
    with pytest.raises(InputError, match=r"vote_gpt4 is known for [12]\d\.\d % of the pairs"):
        train(pairs, features=voted / "set.toml", asking=Asking(store=store))
    m = train(pairs, features=voted / "set.toml", asking=Asking(store=store), min_coverage=0.1)
    known = m.data["coverage"]["vote_gpt4"]
    assert 0.1 < known < 0.3
    card = (m.save(tmp_path / "m") / "CARD.md").read_text("utf-8")
    assert f"vote_gpt4 {known:.1%}".replace("%", " %") in card

    scored = dxmatch.load(tmp_path / "m", loading=dxmatch.Loading(store=store), min_coverage=0.1).score(
        pairs, add=["features"]
    )
    assert scored["probability"].equals(m.score(pairs)["probability"])
    assert set(scored["vote_gpt4"].drop_null().to_pylist()) == {0.0, 1.0}
    table = np.stack([np.array(scored[name].to_pylist(), np.float32) for name in m.features.names], axis=1)
    with_votes, without = table.copy(), table.copy()
    with_votes[:, 0], without[:, 0] = 1, 0
    assert (m.parts.trees.raw(with_votes) >= m.parts.trees.raw(without)).all() and (
        m.parts.trees.raw(with_votes) > m.parts.trees.raw(without)
    ).any()
    with pytest.raises(OptionError, match="store"):
        dxmatch.load(tmp_path / "m").probability("angina", "fever")
