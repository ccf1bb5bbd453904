"""What is wrong, or doubtful, with labelled pairs once their features are known."""

from __future__ import annotations

import numpy as np

from ..errors import InputError, quoted
from ..features.feature_set import FeatureSet, FeatureSpec
from ..features.registry import KINDS
from .examples import Examples

FEW_PAIRS = 50
FEW_OF_A_LABEL = 10
SHOWN = 3


def check_examples(examples: Examples, features: FeatureSet) -> list[str]:
    """One line for each thing that is doubtful, for the terminal and the card.

    Errors: `InputError` for one label only, for features that are all the same for every pair, and where the features say
    the opposite of the labels.
    """
    differ = examples.take(~examples.identical)
    for part, among in ((examples, "the pairs"), (differ, "the pairs that differ after normalisation")):
        labels = sorted(set(part.label.tolist()))
        if len(labels) < 2:
            raise InputError(
                f"only one label among {among}", allowed="both matches (1) and non-matches (0)", got=labels
            )
    warnings = _constant(differ, features)
    _check_reversed(differ, features)
    return [*_few(differ), *warnings, *_equal_non_matches(examples), *_two_labels(differ)]


def _few(differ: Examples) -> list[str]:
    matches = int(differ.label.sum())
    fewest = min(matches, len(differ) - matches)
    if len(differ) >= FEW_PAIRS and fewest >= FEW_OF_A_LABEL:
        return []
    return [
        f"Only {len(differ)} labelled pairs that differ, {matches} of them matches: what is measured on them is uncertain."
        f" {FEW_PAIRS} pairs with {FEW_OF_A_LABEL} of each label are the least to rely on."
    ]


def _constant(differ: Examples, features: FeatureSet) -> list[str]:
    warnings = []
    for name, column in zip(features.names, differ.table.T, strict=True):
        known = column[~np.isnan(column)]
        if not len(known):
            warnings.append(f"The feature {name} is missing for every pair, so nothing was learned from it.")
        elif len(known) == len(column) and (known == known[0]).all():
            warnings.append(
                f"The feature {name} is {known[0]:g} for every pair that differs, so nothing was learned from it."
            )
    if len(warnings) == len(features.names):
        raise InputError(
            "no feature tells one pair from another: each is missing or the same for every pair",
            allowed="at least one feature with two values",
            got=list(features.names),
        )
    return warnings


def _equal_non_matches(examples: Examples) -> list[str]:
    wrong = examples.names[examples.identical & (examples.label == 0), 0].tolist()
    if not wrong:
        return []
    return [
        f"Pairs labelled 0 that are equal after normalisation, which M calls a match: {len(wrong):,}"
        f" ({_some([quoted(name) for name in dict.fromkeys(wrong)])})."
    ]


def _two_labels(differ: Examples) -> list[str]:
    """Pairs that only the normaliser makes one; those that are one as written were refused when they were read."""
    labels: dict[frozenset[str], set[int]] = {}
    for pair, label in zip(differ.names.tolist(), differ.label.tolist(), strict=True):
        labels.setdefault(frozenset(pair), set()).add(label)
    wrong = [sorted(pair) for pair, both in labels.items() if len(both) > 1]
    if not wrong:
        return []
    shown = _some([f"{quoted(a)} and {quoted(b)}" for a, b in wrong])
    return [f"Pairs that have two labels once their writing is normalised: {len(wrong):,} ({shown})."]


def _some(items: list[str]) -> str:
    return ", ".join(items[:SHOWN]) + (", …" if len(items) > SHOWN else "")


def _check_reversed(differ: Examples, features: FeatureSet) -> None:
    """Some feature is against the labels beyond chance, and none is with them: 0 and 1 are swapped.

    A feature is with the labels as far as a match is likelier than a non-match to have the value nearer `FeatureKind.alike`:
    the area under the ROC curve. Its standard error without any relation is sqrt((n + 1) / (12 n1 n0)) (Mann & Whitney 1947).
    """
    from sklearn.metrics import roc_auc_score

    areas = {}
    for spec, column in zip(features.features, differ.table.T, strict=True):
        known = ~np.isnan(column)
        label = differ.label[known]
        if 0 < label.sum() < len(label) and (towards := _towards_alike(spec)):
            areas[spec.name] = float(roc_auc_score(label, towards * column[known])), label
    if not areas or max(area for area, _ in areas.values()) > 0.6:
        return
    name, (area, label) = min(areas.items(), key=lambda item: item[1][0])
    matches = int(label.sum())
    chance = ((len(label) + 1) / (12 * matches * (len(label) - matches))) ** 0.5
    if area < 0.4 and area < 0.5 - 3 * chance:
        raise InputError(
            f"the labels look swapped: pairs labelled 0 are more alike than pairs labelled 1 (by {name} in {1 - area:.0%} of the"
            " comparisons, and by no feature the other way)",
            allowed="1 for a match, 0 for no match",
        )


def _towards_alike(spec: FeatureSpec) -> int:
    """1 or -1 where equal strings have the highest or the lowest value of the feature, else 0."""
    kind = KINDS[spec.kind]
    return 1 if kind.alike == kind.range[1] else -1 if kind.alike == kind.range[0] else 0
