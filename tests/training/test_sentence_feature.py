"""A feature set with a sentence-transformers model, from the TOML to a loaded match function."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

import dxmatch
from dxmatch.terms.encoders.folders import kept_encoders

PAIRS = [("heart attack", "acute MI"), ("asthma", "gout"), ("type 2 diabetes", "T2DM")]


def test_where_its_encoder_lies_is_said_by_who_loads_it(
    example: Path, tiny_sentence_model: Path, tmp_path: Path
) -> None:
    """A folder that only the model names is left alone, and another encoder under the same name is refused."""
    encoder = Path(shutil.copytree(tiny_sentence_model, tmp_path / "encoder"))
    (tmp_path / "set.toml").write_text(
        "[[feature]]\nname = 'cosine_tiny'\nkind = 'cosine'\nencoder = 'tiny'\n"
        f"[[feature]]\nname = 'ratio_unigram'\nkind = 'ratio'\nview = 'unigram'\n[encoder.tiny]\nmodel = '{encoder}'\n"
    )
    folder = dxmatch.train(example / "pairs.csv", features=tmp_path / "set.toml").save(tmp_path / "model")
    loading = dxmatch.Loading(encoders={"tiny": encoder})
    with pytest.raises(
        dxmatch.InputError, match=r"a model folder never says what is read beside it.*Or: the option 'encoders'"
    ):
        dxmatch.load(folder).probability("flu", "influenza")
    m = dxmatch.load(folder, loading=loading)
    assert m.features.names == ("cosine_tiny", "ratio_unigram")
    a, b = zip(*PAIRS, strict=True)
    batch = m.probabilities(a, b)
    assert batch.tolist() == [m.probability(*pair) for pair in PAIRS] == m.probabilities(b, a).tolist()
    config = encoder / "modules.json"
    config.write_text(config.read_text() + "\n")
    with pytest.raises(dxmatch.ModelError, match="is not the one that the model was trained with: sentence-"):
        dxmatch.load(folder, loading=loading).probability("flu", "influenza")


def test_a_model_that_keeps_its_encoder_can_be_moved(
    example: Path, tiny_sentence_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Any
) -> None:
    """Two encoders in folders of one name, one by its whole path and one from where the set stands: both gone, the model elsewhere, the cache new."""
    made = tmp_path / "made"
    first = shutil.copytree(tiny_sentence_model, made / "one" / "tiny")
    second = shutil.copytree(tiny_sentence_model, made / "two" / "tiny")
    (second / "more.txt").write_text("another one")
    (made / "set.toml").write_text(
        "[[feature]]\nname = 'cosine_tiny'\nkind = 'cosine'\nencoder = 'first'\n"
        "[[feature]]\nname = 'cosine_other'\nkind = 'cosine'\nencoder = 'mine'\n"
        "[[feature]]\nname = 'ratio_unigram'\nkind = 'ratio'\nview = 'unigram'\n"
        f"[encoder.mine]\nmodel = 'two/tiny'\n[encoder.first]\nmodel = '{first}'\n"
    )
    given = ["train", example / "pairs.csv", "-o", made / "m", "--features", made / "set.toml", "--encoder.keep"]
    done = command(*given)
    assert done.code == 0, done.err
    expected = dxmatch.load(made / "m").probability("flu", "influenza A")
    shutil.move(made / "m", tmp_path / "elsewhere")
    shutil.rmtree(made)
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "cache"))
    m = dxmatch.load(tmp_path / "elsewhere")
    assert pickle.loads(pickle.dumps(m)).probability("flu", "influenza A") == expected
    assert m.probability("flu", "influenza A") == expected
    assert m.save(tmp_path / "again") and dxmatch.load(tmp_path / "again").identities == m.identities
    shown = command("model", "show", tmp_path / "again").out
    assert "Encoder 'mine': kept in the model folder." in shown and str(made) not in shown
    cached = next((tmp_path / "cache" / "encoders").glob("*/modules.json"))
    for damage in (lambda: cached.write_text("{}"), cached.unlink):  # as a cleaner of caches does
        damage()
        assert dxmatch.load(tmp_path / "elsewhere").probability("flu", "influenza A") == expected


def test_no_path_leads_out_of_the_folder() -> None:
    for path in ("0/../../x", "0/.hidden", "x/a", "100/a", "0//a", "1/a", "0"):
        with pytest.raises(dxmatch.ModelError, match="no file of an encoder"):
            kept_encoders({path: b""}, ["only"])
