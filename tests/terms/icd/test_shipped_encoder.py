"""The index under the encoder that ships: the only test here that needs its weights."""

from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.terms.icd import IcdIndex

WEIGHTS = Path(__file__).resolve().parents[3] / "models" / "offline-en" / "encoder"


@pytest.mark.skipif(not WEIGHTS.is_dir(), reason="no shipped encoder in models/offline-en/encoder")
def test_plain_words_and_typing_errors(folder, normalizer):
    from dxmatch.terms.encoders.static import StaticEncoder

    index = IcdIndex.open("icd10cm", StaticEncoder.load(WEIGHTS), normalizer, folder)
    texts = ["acute myocardal infarction", "apendicitis", "crohns diseese of small intestine", "bacterial pneumonias"]
    names = [normalizer(text) for text in texts]
    found = index.assign(names)
    found_categories = [index.tree.category(int(node)) for node in found.nodes[:3]]
    # a misspelt bare "appendicitis" may be any of the three categories of that name
    for category, right in zip(found_categories, ({"I21"}, {"K35", "K36", "K37"}, {"K50"}), strict=True):
        assert category in right
    for i, name in enumerate(names):
        alone = index.assign([name])
        assert alone.nodes[0] == found.nodes[i]
        assert alone.scores.tobytes() == found.scores[i : i + 1].tobytes()
