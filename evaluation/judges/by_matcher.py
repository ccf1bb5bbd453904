"""The column relation of lists, from M's own relation model: Kernel29's five classes without a language model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ModelError, NotUnderstoodWarning, OptionError
from ...matcher.protocol import Matcher, tells_relations
from ...votes.prompts.class_prompts import RELATIONS
from ..lists.lists import Lists
from ..metrics.relative import check_k
from ..metrics.weighted import RANKS
from .classified import filled_cells, nearest_relation, open_cells

MODEL = "model"
"""What `relation` is where M itself shall tell the relations."""


class Related(Protocol):
    """What M says of n pairs. semantic_distance : int8 [n], Kernel29's class from 1 to 5; another number where it cannot say."""

    @property
    def semantic_distance(self) -> ArrayLike: ...


class TellsRelations(Protocol):
    """An M with a relation model, asked (reference, answer)."""

    def relations(self, a: Sequence[str], b: Sequence[str], /) -> Related: ...


def check_tells_relations(matcher: Matcher) -> Any:
    """M, as `TellsRelations`.

    Errors: `OptionError` where it has no relation model.
    """
    if not tells_relations(matcher):
        raise OptionError("relation", f"{MODEL!r} with an M that has a relation model, or ENDPOINT:MODEL", MODEL)
    return matcher


def with_relations_by_matcher(lists: Lists, matcher: Any, *, k: int = RANKS) -> Lists:
    """The lists with the column relation: how the first k of each list are related to the reference of their case.

    Of several references the nearest counts. A cell that was given stays; one of which M cannot say anything is blank.

    Raises
    ------
    ModelError
        Where M gives something other than one class per pair.
    """
    references = [tuple(dict.fromkeys(reference)) for reference in lists.reference]
    open_ = [(i, at) for i, at in open_cells(lists, "relation", check_k(k)) if references[i]]
    said = {at: lists.strings[lists.entries[at]] for _, at in open_}
    pairs = sorted({(reference, said[at]) for i, at in open_ for reference in references[i]})
    distance = dict(zip(pairs, _distances(matcher, pairs), strict=True))

    words = {at: nearest_relation([distance[reference, said[at]] for reference in references[i]]) for i, at in open_}
    filled = filled_cells(lists, "relation", words)
    note = "The relations are those that the match function tells between reference and diagnosis."
    return replace(filled, notes=(*filled.notes, note)) if open_ else filled


def _distances(matcher: TellsRelations, pairs: Sequence[tuple[str, str]]) -> list[int | None]:
    if not pairs:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotUnderstoodWarning)  # the report says it once, of all lists
        found = np.asarray(matcher.relations([a for a, _ in pairs], [b for _, b in pairs]).semantic_distance)
    if found.shape != (len(pairs),):
        raise ModelError(f"The matcher gave {found.shape} relations for {len(pairs):,} pairs.")
    return [int(d) if 1 <= d <= len(RELATIONS) else None for d in found.tolist()]
