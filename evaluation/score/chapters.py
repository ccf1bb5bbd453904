"""How the chapters of ICD-10 are called in tables."""

from __future__ import annotations

import re

from ...terms.icd.tree import IcdTree

_RANGE = re.compile(r"\(([A-Z][0-9A-Z]{2}-[A-Z][0-9A-Z]{2})\)$")


def chapter_label(tree: IcdTree, chapter: int) -> str:
    """Names a chapter by the range of its codes where its name tells it, "J00-J99"; else "chapter X"."""
    found = _RANGE.search(tree.names[chapter])
    return found[1] if found else f"chapter {tree.codes[chapter]}"
