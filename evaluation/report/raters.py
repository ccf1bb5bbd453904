"""Who is judged, and by whom; whom the user names to compare, and in which groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import OptionError, plain, quoted
from ...files.wording import hint
from ..statistics.estimates import Pair
from ..statistics.prompts import variant_of

Compare = Iterable[Pair] | Mapping[str, str]


@dataclass(frozen=True)
class Raters:
    """Who is judged, and by whom.

    names : r raters. roles : rater -> "algorithm" or "expert", for those of whom something says it. panels : algorithm -> its experts.
    in_turn : each is judged by all others. groups : rater -> the group of models that it belongs to. compared : the pairs to
    compare, where they were named.
    """

    names: Sequence[str]
    roles: Mapping[str, str] = field(default_factory=dict)
    panels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    in_turn: bool = False
    groups: Mapping[str, str] = field(default_factory=dict)
    compared: Sequence[tuple[str, str]] | None = None

    @property
    def algorithms(self) -> list[str]:
        """Whoever is compared with a panel; without a panel, the algorithms, or else all raters."""
        named = [rater for rater in self.names if self.roles.get(rater) == "algorithm"]
        return list(self.panels) or named or list(self.names)


def named_pairs(compare: Compare | None, raters: Sequence[str]) -> list[Pair] | None:
    """Reads the pairs to compare as (tuned, base), so that a difference is what was gained; None for None.

    Names are those of raters, or of models with several prompts.

    Raises
    ------
    OptionError
        For what is no pair of two different raters, and for a pair that is named twice.
    """
    if compare is None:
        return None
    allowed = "pairs of two raters, the base first, each pair once: [('base', 'tuned'), ...]"
    known = list(dict.fromkeys([*raters, *(variant_of(rater)[0] for rater in raters)]))
    given: list[Any] = list(compare.items() if isinstance(compare, Mapping) else compare)
    pairs: list[Pair] = []
    for pair in given:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise OptionError("compare", allowed, pair)
        for rater in pair:
            _check_rater("compare", rater, known)
        base, tuned = map(str, pair)
        if base == tuned or (tuned, base) in pairs or (base, tuned) in pairs:
            raise OptionError("compare", allowed, pair)
        pairs.append((tuned, base))
    if not pairs:
        raise OptionError("compare", allowed, compare)
    return pairs


def groups_of_raters(groups: Mapping[str, str | Iterable[str]] | None, raters: Sequence[str]) -> dict[str, str]:
    """Finds the group of each rater that is in one.

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
                allowed = f"one group for each rater; {quoted(rater)} is in {quoted(found[rater])}"
                raise OptionError("groups", allowed, group)
    return found


def _check_rater(option: str, rater: Any, raters: Sequence[str]) -> None:
    if rater not in raters:
        allowed = f"names of raters{hint(str(rater), raters)}, of {', '.join(map(plain, raters))}"
        raise OptionError(option, allowed, rater)
