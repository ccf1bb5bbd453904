"""What a report says of diagnoses that M does not understand, or read as others."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np

from ..errors import quoted
from ..matcher.doubtful_texts import told_mixed
from ..matcher.protocol import Matcher, not_understood, read_as
from ..terms.text.scripts import mixed_scripts
from .lists.lists import Lists

SHOWN = 3


def warnings_of(lists: Lists, matcher: Matcher) -> list[str]:
    """What stands above the figures: how many diagnoses M does not understand, and the first of them with the reason."""
    references = Counter(chain.from_iterable(lists.reference))
    unknown = not_understood(matcher, list(dict.fromkeys([*lists.strings, *references])))
    if not unknown:
        return []
    said = lists.entries[lists.entries >= 0]
    times = np.bincount(said, minlength=len(lists.strings))
    in_lists = sum(int(count) for text, count in zip(lists.strings, times, strict=True) if text in unknown)
    in_references = sum(count for text, count in references.items() if text in unknown)
    where = [f"{in_lists:,} of {len(said):,} diagnoses in the lists"] if in_lists else []
    where += [f"{in_references:,} of {references.total():,} references"] if in_references else []
    count = Counter({text: int(n) for text, n in zip(lists.strings, times, strict=True) if text in unknown})
    count.update({text: n for text, n in references.items() if text in unknown})
    often = [text for text, _ in count.most_common()]
    first = [f"{quoted(text)} ({unknown[text]}, {count[text]:,})" for text in often[:SHOWN]]
    more = f" and {len(unknown) - SHOWN:,} more" if len(unknown) > SHOWN else ""
    return [
        f"{' and '.join(where)} could not be understood and match nothing but the same words: {', '.join(first)}{more}."
    ]


def warnings_of_scripts(lists: Lists) -> list[str]:
    """Words of the diagnoses and references that mix scripts: they look right, and match nothing."""
    texts = dict.fromkeys([*lists.strings, *chain.from_iterable(lists.reference)])
    mixed = list(dict.fromkeys(word for text in texts for word in mixed_scripts(text)))
    return [told_mixed(mixed)] if mixed else []


def notes_of(lists: Lists, matcher: Matcher) -> list[str]:
    """How many diagnoses were compared as other words than were written."""
    texts = dict.fromkeys([*lists.strings, *chain.from_iterable(lists.reference)])
    changed = read_as(matcher, list(texts))
    if not changed:
        return []
    words = dict.fromkeys(
        f"{quoted(written)} as {quoted(read)}" for pairs in changed.values() for written, read in pairs
    )
    shown = ", ".join(list(words)[:SHOWN]) + (", …" if len(words) > SHOWN else "")
    many = "1 diagnosis was" if len(changed) == 1 else f"{len(changed):,} different diagnoses were"
    return [f"{many} compared with slips of the pen mended: {shown}."]
