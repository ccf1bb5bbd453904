"""The columns of the graph, and which of two names is the narrower, against a plain reading of what they say, link by link."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.features.names import Names
from dxmatch.features.providers import SHIPPED
from dxmatch.features.registry import DISEASE_COLUMNS as COLUMNS
from dxmatch.features.registry import Pairs

from .made import GRAPH, TREE, grid, providers, table

LINK = tuple[int, float]


def directions(names: list[str], first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return Pairs(Names(names, providers()), first, second).directions(TREE, SHIPPED)


def plain(a: list[LINK], b: list[LINK]) -> dict[str, float]:
    """What the docstring of `COLUMNS` says; narrower: the certainty of the surest links in line, with the sign they agree on."""
    same = line = closeness = 0.0
    signs: dict[float, set[int]] = {}
    for p, sure_p in a:
        for q, sure_q in b:
            sure = min(sure_p, sure_q)
            steps = max(GRAPH.steps_up(p, q), GRAPH.steps_up(q, p))
            same = max(same, sure if p == q else 0)
            if sure > 0 and GRAPH.in_line(p, q):
                closeness = max(closeness if sure == line else 0, 1 / (1 + steps)) if sure >= line else closeness
                line = max(line, sure)
                signs.setdefault(sure, set()).add(0 if p == q else 1 if GRAPH.steps_up(p, q) >= 0 else -1)
    (p, sure_p), (q, sure_q) = a[0], b[0]
    shared = [i for i in range(len(GRAPH)) if GRAPH.steps_up(p, i) >= 0 and GRAPH.steps_up(q, i) >= 0]
    of, surest = GRAPH.information.tolist(), signs.get(line, {0})
    lin = 2 * max((of[i] for i in shared), default=0) / (of[p] + of[q])
    narrower = line * next(iter(surest)) if len(surest) == 1 else 0.0
    return {"same": same, "line": line, "closeness": closeness, "lin": lin, "certainty": min(sure_p, sure_q), "narrower": narrower}  # fmt: skip


WORDS = sorted({word for name in GRAPH.names for word in name.split()})
ANY = st.sampled_from(GRAPH.names) | st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


@settings(deadline=None, max_examples=50)
@given(names=st.lists(ANY, min_size=2, max_size=5, unique=True))
def test_the_columns_are_what_they_say(names: list[str]) -> None:
    """Of names of the graph, which have one link, and of others, whose words are near those of several diseases."""
    found = Names(names, providers()).diseases(SHIPPED)
    links = [[(n, c) for n, c in zip(*row, strict=True) if n >= 0] for row in zip(found.nodes.tolist(), found.certainty.tolist(), strict=True)]  # fmt: skip
    columns = table(names, *({"kind": "disease", "column": column} for column in COLUMNS))
    narrower = directions(names, *grid(len(names)))[:, 0].reshape(len(names), -1)
    for i, j in np.ndindex(narrower.shape):
        expected = plain(links[i], links[j]) if i != j else dict.fromkeys(COLUMNS, 1.0) | {"narrower": 0.0}
        told = dict(zip(COLUMNS, columns[:, i, j].tolist(), strict=True)) | {"narrower": narrower[i, j]}
        assert told == pytest.approx(expected, abs=1e-6), (names[i], names[j])


def test_a_core_is_linked() -> None:
    found = Names(["no heart attack", "family history of myocardial infarction"], providers()).diseases(SHIPPED)
    assert found.nodes[:, 0].tolist() == [GRAPH.ids.index("DOID:03")] * 2
