"""Pairs as M's columns see them, without a column."""

from __future__ import annotations

from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.providers import Providers
from dxmatch.files.pairs import Pairs
from dxmatch.matcher.batch import Batch, PairModel
from dxmatch.terms.icd.naming import Naming


def seen(pairs: Pairs, naming: Naming) -> Batch:
    """What training makes of them first."""
    return PairModel(FeatureSet("none", "en", ()), Providers(naming)).batch(pairs.a, pairs.b)
