"""Training the static encoder: the readers, the split by disease, a small run that learns, the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from dxmatch.recipe.encoder import data
from dxmatch.recipe.encoder.__main__ import app
from dxmatch.recipe.encoder.data import (
    Synonyms,
    folds_of,
    join,
    read_synonyms,
)
from dxmatch.recipe.encoder.fit import Settings, train_encoder
from dxmatch.recipe.shipped import encoder_table
from dxmatch.terms.encoders.static import Shape, StaticEncoder
from dxmatch.terms.text.normalizer import Normalizer

SMALL = Shape(buckets=4096, word_buckets=1024, dimensions=32)
# 20 diseases with two names that share no letters, so that only training can bring them together.
FIRST = [f"{a}{b}osis" for a in ("lumb", "card", "nephr", "derm", "gastr") for b in ("in", "ul", "ar", "et")]
SECOND = [f"{a} {b}" for a in ("why", "jump", "buzz", "zephyr", "hymn") for b in ("q", "wx", "vv", "kj")]


def written(path: Path, header: str, *rows: str) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", "utf-8")
    return path


@pytest.fixture
def synonyms(tmp_path: Path) -> Path:
    return written(tmp_path / "mini.csv", "name,synonym", *(f"{a},{b}" for a, b in zip(FIRST, SECOND, strict=True)))


def test_reading_the_three_kinds_of_files(tmp_path: Path) -> None:
    plain = read_synonyms(written(tmp_path / "a.csv", "name,synonym", "Mumps,Epidemic parotitis"))
    assert (plain.first, plain.second, plain.ids) == (["Mumps"], ["Epidemic parotitis"], [None])
    orphadata = read_synonyms(written(tmp_path / "b.csv", "orpha,name,synonym", "100,OBSOLETE: Ataxia,OBSOLETE: Louis"))
    assert (orphadata.first, orphadata.second, orphadata.ids) == (["Ataxia"], ["Louis"], ["Orphanet:100"])
    mondo = read_synonyms(
        written(
            tmp_path / "c.csv",
            "mondo,other,source,other_id",
            "ataxia,Ataxy,orphanet,Orphanet:100",
            "lung,CAP syndrome,orphanet,Orphanet:1",
        )
    )
    assert (mondo.first, mondo.second, mondo.ids) == (["ataxia"], ["Ataxy"], ["Orphanet:100"])


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
    normalizer = Normalizer()
    many = Synonyms("many", [f"disease {i}" for i in range(500)], [f"synonym {i}" for i in range(500)], [None] * 500)
    names = join([many], normalizer)
    fold = folds_of(names)
    for disease in np.unique(names.disease):
        assert len(set(fold[names.disease == disease])) == 1
    assert (np.bincount(fold, minlength=5) / len(fold)).round(1).tolist() == [0.2] * 5
    kept = names.take(fold != 0)
    assert not {text for text, f in zip(names.texts, fold, strict=True) if f == 0} & set(kept.texts)
    assert len(kept.pairs) == len(kept.texts) // 2
    assert {kept.texts[i].split()[1] == kept.texts[j].split()[1] for i, j in kept.pairs} == {True}
    more = join([many, Synonyms("other", ["aaa"], ["bbb"], [None])], normalizer)
    later = dict(zip(more.texts, folds_of(more).tolist(), strict=True))
    assert [later[text] for text in names.texts] == fold.tolist()


def test_a_small_run_learns_and_is_the_same_again(synonyms: Path) -> None:
    torch.set_num_threads(1)
    names = join([read_synonyms(synonyms)], Normalizer())
    settings = Settings(epochs=30, batch=16, learning_rate=0.02, seed=3)
    seen: list[tuple[int, int]] = []
    trained = train_encoder(names, SMALL, settings, about={"of": "test"}, progress=lambda at, of: seen.append((at, of)))
    assert trained.losses[-1] < trained.losses[0] / 2
    assert seen == [(i, len(seen)) for i in range(1, len(seen) + 1)] and len(seen) % 30 == 0

    def right(encoder: StaticEncoder) -> float:
        cosines = encoder.encode(FIRST) @ encoder.encode(SECOND).T
        return float((cosines.argmax(axis=1) == np.arange(len(FIRST))).mean())

    untrained = train_encoder(names, SMALL, Settings(epochs=1, batch=16, learning_rate=1e-9)).encoder
    assert right(untrained) < 0.4 and right(trained.encoder) > 0.9
    told = trained.encoder.training
    assert (told["of"], told["names"], told["pairs"], told["diseases"]) == ("test", 40, 20, 20)
    assert told["settings"]["epochs"] == 30 and len(told["losses"]) == 30
    assert train_encoder(names, SMALL, settings).encoder.identity == trained.encoder.identity
    assert (
        train_encoder(names, SMALL, Settings(epochs=30, batch=16, seed=4)).encoder.identity != trained.encoder.identity
    )


@pytest.fixture
def sources(synonyms: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of made-up sources; neither ICD-10-CM nor the common synonyms are trained on beside them."""
    few = Synonyms("few", ["mumps"], ["epidemic parotitis"], [None])
    monkeypatch.setattr(data, "icd_synonyms", lambda: few)
    monkeypatch.setattr(data, "common_synonyms", lambda: few)
    folder = tmp_path / "data"
    folder.mkdir()
    synonyms.rename(folder / "orphadata_synonyms.csv")
    written(folder / "mondo_exact.csv", "mondo,other,source,other_id", "ataxia,Ataxy,orphanet,Orphanet:100")
    written(folder / "disease_names.csv", "disease,name,kind", "x:1,ataxia,label")
    written(folder / "disease_parents.csv", "disease,parent", "x:1,x:1")
    written(folder / "orphadata_icd10.csv", "orpha,name,icd10,relation", "1,Plague,A20,E")
    written(folder / "craft_md_pairs.csv", "expert,algorithm,label", "mumps,ataxia,0", "ataxia,ataxy,1")
    return folder


def test_the_command(sources: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(folder: Path, output: Path) -> None:
        options = ["--epochs", "2", "--batch", "8", "--kept-back", str(tmp_path / "without")]
        app(["--data", str(folder), "-o", str(output), *options], result_action="return_value")

    run(sources, tmp_path / "out")
    without = StaticEncoder.load(tmp_path / "without")
    names = join([*data.all_sources(sources, Normalizer()).values()], Normalizer())
    assert without.training["names"] == int((folds_of(names) != 0).sum()) < len(names.texts)
    encoder = StaticEncoder.load(tmp_path / "out")
    assert encoder.encode(["lumbinosis"]).shape == (1, 256)
    assert encoder.training["sources"]["Orphadata"] == 20 and encoder.training["settings"]["epochs"] == 2
    assert [len(found) for found in encoder.training["files"].values()] == [64] * 3
    assert encoder.training["normalizer"] == Normalizer().identity
    assert str(tmp_path) not in json.dumps(encoder.training)
    ours = encoder.measured["ours"]
    assert ours["pairs"] == 2 and 0 <= ours["pairs_average_precision"] <= 1
    assert ours["icd_category_first_fifth_main_names"]["n"] == 1
    assert "| pairs_average_precision | " in encoder_table(encoder.measured)
    capsys.readouterr()
    with pytest.raises(SystemExit, match="1"):
        run(tmp_path / "absent", tmp_path / "none")
    assert "orphadata_synonyms.csv: no such file" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
