"""Training the static encoder: the readers, the split by disease, a small run that learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from dxmatch.recipe.encoder.data import Synonyms, folds_of, join, read_synonyms
from dxmatch.recipe.encoder.fit import Settings, train_encoder
from dxmatch.terms.encoders.static import Shape, StaticEncoder
from dxmatch.terms.text.normalizer import Normalizer

SMALL = Shape(buckets=4096, word_buckets=1024, dimensions=32)
# 20 diseases with two names that share no letters, so that only training can bring them together.
FIRST = [f"{a}{b}osis" for a in ("lumb", "card", "nephr", "derm", "gastr") for b in ("in", "ul", "ar", "et")]
SECOND = [f"{a} {b}" for a in ("why", "jump", "buzz", "zephyr", "hymn") for b in ("q", "wx", "vv", "kj")]


@pytest.mark.parametrize(
    ("name", "table", "first", "second", "ids"),
    [
        ("orphadata_synonyms.csv", "orpha,name,synonym\n100,OBSOLETE: Ataxia,OBSOLETE: Louis\n", ["Ataxia"], ["Louis"], ["Orphanet:100"]),
        # a short form that is read as another name may be another's
        ("mondo_exact.csv", "mondo,other,source,other_id\nataxia,Ataxy,x,Orphanet:100\nlung,CAP syndrome,x,Orphanet:1\n", ["ataxia"], ["Ataxy"], ["Orphanet:100"]),
    ],
)  # fmt: skip
def test_reading_synonyms(name: str, table: str, first: list[str], second: list[str], ids: list[Any], tmp_path: Path) -> None:  # fmt: skip
    (tmp_path / name).write_text(table, "utf-8")
    read = read_synonyms(tmp_path / name)
    assert (read.first, read.second, read.ids) == (first, second, ids)


def test_one_disease_by_pairs_equal_names_and_ids() -> None:
    first = Synonyms("one", ["Alpha", "Beta", "Gamma"], ["Alef", "Bet", "Gimel"], ["x:1", "x:2", None])
    second = Synonyms("two", ["alef", "Delta", "Omega"], ["aleph", "Dalet", "omega"], [None, "x:2", None], times=2)
    names = join([first, second], Normalizer())
    of = dict(zip(names.texts, names.disease.tolist(), strict=True))
    together = [{"alpha", "alef", "aleph"}, {"beta", "bet", "delta", "dalet"}, {"gamma", "gimel"}, {"omega"}]
    assert sorted(sorted(t for t in of if of[t] == d) for d in set(of.values())) == sorted(map(sorted, together))
    # "omega" and "Omega" are one name and no pair; those of the second source are shown twice, smaller index first
    assert [(names.texts[i], names.texts[j]) for i, j in names.pairs.tolist()] == [
        ("alef", "aleph"), ("alef", "aleph"), ("alef", "alpha"), ("bet", "beta"), ("dalet", "delta"), ("dalet", "delta"),
        ("gamma", "gimel"),
    ]  # fmt: skip


def test_a_fold_holds_whole_diseases_and_stays() -> None:
    many = Synonyms("many", [f"disease {i}" for i in range(500)], [f"synonym {i}" for i in range(500)], [None] * 500)
    names = join([many], Normalizer())
    fold = folds_of(names)
    assert all(len({*fold[names.disease == disease]}) == 1 for disease in np.unique(names.disease))
    assert (np.bincount(fold, minlength=5) / len(fold)).round(1).tolist() == [0.2] * 5
    more = join([many, Synonyms("other", ["aaa"], ["bbb"], [None])], Normalizer())
    later = dict(zip(more.texts, folds_of(more).tolist(), strict=True))
    assert [later[text] for text in names.texts] == fold.tolist()


def test_a_small_run_learns() -> None:
    torch.set_num_threads(1)
    names = join([Synonyms("mini", FIRST, SECOND, [None] * 20)], Normalizer())
    settings = Settings(epochs=30, batch=16, learning_rate=0.02, seed=3)
    seen: list[tuple[int, int]] = []
    trained = train_encoder(names, SMALL, settings, about={"of": "test"}, progress=lambda *done: seen.append(done))
    told = trained.training
    assert told["losses"][-1] < told["losses"][0] / 2
    assert seen == [(i, len(seen)) for i in range(1, len(seen) + 1)] and len(seen) % 30 == 0

    def right(encoder: StaticEncoder) -> float:
        cosines = encoder.encode(FIRST) @ encoder.encode(SECOND).T
        return float((cosines.argmax(axis=1) == np.arange(len(FIRST))).mean())

    untrained = train_encoder(names, SMALL, Settings(epochs=1, batch=16, learning_rate=1e-9))
    assert right(untrained) < 0.4 and right(trained) > 0.9
    assert (told["of"], told["names"], told["pairs"], told["diseases"]) == ("test", 40, 20, 20)
    assert told["settings"]["epochs"] == 30 and len(told["losses"]) == 30
