"""The source's seventeen for Russian: the set, its tags and stems, and the Russian names of ICD-10 from the user's own table."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

import dxmatch
from dxmatch.features.feature_set import FeatureSet
from dxmatch.training.engines import lightgbm_engine
from dxmatch.votes.voters import Picker, Voter

TABLE = """code,name,parent
IX,Болезни системы кровообращения,
I10,Эссенциальная (первичная) гипертензия,IX
I21,Острый инфаркт миокарда,IX
I21.0,Острый трансмуральный инфаркт передней стенки миокарда,I21
XI,Болезни органов пищеварения,
K29,Гастрит и дуоденит,XI
K35,Острый аппендицит,XI
K85,Острый панкреатит,XI
X,Болезни органов дыхания,
J18,Пневмония без уточнения возбудителя,X
J45,Астма,X
"""
NAMES = ["инфаркт миокарда", "панкреатит", "аппендицит", "пневмония", "бронхиальная астма", "гастрит", "гипертензия", "бронхит", "цистит", "отит", "ринит", "артрит"]  # fmt: skip


def pairs() -> pd.DataFrame:
    """A kind, another word order and two strangers of each name."""
    rows = []
    for i, name in enumerate(NAMES):
        other, third = NAMES[(i + 1) % len(NAMES)], NAMES[(i + 5) % len(NAMES)]
        rows += [(name, f"острый {name}", 1), (name, f"{name}, обострение", 1), (name, other, 0), (name, f"хронический {third}", 0)]  # fmt: skip
    return pd.DataFrame(rows, columns=["a", "b", "label"])


def test_the_same_seventeen_asked_in_russian() -> None:
    """Each vote and pick is put in Russian, and nothing else of it differs from the English set's."""
    english, russian = FeatureSet.read("paper17"), FeatureSet.read("paper17-ru")
    assert russian.names == english.names and len(russian.names) == 17
    assert (russian.language, russian.icd_source) == ("ru", "icd-ru.csv")
    assert [f.kind for f in russian.features] == [f.kind for f in english.features]
    assert "shipped" not in russian.encoders, "the shipped encoder knows English alone"
    assert len(russian.asked) == 7
    for put, other in zip(russian.asked, english.asked, strict=True):
        asks = (Picker if put.kind == "icd_pick" else Voter).of(put.options)
        assert "диагноз" in asks.prompt.messages("инфаркт миокарда", '["инфаркт"]')[-1]["content"].lower(), put.name
        differs = {key for key, value in put.options.items() if other.options[key] != value}
        assert "prompt" in differs <= {"prompt", "source"}, put.name


def test_trained_and_scored_in_russian(
    tmp_path: Path, tiny_sentence_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the set has besides votes, picks and encoders of a hub, with a tiny encoder for BERGAMOT; no feature is unknown for every pair, and another encoder is refused."""
    pytest.importorskip("pymorphy3", reason="tags need the extra 'pos'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 40)
    Path("icd-ru.csv").write_text(TABLE, "utf-8")
    text = (Path(dxmatch.__file__).parent / "features" / "sets" / "paper17-ru.toml").read_text("utf-8")
    parts, others = text.split("[[feature]]\n")[1:], ("model = ", '"giga"', '"arctic"')
    local = [each for part in parts if not any(other in (each := part.split("\n\n")[0]) for other in others)]
    assert len(local) == 8
    bergamot = tiny_sentence_model.parent / "plain"
    encoder = f'[encoder.bergamot]\nmodel = "{bergamot}"\npooling = "cls"\n'
    Path("ru.toml").write_text("\n[[feature]]\n".join(['name = "ru"\nlanguage = "ru"\n' + encoder, *local]), "utf-8")
    m = dxmatch.train(pairs(), features="ru.toml", split=dxmatch.Split(folds=2, test_share=0))
    given = {
        "a": ["острый", "острые инфаркты", "I21", "K85"],
        "b": ["панкреатит", "острый инфаркт", "Острый инфаркт миокарда", "I21"],
    }
    table = m.score(pd.DataFrame(given), add=["features"])
    assert table["ratio_pos"][0] == 0 and table["ratio_stem"][1] == 1
    assert table["probability"][2] == 1.0 and table["icd_nearest"][3] == 0.0, "a code stands for its Russian title"
    assert m.score(pairs(), add=["features"])["ratio_pos"].notna().all()
    m.save("m")
    again = dxmatch.load("m", loading=dxmatch.Loading(encoders={"bergamot": bergamot}))
    assert again.probability("панкреатит", "острый панкреатит") == m.probability("панкреатит", "острый панкреатит")
    config = Path(shutil.copytree(bergamot, "changed"), "config.json")
    config.write_text(config.read_text() + "\n")
    changed = dxmatch.load("m", loading=dxmatch.Loading(encoders={"bergamot": config.parent}))
    with pytest.raises(dxmatch.ModelError, match="is not the one that the model was trained with: sentence-"):
        changed.probability("панкреатит", "острый панкреатит")
