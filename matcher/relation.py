"""What one diagnosis is to another: the same, a kind of it, a class of it, near kin, nothing, or excluded; and why, in a sentence.

The reasons: what the words exclude, what the graph of diseases knows, in which words they differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import plain
from ..features.contrast import contrasts
from ..features.names import Names
from ..features.providers import SHIPPED, Providers
from ..pages.facts import facts
from ..terms.diseases.graph import DiseaseGraph
from ..terms.text.assertion import Assertion, Status, excludes
from .policy import RELATIONS

if TYPE_CHECKING:
    import pyarrow as pa

RELATION_COLUMNS = tuple(f"relation_{name}" for name in RELATIONS)
"""Of a scored table: the probability of each relation."""
SURE = 0.9
"""Below this certainty of a link nothing is said of the disease that it leads to."""


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
    kinds : of each pair the likeliest of the relations that go with its match under M's own threshold: of those that the policy counts
        where it is one, of the others where it is none; None where it is unscored.
    near, far : float64[n]: the probability that the two do not match and a narrow group, or only a wide one, holds both. Opposed diseases
        ("acute" and "chronic pancreatitis") are excluded and may be near kin all the same.
    why : the reason of each pair in a sentence, "" where nothing says it; () where it was not asked for.
    """

    probabilities: NDArray[np.float64]
    kinds: Sequence[str | None]
    near: NDArray[np.float64]
    far: NDArray[np.float64]
    why: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.near)

    @property
    def semantic_distance(self) -> NDArray[np.int8]:
        """int8[n]: Kernel29's five classes, 1 (exact synonym) to 5 (not related), of least expected squared error; 0 where unscored.

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


def reason(providers: Providers, names: Names, a: int, b: int) -> str:
    """A sentence, or "" where neither the words nor the graph say anything. a, b : places among the names."""
    # read anew: those of `names` stay behind where they travel to a worker
    first, second = (providers.normalizer.assertion(names.names[place]) for place in (a, b))
    if excludes(first, second):
        return f"{_said(first)}, {_said(second)}"
    if opposed := contrasts(first.core, second.core, providers.normalizer.language):
        return f"'{opposed[0][0]}' and '{opposed[0][1]}' differ"
    if a == b:
        return ""
    return "" if providers.graph is None else _of_graph(providers.graph, names, a, b)


def _said(assertion: Assertion) -> str:
    """What is said of a diagnosis, with the words that say so."""
    words = f"'{assertion.trigger}'"
    match assertion.status:
        case Status.PRESENT | Status.POSSIBLE:
            return f"{assertion.core} is {assertion.status}"
        case Status.NO_DISEASE:
            return f"{assertion.core} is no disease of the patient ({assertion.about or 'none'}: {words})"
        case Status.FAMILY:
            return f"{assertion.core} is in the family ({words})"
        case _:
            return f"{assertion.core} is {assertion.status} ({words})"


def _of_graph(graph: DiseaseGraph, names: Names, a: int, b: int) -> str:
    links = names.diseases(SHIPPED)
    (p, q), sure = links.nodes[[a, b], 0].tolist(), links.certainty[[a, b], 0]
    if min(p, q) < 0 or not (sure >= SURE).all():
        return ""
    if p == q:
        return f"both are names of {graph.labels[p]} ({graph.source(p)})"
    for narrow, wide in ((p, q), (q, p)):
        if graph.steps_up(narrow, wide) >= 0:
            broad = ", a class that is too broad to name a disease" if graph.too_broad[wide] else ""
            what = "a sign of" if graph.is_sign_of(narrow, wide) else "a kind of"
            return f"{graph.labels[narrow]} is {what} {graph.labels[wide]} ({graph.source(narrow)}){broad}"
    return ""
