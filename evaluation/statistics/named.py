"""Raters that the user names: two runs of one model to compare, and the groups that models belong to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import OptionError, plain, quoted
from ...files.did_you_mean import hint
from .variants import variant_of

Compare = Iterable[tuple[str, str]] | Mapping[str, str]


def named_pairs(compare: Compare | None, raters: Sequence[str]) -> list[tuple[str, str]] | None:
    """The pairs to compare, as (tuned, base), so that a difference is what was gained, in their order; None for None.

    Names are those of raters, or of models with several prompts.

    Raises
    ------
    OptionError
        For what is no pair of two different raters, and for a pair that is named twice.
    """
    if compare is None:
        return None
    allowed = "pairs of two raters, the base first: [('base', 'tuned'), ...]"
    pairs: list[tuple[str, str]] = []
    known = list(dict.fromkeys([*raters, *(variant_of(rater).model for rater in raters)]))
    of: Iterable[Any] = compare.items() if isinstance(compare, Mapping) else compare
    for given in of:
        if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
            raise OptionError("compare", allowed, given)
        for rater in given:
            _check_rater("compare", rater, known)
        base, tuned = map(str, given)
        pair = (tuned, base)
        if pair[0] == pair[1] or pair in pairs or pair[::-1] in pairs:
            raise OptionError("compare", f"{allowed}, each pair once", pair)
        pairs.append(pair)
    if not pairs:
        raise OptionError("compare", allowed, compare)
    return pairs


def groups_of_raters(
    groups: Mapping[str, str | Iterable[str]] | None, raters: Sequence[str], of_lists: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Rater -> its group, for those that are in one. of_lists : what the lists say, where `groups` does not name the rater.

    Raises
    ------
    OptionError
        For a name that no rater has, and for a rater of two groups.
    """
    found: dict[str, str] = {}
    for group, members in (groups or {}).items():
        for rater in [members] if isinstance(members, str) else members:
            _check_rater("groups", rater, raters)
            if found.setdefault(rater, group) != group:
                raise OptionError(
                    "groups", f"one group for each rater; {quoted(rater)} is in {quoted(found[rater])}", group
                )
    said = {rater: group for rater, group in (of_lists or {}).items() if rater in raters}
    return {**found, **{rater: group for rater, group in said.items() if rater not in found}}


def _check_rater(option: str, rater: Any, raters: Sequence[str]) -> None:
    if rater not in raters:
        raise OptionError(
            option, f"names of raters{hint(str(rater), raters)}, of {', '.join(map(plain, raters))}", rater
        )
