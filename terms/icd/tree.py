"""The tree of ICD-10: chapters, blocks, categories, subcategories and 7-character extensions, held in arrays.

Nodes are numbered in tree order: a parent stands before its children, siblings in the order of the source.
A block that holds a single category of the same name (B20, C50, C7A in ICD-10-CM) is a node of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHAPTER, BLOCK, CATEGORY, SUBCATEGORY, EXTENSION = range(5)

# What people write inside a code and ICD-10 does not count: the point, blanks, dashes, WHO's dagger and asterisk.
DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_BLANKS = " \t\n\r\f\v\u00a0\u2007\u2009\u202f"
_NOT_COUNTED = dict.fromkeys(map(ord, "." + DASHES + _BLANKS + "†*+"))
_BETWEEN = "\0"

CODE_FORM = re.compile(r"[a-z]\d[0-9a-z]( ?[0-9a-z]{1,4})?")
"""What a code looks like after normalisation: "i21", "i21 0", "i210", "a15 a19". Other texts may, too ("h1n1")."""


def code_key(code: str) -> str:
    """The form in which codes are compared: "i21.0", "I210" and " I21.0 " are one; "A15-A19" becomes "A15A19"."""
    return code.translate(_NOT_COUNTED).upper()


@dataclass(eq=False)
class IcdTree:
    """The nodes of one edition of ICD-10.

    Attributes
    ----------
    codes, names : one text per node. A code may stand twice only as a block and, after it, its single category.
    kinds : uint8[n], from `CHAPTER` to `EXTENSION`.
    parents : int32[n], the parent's number; -1 for a root. A parent's number is smaller than its child's.
    terms, term_nodes : inclusion terms and, int32[t], the node that each belongs to, rising.
    source : what the tree was read from, with its version; stands in errors and in the key of the cache.
    """

    codes: list[str]
    names: list[str]
    kinds: NDArray[np.uint8]
    parents: NDArray[np.int32]
    terms: list[str]
    term_nodes: NDArray[np.int32]
    source: str

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Key of a code -> node; the later node, which is the category, wins over the block of the same code."""
        keys = code_key(_BETWEEN.join(self.codes)).split(_BETWEEN)
        return dict(zip(keys, range(len(keys)), strict=True))

    def find(self, code: str) -> int:
        """The node of `code` as people write it, or -1. Where a block and its category share a code: the category."""
        return self._numbers.get(code_key(code), -1)

    def ancestors(self, node: int) -> list[int]:
        """From the parent up to the chapter; empty for a root. The node itself is not among them."""
        path = self.paths[node]
        return path[path >= 0][-2::-1].tolist()

    def inclusion_terms(self, node: int) -> list[str]:
        first, last = np.searchsorted(self.term_nodes, [node, node + 1])
        return [self.terms[i] for i in range(first, last)]

    @cached_property
    def categories(self) -> NDArray[np.int32]:
        """int32[n]: per node its three-character category, itself for a category; -1 for chapters and blocks."""
        upwards = self.paths[:-1, ::-1]
        there = (upwards >= 0) & (self.kinds[upwards] == CATEGORY) & (self.kinds >= CATEGORY)[:, None]
        return np.where(there.any(1), upwards[np.arange(len(self)), there.argmax(1)], np.int32(-1))

    @cached_property
    def upwards(self) -> Any:
        """A sparse uint16[n, n], 1 for each node itself and each above it."""
        from scipy.sparse import csr_array

        node, at = np.nonzero(self.paths[:-1] >= 0)
        above = self.paths[node, at]
        return csr_array((np.ones(len(node), np.uint16), (node, above)), shape=(len(self), len(self)))

    @cached_property
    def chapters(self) -> NDArray[np.int32]:
        """int32[n + 1]: the root above each node; the last, which -1 finds, is -1."""
        return self.paths[:, 0]

    @cached_property
    def paths(self) -> NDArray[np.int32]:
        """int32[n + 1, levels]: from the chapter down to each node itself, then -1; the last, which -1 finds, is all -1."""
        parents = np.append(self.parents, np.int32(-1))
        above = [np.append(np.arange(len(self), dtype=np.int32), np.int32(-1))]
        while (above[-1] >= 0).any():
            above.append(parents[above[-1]])
        upwards = np.array(above)
        depths = (upwards >= 0).sum(0)
        # Column j from the root is the ancestor depth - 1 - j from below; the last row of `upwards` is -1 for each.
        places = depths[:, None] - 1 - np.arange(len(upwards))
        return np.where(places >= 0, upwards[places, np.arange(len(parents))[:, None]], np.int32(-1))


def nearest_codes(code: str, codes: Sequence[str], n: int = 3) -> list[str]:
    """The `n` of `codes` with the fewest edits; of equals, those that begin alike for longest, then those of a like length."""
    from rapidfuzz.distance import Levenshtein, Prefix

    key = code_key(code)

    def apart(known: str) -> tuple[int, int, int]:
        other = code_key(known)
        return Levenshtein.distance(key, other), -Prefix.similarity(key, other), abs(len(other) - len(key))

    # A block and its category may share a code.
    return nsmallest(n, dict.fromkeys(codes), apart)
