"""The names of a node as ICD-10 writes them: its title, its inclusion terms, and what else each says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .readings import other_readings, plain_readings
from .tree import CATEGORY, IcdTree

_RANGE = re.compile(r"\s*\([A-Z]\d[0-9A-Z](?:-[A-Z]\d[0-9A-Z])?\)$")


def written_names(tree: IcdTree, node: int) -> Iterator[str]:
    """The title, then the inclusion terms, then the other readings of both.

    A chapter's or section's title is given without its codes ("Tuberculosis (A15-A19)"), and without what stands among its
    inclusion terms as a note in whole sentences.
    """
    title, terms = tree.name(node), tree.inclusion_terms(node)
    if tree.kinds[node] < CATEGORY:
        title, terms = _RANGE.sub("", title), [term for term in terms if "." not in term]
    yield from (title, *terms)
    for name in (title, *terms):
        yield from other_readings(name)
    if tree.kinds[node] >= CATEGORY:
        yield from plain_readings(title)
