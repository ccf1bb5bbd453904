"""Pairs as numbers: the labelled ones with the reference diagnosis that each belongs to, and training-only ones.

Training-only ("extra") pairs are never used for calibration, threshold or measurement.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import warn
from ..files.pairs import Pairs, read_pairs
from ..matcher.batch import Batch, PairModel
from .engines.fitted import ExtraRows
from .options import Extra
from .statistics.split import Groups


@dataclass(frozen=True)
class Examples:
    """n labelled pairs.

    table : float32[n, f], NaN where unknown. label : int8[n]. weight : float64[n], above 0.
    identical : bool[n]; equal after normalisation, which M calls a match without the trees.
    excluded : bool[n]; what they say excludes a match, which M calls none without the trees.
    groups : what no split divides. names : str[n, 2], the two diagnoses, normalised.
    references : str[n, 2], the names that are a pair's reference diagnosis, often twice the same.
    soft : float64[n] in [0, 1], the share of votes for a match, NaN where it is unknown; or None.
    """

    table: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64]
    identical: NDArray[np.bool_]
    excluded: NDArray[np.bool_]
    groups: Groups
    names: NDArray[np.object_]
    references: NDArray[np.object_]
    soft: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.label)

    @property
    def open(self) -> NDArray[np.bool_]:
        """bool[n]: the pairs that the trees decide."""
        return ~self.identical & ~self.excluded

    def with_rules(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities float64[n] with 1 for identical pairs and 0 for excluded ones."""
        return np.where(self.identical, 1.0, np.where(self.excluded, 0.0, probability))

    def take(self, rows: NDArray[np.bool_]) -> Examples:
        arrays = {name: value[rows] for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return replace(self, groups=self.groups.take(rows), **arrays)


def examples_of(read: Pairs, batch: Batch) -> Examples:
    """The pairs as numbers; batch : what M's columns see of them.

    Where `read` has no reference diagnosis, side `a` is it. Where that is neither of the two diagnoses, side `a` names the disease, too.
    """
    assert read.label is not None
    row, text, groups = batch.pair_of_row, np.array(batch.names.names, object), groups_of(read, batch)
    names = np.stack([text[batch.first[row]], text[batch.second[row]]], axis=1)
    reference = np.array(groups.names, object)[groups.code]
    named = (names == reference[:, None]).any(axis=1)
    return Examples(
        batch.features[row],
        read.label,
        np.ones(len(row)) if read.weight is None else read.weight,
        batch.equal[row],
        (batch.model.features.excludes(batch.features) & ~batch.equal)[row],
        groups,
        names,
        np.stack([reference, np.where(named, reference, text[batch.a])], axis=1),
        read.soft,
    )


def groups_of(read: Pairs, batch: Batch) -> Groups:
    """The pairs by the name of their reference diagnosis; side `a` is it where `read` has none."""
    text = np.array(batch.names.names, object)
    if read.group is None:
        return Groups.of(text[batch.a].tolist())
    named = dict(zip(batch.names.texts, text[batch.names.name_of].tolist(), strict=True))
    references = read.group.to_pylist()
    others = list(dict.fromkeys(reference for reference in references if reference not in named))
    named |= zip(others, batch.model.providers.naming(others), strict=True)
    return Groups.of([named[reference] for reference in references])


@dataclass(frozen=True)
class ExtraExamples:
    """m extra pairs, each once, that differ after normalisation and have one label. names : object[m, 2]; the rest as in `ExtraRows`.

    source : for the manifest: where they come from, its rows, those that say something new.
    """

    features: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64]
    names: NDArray[np.object_]
    source: Mapping[str, Any]

    def rows(self, folds_of: Mapping[str, Set[int]], unseen: Set[str]) -> ExtraRows:
        """Those that may be learned from.

        folds_of : the folds in which a name is a reference diagnosis. A pair of such a name is of that fold; a pair of two
            folds is left out, since each of them holds back what the other one learns.
        unseen : the references that are held out. No pair of one is learned from.
        """
        names = self.names.tolist()
        folds = [set[int]().union(*(folds_of.get(name, ()) for name in pair)) for pair in names]
        fold = np.array([min(of, default=-1) for of in folds], np.int64)
        kept = np.array([len(of) < 2 and unseen.isdisjoint(p) for of, p in zip(folds, names, strict=True)], bool)
        return ExtraRows(self.features[kept], self.label[kept], self.weight[kept], fold[kept])


def read_extra(extra: Extra, seen: PairModel, labelled: Examples) -> ExtraExamples:
    """Reads the pairs and computes their features.

    seen : what they are seen with. labelled : the experts' pairs. An extra pair that is one of them is left out: the experts' label stands.
    """
    read = read_pairs(extra.pairs, label="label", unlabelled=True)
    assert read.label is not None
    if n := read.n_unlabelled:
        warn(f"{read.source}: {n:,} of {len(read) + n:,} rows have no label, and are left out.")
    batch = seen.batch(read.a, read.b)
    table, text = batch.features, np.array(batch.names.names, object)
    names = np.stack([text[batch.first], text[batch.second]], axis=1)
    # A pair that stands twice is learned once: these files are generated, and a repeat is no second opinion.
    share = np.bincount(batch.pair_of_row, read.label) / np.bincount(batch.pair_of_row)
    experts = {frozenset(pair) for pair in labelled.names.tolist()}
    new = np.array([frozenset(pair) not in experts for pair in names.tolist()], bool) & ~batch.equal
    new &= ((share == 0) | (share == 1)) & ~seen.features.excludes(table)
    label = share[new].astype(np.int8)
    source = {
        "source": Path(read.source).name,
        "rows": len(read),
        "pairs": len(label),
        "matches": int(label.sum()),
        "weight": extra.weight,
    }
    return ExtraExamples(table[new], label, np.full(len(label), float(extra.weight)), names[new], source)


def folds_of_references(examples: Examples, fold: NDArray[np.int64]) -> dict[str, set[int]]:
    """The folds in which each name is a reference diagnosis. fold : int64[n]."""
    folds: dict[str, set[int]] = {}
    for references, k in zip(examples.references.tolist(), fold.tolist(), strict=True):
        for name in references:
            folds.setdefault(name, set()).add(k)
    return folds
