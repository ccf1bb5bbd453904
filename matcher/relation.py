"""What one diagnosis is to another: the same, a kind of it, a class of it, near kin, nothing, or excluded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import plain
from ..features.coverage import covered_table
from ..features.direction import directions_of_rows, prepare_directions
from ..features.interning import InternedPairs
from ..features.providers import SHIPPED
from ..features.representations import Representations
from ..models.relation import LEARNT_POLICIES
from ..pages.facts import facts
from ..terms.text.assertion import Assertion
from .policy import EXCLUDED, RELATIONS, SAME, Policy
from .reasons import reason
from .trained import TrainedFunction, relation_model

if TYPE_CHECKING:
    import pyarrow as pa

SEMANTIC = ("Exact Synonym", "Broad Synonym", "Exact Disease Group", "Broad Disease Group", "Not Related")
"""The five classes of Kernel29, from 1 to 5."""
RELATION_COLUMNS = tuple(f"relation_{name}" for name in RELATIONS)
"""Of a scored table: the probability of each relation."""


@dataclass(frozen=True)
class Relation:
    """What `a` is to `b`.

    Attributes
    ----------
    kind : the likeliest: "same", "narrower" (a is a kind of b), "broader", "related", "unrelated" or "excluded".
    probabilities : of each, adding up to 1.
    assertions : what is said of the diagnosis of `a`, and of that of `b`.
    why : in a sentence, where the graph of diseases or the words say it; else "".
    """

    kind: str
    probabilities: Mapping[str, float]
    assertions: tuple[Assertion, Assertion]
    why: str

    def _repr_html_(self) -> str:
        rows = sorted(self.probabilities.items(), key=lambda each: -each[1])
        return facts(self.kind, [(name, f"{p:.2f}") for name, p in rows], [plain(self.why)] if self.why else [])

    def __str__(self) -> str:
        return f"{self.kind} ({self.probabilities[self.kind]:.2f}){f': {self.why}' if self.why else ''}"


@dataclass(frozen=True)
class Relations:
    """The relations of n pairs.

    Attributes
    ----------
    probabilities : float64[n, 6], in the order of `RELATIONS`; each row adds up to 1, or is NaN for a pair that is unscored.
    near, far : float64[n]: the probability that the two do not match and a narrow group, or only a wide one, holds both. Opposed diseases
        ("acute" and "chronic pancreatitis") are excluded and may be near kin all the same.
    why : the reason of each pair in a sentence, "" where nothing says it; () where it was not asked for.
    """

    probabilities: NDArray[np.float64]
    near: NDArray[np.float64]
    far: NDArray[np.float64]
    why: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.near)

    @cached_property
    def kinds(self) -> list[str | None]:
        """The likeliest relation of each pair; None where it is unscored."""
        likeliest = np.nan_to_num(self.probabilities).argmax(axis=1)
        known = np.isfinite(self.probabilities[:, 0])
        return [RELATIONS[i] if there else None for i, there in zip(likeliest.tolist(), known.tolist(), strict=True)]

    @property
    def semantic_distance(self) -> NDArray[np.int8]:
        """int8[n]: Kernel29's five classes, 1 (`SEMANTIC`: exact synonym) to 5 (not related), of least expected squared error; 0 where unscored.

        Same is an exact synonym, kind and class are broad synonyms, what one narrow group holds is an exact disease group, what a wide one
        holds a broad disease group, and all else is not related.
        """
        same, narrower, broader, *_ = self.probabilities.T
        mean = 5 - 4 * same - 3 * (narrower + broader) - 2 * self.near - self.far
        return np.where(np.isfinite(mean), np.rint(mean), 0).astype(np.int8)

    def columns(self) -> dict[str, pa.Array]:
        """`relation` and `RELATION_COLUMNS`; null where a pair is unscored."""
        import pyarrow as pa

        values = (pa.array(column, from_pandas=True) for column in self.probabilities.T)
        return {"relation": pa.array(self.kinds, pa.string()), **dict(zip(RELATION_COLUMNS, values, strict=True))}


def prepare_relations(m: TrainedFunction, texts: Representations) -> None:
    """Makes what the relations need of the names beside the features."""
    prepare_directions(texts, source=_source(m), encoder=SHIPPED)


def _source(m: TrainedFunction) -> str:
    return m.features.icd_source or "icd10cm"


def _directed(m: TrainedFunction, pairs: InternedPairs, texts: Representations) -> NDArray[np.float32]:
    """float32[n, 5], the directions of the rows of `pairs`, from `a` to `b`."""
    return directions_of_rows(texts, pairs, source=_source(m), encoder=SHIPPED)


def relations_of(
    m: TrainedFunction,
    pairs: InternedPairs,
    table: NDArray[np.float32],
    texts: Representations,
    *,
    threads: int | None = None,
) -> Relations:
    """The relations of the n rows of `pairs`.

    Parameters
    ----------
    table, texts : the features of the unique pairs, float32[u, f], and what they were computed from.
    """
    model = relation_model(m.parts)
    match = m.decided(table, pairs.equal, threads=threads)
    same, kin, close = (model.of_head(head, table, threads=threads) for head in ("same", "kin", "close"))
    opposed = _flagged(m, "contrast", table)
    differ = 1 - match
    of_pairs = np.stack(
        [
            match * same,
            match * (1 - same),
            np.where(opposed, 0, differ * kin),
            np.where(opposed, 0, differ * (1 - kin)),
            np.where(opposed, differ, 0),
        ],
        axis=1,
    )
    rows, narrower = pairs.pair_of_row, model.first_is_narrower(_directed(m, pairs, texts))
    one, kind, *others = of_pairs[rows].T
    out = np.stack([one, kind * narrower, kind * (1 - narrower), *others], axis=1)
    excluded = _flagged(m, "exclusion", table) & ~pairs.equal
    out[excluded[rows]] = [float(name == EXCLUDED) for name in RELATIONS]
    out[pairs.equal[rows]] = [float(name == SAME) for name in RELATIONS]
    out[m.unscored(pairs)] = np.nan
    groups = np.where(pairs.equal | excluded, 0, differ * kin)
    return Relations(out, (groups * close)[rows], (groups * (1 - close))[rows])


def reasons_of(m: TrainedFunction, pairs: InternedPairs, texts: Representations) -> tuple[str, ...]:
    """The reasons of the n rows of `pairs`, each as in `Relation.why`; "" for a row that is unscored."""
    ends = np.stack([pairs.first, pairs.second], axis=1)[pairs.pair_of_row]
    ends[pairs.turned] = ends[pairs.turned, ::-1]
    rows = zip(ends.tolist(), m.unscored(pairs).tolist(), strict=True)
    return tuple("" if unscored else reason(m.providers, texts, a, b) for (a, b), unscored in rows)


def _flagged(m: TrainedFunction, kind: str, table: NDArray[np.float32]) -> NDArray[np.bool_]:
    """bool[u]: the column of a kind is above 0."""
    columns = [column for column, feature in enumerate(m.features.features) if feature.kind == kind]
    return np.asarray((table[:, columns] > 0).any(axis=1))


def policy_probability(
    m: TrainedFunction,
    policy: Policy,
    pairs: InternedPairs,
    table: NDArray[np.float32],
    texts: Representations,
    *,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """float64[n]: the probability that a row counts as a match under a policy other than the default.

    The sum over the relations that count. Where the labelled pairs have taught the policy itself, theirs, and never more than under the
    default policy.
    """
    model = relation_model(m.parts)
    if policy.name not in model.trees or policy.name not in LEARNT_POLICIES:
        return policy.probability(relations_of(m, pairs, table, texts, threads=threads).probabilities)
    rows = pairs.pair_of_row
    most = m.decided(table, pairs.equal, threads=threads)[rows]
    learnt = model.of_head(policy.name, np.hstack([table[rows], _directed(m, pairs, texts)]), threads=threads)
    return np.where(pairs.equal[rows], most, np.minimum(learnt, most))


def one_relation(m: TrainedFunction, pairs: InternedPairs) -> Relation:
    """What the only row of `pairs` is."""
    texts = Representations(pairs.names, m.providers)
    table, _ = covered_table(pairs, m.features, m.providers, m.min_coverage, texts=texts)
    found = relations_of(m, pairs, table, texts)
    a, b = (pairs.first[0], pairs.second[0])[:: -1 if pairs.turned[0] else 1]
    kind = found.kinds[0] or EXCLUDED
    probabilities: dict[str, Any] = dict(zip(RELATIONS, found.probabilities[0].tolist(), strict=True))
    return Relation(kind, probabilities, (texts.assertions[a], texts.assertions[b]), reason(m.providers, texts, a, b))
