"""The source's seventeen for Russian: the set, its tags and stems, and the Russian names of ICD-10 from the user's own table."""

from __future__ import annotations

import re
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


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "icd-ru.csv").write_text(TABLE, "utf-8")
    return tmp_path


def test_the_same_seventeen() -> None:
    english, russian = FeatureSet.read("paper17"), FeatureSet.read("paper17-ru")
    assert russian.names == english.names and len(russian.names) == 17
    assert (russian.language, russian.icd_source) == ("ru", "icd-ru.csv")
    assert [f.kind for f in russian.features] == [f.kind for f in english.features]
    assert "shipped" not in russian.encoders, "the shipped encoder knows English alone"


def test_asked_in_russian() -> None:
    """Each vote and pick is put in Russian, and nothing else of it differs from the English set's."""
    russian, english = ({f.name: f for f in FeatureSet.read(name).asked} for name in ("paper17-ru", "paper17"))
    assert russian.keys() == english.keys() and len(russian) == 7
    for name, feature in russian.items():
        asks = (Picker if feature.kind == "icd_pick" else Voter).of(feature.options)
        assert "диагноз" in asks.prompt.messages("инфаркт миокарда", "[]")[-1]["content"].lower(), name
        differs = {key for key, value in feature.options.items() if english[name].options[key] != value}
        assert "prompt" in differs <= {"prompt", "source"}, name


def test_trained_and_scored_in_russian(here: Path, tiny_sentence_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the set has besides votes, picks and encoders of a hub, with a tiny encoder for BERGAMOT; no feature is unknown for every pair."""
    pytest.importorskip("pymorphy3", reason="tags need the extra 'pos'")
    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 40)
    text = (Path(dxmatch.__file__).parent / "features" / "sets" / "paper17-ru.toml").read_text("utf-8")
    local = [part for part in re.findall(r"\[\[feature\]\]\n(?:[a-z_]+ = .*\n)+", text) if 'kind = "icd_nearest"' in part or 'kind = "ratio"' in part or 'kind = "lev' in part or '"cosine_bergamot"' in part]  # fmt: skip
    assert len(local) == 8
    bergamot = tiny_sentence_model.parent / "plain"
    own = f'name = "ru"\nlanguage = "ru"\n[encoder.bergamot]\nmodel = "{bergamot}"\npooling = "cls"\n'
    (here / "ru.toml").write_text(own + "".join(local), "utf-8")
    m = dxmatch.train(pairs(), features="ru.toml", split=dxmatch.Split(folds=2, test_share=0))
    table = m.score(pairs(), add=["features"])
    assert table["ratio_pos"].notna().all(), "an adjective and a noun, or a noun: one set of tags holds the other"
    assert m.score(pd.DataFrame({"a": ["острый"], "b": ["панкреатит"]}), add=["features"])["ratio_pos"][0] == 0
    assert table["icd_nearest"].isin([0.0, 1.0]).all()
    assert (
        m.score(pd.DataFrame({"a": ["острые инфаркты"], "b": ["острый инфаркт"]}), add=["features"])["ratio_stem"][0]
        == 1
    )
    by_code = m.score(pd.DataFrame({"a": ["I21", "K85"], "b": ["Острый инфаркт миокарда", "I21"]}), add=["features"])
    assert by_code["probability"][0] == 1.0 and by_code["icd_nearest"][1] == 0.0, "a code stands for its Russian title"
    m.save(here / "m")
    again = dxmatch.load(here / "m", loading=dxmatch.Loading(encoders={"bergamot": bergamot}))
    assert again.probability("панкреатит", "острый панкреатит") == m.probability("панкреатит", "острый панкреатит")
