"""The manifest of a trained match function: what it is made of, what it learned from, how good it is."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from ..features.feature_set import FeatureSet
from ..features.providers import Providers
from ..files.pairs import Pairs
from ..models.manifest import Manifest
from ..models.releases import SHAPE_FEATURES
from .expert_agreement import expert_agreement
from .fold_fit import Fitted
from .recipe import Recipe
from .split import Groups


def build_manifest(
    recipe: Recipe,
    features: FeatureSet,
    providers: Providers,
    final: Fitted,
    data: Mapping[str, Any],
    metrics: Mapping[str, Any],
) -> Manifest:
    """The manifest of M. final : the fit that M is. data, metrics : as `data_of` and `measure.measure` give them."""
    ensemble = final.ensemble
    return Manifest(
        name=recipe.name,
        created=datetime.date.today().isoformat(),
        dxmatch=metadata.version("dxmatch"),
        feature_names=features.names,
        feature_set=features.to_dict(),
        normalizer=providers.normalizer.spec(),
        calibration=final.calibration,
        threshold=final.threshold,
        threshold_rule=recipe.rule.words(recipe.prevalence),
        encoders={encoder: providers.encoder(encoder).identity for encoder in features.encoders},
        libraries={library: metadata.version(library) for library in ("lightgbm", "numpy", *SHAPE_FEATURES)},
        data={
            **data,
            "engine": recipe.engine,
            "chosen": ensemble.chosen,
            **({"leaderboard": list(ensemble.leaderboard)} if ensemble.leaderboard else {}),
        },
        metrics=dict(metrics),
        ensemble=ensemble.combination,
    )


def data_of(
    recipe: Recipe,
    read: Pairs,
    groups: Groups,
    *,
    coverage: Mapping[str, float],
    contained: Mapping[str, Any],
    warnings: Sequence[str],
    extra: Sequence[Mapping[str, Any]] | None,
    refitted: bool,
) -> dict[str, Any]:
    """What the manifest says of the labelled pairs `read`. extra : one entry for each source of training-only pairs."""
    assert read.label is not None
    digest = hashlib.sha256()
    for a, b, y in zip(read.a.to_pylist(), read.b.to_pylist(), read.label.tolist(), strict=True):
        digest.update(f"{a}\t{b}\t{y}\n".encode())
    known = {
        "agreement": None if read.ballots is None else expert_agreement(read.ballots),
        "soft": recipe.soft,
        "prevalence": recipe.prevalence,
        "extra": None if extra is None else list(extra),
    }
    return {
        "sha256": digest.hexdigest(),
        "rows": len(read),
        "matches": int(read.label.sum()),
        "groups": len(groups.names),
        "set_aside": read.n_rejected,
        "source": Path(read.source).name,
        "label": recipe.label,
        "coverage": dict(coverage),
        "contained": dict(contained),
        "warnings": list(warnings),
        **{name: value for name, value in known.items() if value is not None},
        "refitted": refitted,
    }
