"""A feature set with a sentence-transformers model, from the TOML to a loaded match function."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import dxmatch

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
