from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.endpoints.endpoint import Endpoint, read_services
from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet


def test_paper17() -> None:
    """Its columns in the order of the source, under their public names. What a model keeps of it: tests/test_seventeen.py."""
    assert FeatureSet.read("paper17").names == (
        "vote_llama31_70b", "vote_qwen25_7b", "vote_gigachat_max", "vote_vikhr_nemo_12b", "vote_phi4",
        "icd_qwen25_7b", "icd_vikhr_nemo_12b", "icd_nearest", "cosine_giga", "cosine_bergamot", "cosine_arctic",
        "ratio_unigram", "ratio_bigram", "ratio_stem", "ratio_lemma", "ratio_pos", "levenshtein",
    )  # fmt: skip


def test_endpoints_of_another_file_go_first(tmp_path: Path) -> None:
    price = "[price.'microsoft/phi-4']\nprompt = 1\ncompletion = 2\n"
    (tmp_path / "e.toml").write_text(f"[endpoint.local]\nurl = 'http://elsewhere/v1/'\nper_minute = 5\n{price}")
    paper = FeatureSet.read("paper17", tmp_path / "e.toml")
    assert paper.endpoints["local"] == Endpoint("local", "http://elsewhere/v1", per_minute=5)
    assert paper.endpoints["gigachat"] == FeatureSet.read("paper17").endpoints["gigachat"]
    assert paper.prices["microsoft/phi-4"].of(1e6, 1e6) == 3
    for text, problem in (("name = 'x'\n", "no endpoints"), (None, "cannot be read")):
        (tmp_path / "e.toml").unlink() if text is None else (tmp_path / "e.toml").write_text(text)
        with pytest.raises(InputError, match=problem):
            read_services(tmp_path / "e.toml")
