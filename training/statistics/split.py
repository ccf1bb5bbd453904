"""Splits by reference diagnosis: all rows of one reference lie on one side."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError


@dataclass(frozen=True)
class Groups:
    """n rows in g groups; `code` is int64[n] in [0, g), `names` the g reference diagnoses, normalised."""

    code: NDArray[np.int64]
    names: list[str]

    @classmethod
    def of(cls, references: Sequence[str]) -> Groups:
        names: dict[str, int] = {}
        code = np.fromiter((names.setdefault(name, len(names)) for name in references), np.int64, len(references))
        return cls(code, list(names))

    def take(self, rows: NDArray[np.bool_]) -> Groups:
        return Groups.of([self.names[code] for code in self.code[rows]])


def held_out(groups: Groups, share: float, seed: int) -> NDArray[np.bool_]:
    """bool[n]: rows of the held-out groups, about `share` of all groups.

    A group's side depends on its name and the seed alone, so the same reference falls on the same side in every file
    and in any order of rows.
    """
    digests = (hashlib.sha256(f"{seed}:{name}".encode()).digest() for name in groups.names)
    chosen = [int.from_bytes(digest[:8], "big") / 2**64 < share for digest in digests]
    return np.array(chosen, bool)[groups.code]


def grouped_folds(groups: Groups, label: NDArray[np.int8], folds: int, seed: int) -> NDArray[np.int64]:
    """int64[n]: the fold of each row; groups are whole, the share of matches about even.

    Errors: `InputError` with fewer than 2 groups a fold, or a fold without both labels.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    if len(groups.names) < 2 * folds:
        raise InputError(
            f"{len(groups.names)} reference diagnoses are too few for {folds} folds",
            allowed=f"at least {2 * folds} different references to train on",
            remedy=f"the option 'folds' ({max(2, len(groups.names) // 2)}) takes fewer folds",
        )
    out = np.empty(len(label), np.int64)
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    for fold, (_, rows) in enumerate(splitter.split(label, label, groups.code)):
        out[rows] = fold
        if len(set(label[rows].tolist())) < 2:
            raise InputError(
                "a fold without both labels", allowed=f"matches and non-matches under at least {folds} references",
                got=f"{int(label.sum())} matches in {len(label)} pairs",
            )  # fmt: skip
    return out
