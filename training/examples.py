"""Pairs as numbers: the labelled ones with the reference diagnosis that each belongs to, and training-only ones.

Training-only ("extra") pairs are never used for calibration, threshold or measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import warn
from ..features.feature_set import FeatureSet
from ..features.providers import Providers
from ..files.pairs import Pairs, read_pairs
from ..matcher.batch import Batch, PairModel
from ..matcher.decider import excluded
from ..options import Between, File, Options, Table
from ..terms.diseases.graph import DiseaseGraph
from ..terms.encoders.static import StaticEncoder
from .engines.fitted import ExtraRows
from .statistics.split import Groups

ProvidersOf = Callable[[StaticEncoder | None, DiseaseGraph | None], Providers]
"""(a static encoder, a graph of diseases) -> what stands behind the features with these; None for the model's own."""


@dataclass(frozen=True)
class Examples:
    """n labelled pairs.

    table : float32[n, f], NaN where unknown. label : int8[n]. weight : float64[n] or None.
    identical : bool[n]; equal after normalisation, which M calls a match without the trees.
    excluded : bool[n]; what they say excludes a match, which M calls none without the trees.
    groups : what no split divides. names : str[n, 2], the two diagnoses, normalised.
    references : object[n], the tuple of names that are a pair's reference diagnosis.
    soft : float64[n] in [0, 1], the share of votes for a match, NaN where it is unknown; or None.
    """

    table: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64] | None
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
        return Examples(
            self.table[rows],
            self.label[rows],
            None if self.weight is None else self.weight[rows],
            self.identical[rows],
            self.excluded[rows],
            self.groups.take(rows),
            self.names[rows],
            self.references[rows],
            None if self.soft is None else self.soft[rows],
        )


def examples_of(read: Pairs, batch: Batch) -> Examples:
    """The pairs as numbers; batch : what M's columns see of them.

    Where `read` has no reference diagnosis, side `a` is it. Where that is neither of the two diagnoses, side `a` names the disease, too.
    """
    assert read.label is not None
    row, names = batch.pair_of_row, np.array(batch.names.names, object)
    first = names[batch.a].tolist()
    examples = Examples(
        batch.features[row],
        read.label,
        read.weight,
        batch.equal[row],
        (excluded(batch.features, batch.model.features) & ~batch.equal)[row],
        Groups.of(first if read.group is None else names_of(read.group.to_pylist(), batch.model.providers)),
        np.stack([names[batch.first[row]], names[batch.second[row]]], axis=1),
        np.empty(len(row), object),
        read.soft,
    )
    for i, (code, name) in enumerate(zip(examples.groups.code.tolist(), first, strict=True)):
        reference = examples.groups.names[code]
        examples.references[i] = (reference,) if reference in examples.names[i] else (reference, name)
    return examples


def names_of(texts: Sequence[str], providers: Providers) -> list[str]:
    """The name of each text; each different one is read once."""
    different = list(dict.fromkeys(texts))
    named = dict(zip(different, providers.naming(different), strict=True))
    return [named[text] for text in texts]


@dataclass(frozen=True, kw_only=True)
class Extra(Options):
    """Pairs to learn from besides those of the experts, such as silver pairs.

    Parameters
    ----------
    pairs : path or data frame
        With the columns `a`, `b` and `label`; an own column `weight` is not read.
    weight : float
        How much one of these pairs counts beside one of the experts', above 0.
    encoder : path, optional
        The folder of a static encoder to compute these pairs' features with, in place of the model's own. An encoder that was trained on
        the synonyms that these pairs are made of finds them too easy, and the trees would trust it more than they may.
    graph : DiseaseGraph, optional
        The graph of diseases for these pairs, in place of the model's own, for the same reason.
    """

    pairs: Table
    weight: Annotated[float, Between(0, apart=True)] = 1.0
    encoder: File | None = None
    graph: DiseaseGraph | None = None


@dataclass(frozen=True)
class ExtraExamples:
    """m extra pairs, each once, that differ after normalisation and have one label. names : object[m, 2]; the rest as in `ExtraRows`.

    sources : one entry for each `Extra`, for the manifest: where it comes from, its rows, those that say something new.
    """

    features: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64]
    names: NDArray[np.object_]
    sources: tuple[Mapping[str, Any], ...]

    def rows(self, folds_of: Mapping[str, Set[int]], unseen: Set[str]) -> ExtraRows:
        """Those that may be learned from.

        folds_of : the folds in which a name is a reference diagnosis. A pair of such a name is of that fold; a pair of two
            folds is left out, since each of them holds back what the other one learns.
        unseen : the references that are held out. No pair of one is learned from.
        """
        fold = np.full(len(self.label), -1)
        kept = np.ones(len(self.label), bool)
        for i, pair in enumerate(self.names.tolist()):
            folds = set().union(*(folds_of.get(name, ()) for name in pair))
            kept[i] = len(folds) < 2 and not any(name in unseen for name in pair)
            if folds:
                fold[i] = min(folds)
        return ExtraRows(self.features[kept], self.label[kept], self.weight[kept], fold[kept])


def read_extra(
    extra: Sequence[Extra],
    features: FeatureSet,
    own: Providers,
    providers_of: ProvidersOf,
    labelled: Examples,
) -> ExtraExamples:
    """Reads the pairs and computes their features.

    own, providers_of : what stands behind the features of the model, and with another static encoder or graph.
    labelled : the experts' pairs. An extra pair that is one of them is left out: the experts' label stands.
    """
    experts = {frozenset(pair) for pair in labelled.names.tolist()}
    read = [_examples(part, features, own, providers_of, experts) for part in extra]
    arrays = zip(*((each.features, each.label, each.weight, each.names) for each in read), strict=True)
    sources = tuple(source for each in read for source in each.sources)
    return ExtraExamples(*map(np.concatenate, arrays), sources=sources)


def _examples(
    extra: Extra,
    features: FeatureSet,
    own: Providers,
    providers_of: ProvidersOf,
    experts: set[frozenset[str]],
) -> ExtraExamples:
    read = read_pairs(extra.pairs, label="label", unlabelled=True)
    assert read.label is not None
    if n := read.n_unlabelled:
        warn(f"{read.source}: {n:,} of {len(read) + n:,} rows have no label, and are left out.")
    providers = own
    if extra.encoder is not None or extra.graph is not None:
        encoder = None if extra.encoder is None else StaticEncoder.load(Path(extra.encoder))
        providers = providers_of(encoder, extra.graph)
    batch = PairModel(features, providers, min_coverage=0).batch(read.a, read.b)
    table, text = batch.features, np.array(batch.names.names, object)
    names = np.stack([text[batch.first], text[batch.second]], axis=1)
    # A pair that stands twice is learned once: these files are generated, and a repeat is no second opinion.
    share = np.bincount(batch.pair_of_row, read.label) / np.bincount(batch.pair_of_row)
    new = np.array([frozenset(pair) not in experts for pair in names.tolist()], bool) & ~batch.equal
    new &= (share == 0) | (share == 1)
    new &= ~excluded(table, features)
    label = share[new].astype(np.int8)
    source = {
        "source": Path(read.source).name,
        "rows": len(read),
        "pairs": len(label),
        "matches": int(label.sum()),
        "weight": extra.weight,
    }
    return ExtraExamples(table[new], label, np.full(len(label), float(extra.weight)), names[new], (source,))


def folds_of_references(examples: Examples, fold: NDArray[np.int64]) -> dict[str, set[int]]:
    """The folds in which each name is a reference diagnosis. fold : int64[n]."""
    folds: dict[str, set[int]] = {}
    for references, k in zip(examples.references.tolist(), fold.tolist(), strict=True):
        for name in references:
            folds.setdefault(name, set()).add(k)
    return folds


def reference_names(examples: Examples) -> set[str]:
    return {name for references in examples.references.tolist() for name in references}
