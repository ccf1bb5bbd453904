"""The mapping to ICD-10 with any encoder: a sentence-transformers model, an embeddings endpoint, one that a feature set declares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.matcher.icd_mapper import IcdMapper
from dxmatch.terms.icd.index import IcdAnswer

TREE = """code,name,parent
IX,Diseases of the circulatory system,
I20,Angina pectoris,IX
I20.0,Unstable angina,I20
I21,Acute myocardial infarction,IX
I50,Heart failure,IX
"""
ASKED = "unstable angina attack"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "tree.csv").write_text(TREE, "utf-8")
    return tmp_path


def mapped(
    diagnoses: list[str], k: int = 15, endpoints: str | None = None, **preset: Any
) -> tuple[list[IcdAnswer], str]:
    """The answers, and what encoder found them."""
    asking, how = dxmatch.Asking(endpoints=endpoints), dxmatch.IcdPreset(**preset)
    mapper = IcdMapper(k=k, tree="tree.csv", preset=how, asking=asking)
    return list(mapper.answers(diagnoses).values()), mapper.settings["encoder"]


@pytest.mark.parametrize("distance", ["cosine", "euclidean"])
@pytest.mark.parametrize("entries", ["codes", "names"])
def test_a_sentence_model(here: Path, tiny_sentence_model: Path, distance: str, entries: str) -> None:
    from sentence_transformers import SentenceTransformer

    (row,), made_by = mapped(
        [ASKED], k=3, encoder=f"sentence-transformers:{tiny_sentence_model}", distance=distance, entries=entries, sections=False
    )  # fmt: skip
    model = SentenceTransformer(str(tiny_sentence_model), device="cpu")
    names = ["angina pectoris", "unstable angina", "acute myocardial infarction", "heart failure"]
    vectors, asked = np.asarray(model.encode(names)), np.asarray(model.encode([ASKED]))[0]
    if distance == "euclidean":
        wanted = -np.linalg.norm(vectors - asked, axis=1)
    else:
        wanted = vectors @ asked / np.linalg.norm(vectors, axis=1) / np.linalg.norm(asked)
    if entries == "names" or distance == "euclidean":
        order = np.argsort(-wanted)[:3]
        assert [one.found.lower() for one in row.candidates] == [names[i] for i in order]
        np.testing.assert_allclose([one.score for one in row.candidates], wanted[order], atol=1e-4)
    assert made_by.startswith("sentence-") and made_by.endswith("-own-length") == (distance == "euclidean")
    assert row.how == "nearest"


def test_an_endpoint_by_its_name_or_declared(here: Path, loopback: Any) -> None:
    loopback.rules()
    (here / "mine.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\n', "utf-8")
    by_name = "endpoint:lab:big-embedder"
    made, made_by = mapped([ASKED, "Heart failure"], endpoints="mine.toml", encoder=by_name, entries="names")
    assert [one.how for one in made] == ["nearest", "direct"]
    assert loopback.log()["requests"][0]["path"].endswith("/embeddings")
    assert "big-embedder" in made_by
    declared = f"""
[endpoint.lab]
url = "{loopback.url}"
[encoder.big]
model = "big-embedder"
endpoint = "lab"
[[feature]]
name = "cosine_big"
kind = "cosine"
encoder = "big"
"""
    (here / "set.toml").write_text(declared, "utf-8")
    again, _ = mapped([ASKED, "Heart failure"], encoder="big", features="set.toml", entries="names")
    assert again == made


@pytest.mark.parametrize(
    ("encoder", "said"),
    [
        ("bergamott", "one of shipped, giga, bergamot, arctic; did you mean 'bergamot'"),
        ("endpoint:openai:text-embedding-3-large", "an endpoint of the option 'endpoints'"),
        ("endpoint:local", "endpoint:NAME:MODEL"),
        ("endpoint:local: ", "endpoint:NAME:MODEL"),
    ],
)
def test_what_is_no_encoder(encoder: str, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        dxmatch.icd("angina", preset={"encoder": encoder})
