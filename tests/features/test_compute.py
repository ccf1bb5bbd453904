from __future__ import annotations

from dxmatch.features.compute import feature_values
from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.providers import Providers
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer


def test_the_features_of_two_strings() -> None:
    """renal failure / renal disease: one word of two; failure -> disease by hand is 6 edits of the 13 letters of both."""
    features = FeatureSet.from_dict(
        {"feature": [{"name": "words", "kind": "ratio", "view": "unigram"}, {"name": "edits", "kind": "levenshtein"}]}
    )
    values = feature_values("Renal failure", "renal  disease", features, Providers(Naming(Normalizer())))
    assert list(values) == ["words", "edits"]
    assert values["words"] == 0.5
    assert abs(values["edits"] - 6 / 13) < 1e-6
