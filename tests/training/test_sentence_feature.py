"""A feature set with a sentence-transformers model, from the TOML to a loaded match function."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import dxmatch

pytest.importorskip("sentence_transformers", reason="a sentence encoder needs sentence-transformers (extra 'encoders')")

PAIRS = [("heart attack", "acute MI"), ("asthma", "gout"), ("type 2 diabetes", "T2DM")]


@pytest.fixture(scope="module")
def trained(example: Path, tiny_sentence_model: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of a model with one sentence cosine and one ratio, and that of its encoder."""
    folder = tmp_path_factory.mktemp("trained")
    encoder = Path(shutil.copytree(tiny_sentence_model, folder / "encoder"))
    features = folder / "set.toml"
    features.write_text(
        f"[[feature]]\nname = 'cosine_tiny'\nkind = 'cosine'\nencoder = 'sentence-transformers:{encoder}'\n"
        "[[feature]]\nname = 'ratio_unigram'\nkind = 'ratio'\nview = 'unigram'\n"
    )
    return dxmatch.train(example / "pairs.csv", features=features).save(folder / "model"), encoder


def by_word(encoder: Path) -> dict[str, Path]:
    return {f"sentence-transformers:{encoder}": encoder}


def test_a_folder_that_only_the_model_names_is_left_alone(trained: tuple[Path, Path]) -> None:
    with pytest.raises(dxmatch.InputError, match=r"a model folder never says what is read beside it.*Or: encoders="):
        dxmatch.load(trained[0]).probability("flu", "influenza")


def test_loaded_alone_as_in_a_batch(trained: tuple[Path, Path]) -> None:
    m = dxmatch.load(trained[0], encoders=by_word(trained[1]))
    assert m.features.names == ("cosine_tiny", "ratio_unigram")
    batch = m.probabilities(*zip(*PAIRS, strict=True))
    np.testing.assert_array_equal(batch, [m.probability(a, b) for a, b in PAIRS])
    np.testing.assert_array_equal(batch, m.probabilities(*reversed(list(zip(*PAIRS, strict=True)))))


def test_another_encoder_under_the_same_name_is_refused(trained: tuple[Path, Path]) -> None:
    config = trained[1] / "modules.json"
    config.write_text(config.read_text() + "\n")
    with pytest.raises(dxmatch.ModelError, match="is not the one that the model was trained with: sentence-"):
        dxmatch.load(trained[0], encoders=by_word(trained[1])).probability("flu", "influenza")
