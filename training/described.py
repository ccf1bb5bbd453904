"""What a model folder says of its own making: the manifest."""

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
from ..files.reading import PairColumns
from ..models.manifest import Column, Decision, Made, Manifest
from ..models.releases import SHAPE_FEATURES, installed_releases
from .engines.engine import LightGBM
from .fold_fit import Fitted
from .options import Split
from .statistics.split import Groups
from .statistics.threshold import Threshold


def build_manifest(
    name: str,
    engine: LightGBM,
    threshold: Threshold,
    features: FeatureSet,
    providers: Providers,
    final: Fitted,
    data: Mapping[str, Any],
    metrics: Mapping[str, Any],
) -> Manifest:
    """The manifest of M. final : the fit that M is. data, metrics : as `data_of` and `measure.measure` give them."""
    ensemble = final.ensemble
    return Manifest(
        name=name,
        made=Made(
            datetime.date.today().isoformat(),
            metadata.version("dxmatch"),
            installed_releases(("lightgbm", "numpy", *SHAPE_FEATURES)),
        ),
        features=tuple(map(Column, features.names)),
        feature_set=features.to_dict(),
        normalizer=providers.normalizer.spec(),
        encoders={encoder: providers.encoder(encoder).identity for encoder in features.encoders},
        decision=Decision(final.calibration, final.threshold, threshold.words),
        data={
            **data,
            "engine": engine.name,
            "chosen": ensemble.chosen,
            **({"leaderboard": list(ensemble.leaderboard)} if ensemble.leaderboard else {}),
            **({"search": dict(ensemble.search)} if ensemble.search else {}),
        },
        metrics=dict(metrics),
    )


def data_of(
    columns: PairColumns,
    split: Split,
    threshold: Threshold,
    read: Pairs,
    groups: Groups,
    *,
    coverage: Mapping[str, float],
    contained: Mapping[str, Any],
    warnings: Sequence[str],
    refitted: bool,
    **known: Any,
) -> dict[str, Any]:
    """What the manifest says of the labelled pairs `read`.

    known : what is said where it is not None: agreement, extra (one entry for each source of training-only pairs), dropped (as of
        `as_facts`), conflicts (as of `decide_conflicts`).
    """
    assert read.label is not None
    digest = hashlib.sha256()
    for a, b, y in zip(read.a.to_pylist(), read.b.to_pylist(), read.label.tolist(), strict=True):
        digest.update(f"{a}\t{b}\t{y}\n".encode())
    known |= {"soft": columns.soft, "prevalence": threshold.prevalence}
    return {
        "sha256": digest.hexdigest(),
        "rows": len(read),
        "matches": int(read.label.sum()),
        "groups": len(groups.names),
        "set_aside": read.n_rejected,
        "source": Path(read.source).name,
        "label": columns.label,
        "split": {"seed": split.seed, "test_share": split.test_share},
        "coverage": dict(coverage),
        "contained": dict(contained),
        "warnings": list(warnings),
        **{name: value for name, value in known.items() if value is not None},
        "refitted": refitted,
    }
