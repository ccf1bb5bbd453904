"""The recipe as it is typed, on small sources that are made up: the encoder, then the model that ships; the same bytes in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

import dxmatch
from dxmatch.recipe.encoder.__main__ import app
from dxmatch.recipe.encoder.data import common_synonyms
from dxmatch.terms.encoders.static import StaticEncoder
from dxmatch.terms.text.normalizer import Normalizer

RECIPE = """
import sys
from pathlib import Path
from dxmatch.recipe import shipped
from dxmatch.recipe.encoder import __main__ as encoder, data
from dxmatch.recipe.relation import pairs
from dxmatch.recipe.silver import diseases
from dxmatch.terms.encoders.static import Shape
from dxmatch.training.engines import lightgbm_engine

def some(all, first, last):
    return lambda: data.Synonyms(all.source, all.first[first:last], all.second[first:last], all.ids[first:last], all.times)

folder, out = map(Path, sys.argv[1:])
data.icd_synonyms = some(data.icd_synonyms(), 1000, 1600)
data.common_synonyms = shipped.common_synonyms = some(data.common_synonyms(), 0, 600)
encoder.Shape = lambda: Shape(buckets=4096, word_buckets=1024, dimensions=32)
lightgbm_engine.MAX_ROUNDS, shipped.SILVER_PAIRS, diseases.CLOSE = 20, 300, 5
shipped.relation_pairs = lambda pool, seed: pairs.relation_pairs(pool, 1500, seed)
files = ["--data", str(folder), "--kept-back", str(out / "kept")]
encoder.app([*files, "-o", str(out / "encoder"), "--epochs", "1"], result_action="return_value")
words = ["--plain-words", str(folder / "plain.csv")]
shipped.app([*files, *words, "--encoder", str(out / "encoder"), "-o", str(out / "model")], result_action="return_value")
"""
"""With a part of the large vocabularies, and few pairs and rounds."""
WORDS = ["".join(each) for each in product(("bal", "cor", "dun", "fem", "gol", "hir", "jat", "kul"), ("a", "e", "i", "o", "u", "au", "ei", "oi"), ("nosis", "ritis", "loma", "mia", "sia", "pathy", "dynia"))]  # fmt: skip


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """448 diseases of two names each, seven kinds to a class; labelled pairs of common names; a row or two of all else."""
    common = common_synonyms()
    a, b = common.first[:100], common.second[:200]
    pairs = [
        *zip(a, b, "1" * 100, strict=False),
        *((a[i], b[(7 * i + j) % 200], "0") for i in range(100) for j in (50, 61)),
    ]
    names = [(f"X:{i},{word},label,X", f"X:{i},{word[::-1]} syndrome,exact,X") for i, word in enumerate(WORDS)]
    files = {
        "craft_md_pairs": ["expert,algorithm,label", *map(",".join, pairs)], "disease_names": ["disease,name,kind,source", *(row for rows in names for row in rows)],
        "disease_parents": ["disease,parent", *(f"X:{i},X:{(i - 7) // 7}" for i in range(7, len(WORDS)))], "disease_icd10": ["disease,icd10cm", "X:4,J98.01"],
        "orphadata_synonyms": ["orpha,name,synonym", "1,Foo disease type 1,Smith syndrome", "3,NON RARE IN EUROPE: Asthma,Wheezing disorder"],
        "orphadata_icd10": ["orpha,name,icd10,relation", "6,Rare adenoviral lung inflammation,J12.0,NTBT", "3,Asthma,J45,E"],
        "mondo_exact": ["mondo,other,source,other_id", "carcinoma of foo,foo carcinoma variant,ncit,NCIT:1"],
        "plain": ["kind,a,b,expected", "stages,stage 1 gout,stage 2 gout,excluded"],
    }  # fmt: skip
    (tmp_path / "data").mkdir()
    for name, rows in files.items():
        (tmp_path / f"data/{name}.csv").write_text("\n".join(rows) + "\n", "utf-8")
    return tmp_path / "data"


@pytest.mark.nightly
def test_two_processes_write_the_same_bytes(sources: Path, tmp_path: Path) -> None:
    """Whatever the order of Python's sets. The model tells relations and knows every policy; what is written tells no folder of this machine."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    running = []
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        command = [sys.executable, "-W", "ignore", "-c", RECIPE, str(sources), str(tmp_path / seed)]
        running.append(subprocess.Popen(command, env={**environment, "PYTHONHASHSEED": seed}, stderr=subprocess.PIPE))
    for each in running:
        told = each.communicate()[1]
        assert each.returncode == 0, told.decode()
    one, other = ({path.relative_to(tmp_path / seed): path.read_bytes() for path in (tmp_path / seed).rglob("*.*")} for seed in "12")  # fmt: skip
    assert one == other and {path.name for path in one} == {"encoder.safetensors", "model.json", "model.safetensors", "CARD.md"}  # fmt: skip
    assert not [path for path, content in one.items() if str(tmp_path).encode() in content]
    m = dxmatch.load(tmp_path / "1/model", judge_all=True)
    assert {"relation", "policies", "plain_words"} <= {*m.metrics} and "| pairs_average_precision | " in m.parts.card
    for policy in ("strict", "narrower-counts", "broader-counts"):
        assert 0 < m.under(policy).threshold < 1
    whole, kept = (StaticEncoder.load(tmp_path / f"1/{name}") for name in ("encoder", "kept"))
    assert kept.training["names"] < whole.training["names"] and whole.training["sources"]["Orphadata"] == 2
    assert [len(found) for found in whole.training["files"].values()] == [64] * 3
    assert whole.training["normalizer"] == Normalizer().identity


def test_a_source_that_is_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="1"):
        app(["--data", str(tmp_path), "-o", str(tmp_path / "o"), "--kept-back", str(tmp_path / "k")], result_action="return_value")  # fmt: skip
    assert "orphadata_synonyms.csv: no such file" in capsys.readouterr().err and not [*tmp_path.iterdir()]
