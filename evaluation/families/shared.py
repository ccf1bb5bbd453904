"""What two families need and one computes."""

from __future__ import annotations

from ..lists.lists import Lists
from ..matches.reference_matches import ReferenceMatches, match_references
from ..statistics.section import Context


def shared_matches(lists: Lists, context: Context) -> ReferenceMatches:
    """`match_references` of the context's M and k, computed by the first family that needs it."""
    if "reference_matches" not in context.made:
        context.made["reference_matches"] = match_references(lists, context.matcher, context.k, context.progress)
    return context.made["reference_matches"]
