"""Words in the place of a diagnosis that say that there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...errors import OptionError
from ...terms.text.sentences import says_nothing

KEEP = "keep"
"""Among the words: the default ones are diagnoses like any other."""
_SHOWN = 4


class NoDiagnosis:
    """Whether a text means "no diagnosis", in any case.

    words : more words than the default ones (none, N/A, unknown, multiple, a dash, …); with the word "keep" among them
        they stand in the place of the default.
    """

    def __init__(self, words: str | Iterable[str] | None = None) -> None:
        given = [] if words is None else [words] if isinstance(words, str) else list(words)
        if not all(isinstance(word, str) and word.strip() for word in given):
            raise OptionError("no_diagnosis", "words, none of them blank", words)
        folded = frozenset(word.strip().casefold() for word in given)
        self.words, self.by_default = folded - {KEEP}, KEEP not in folded

    def __call__(self, text: str) -> bool:
        return text.strip().casefold() in self.words or (self.by_default and says_nothing(text))


def taken_as_none(counts: Counter[str], of: int) -> list[str]:
    """The sentence that says how many entries were taken as no diagnosis, and in which words; "" is a blank cell."""
    if not counts:
        return []
    folded = Counter[str]()
    for text, count in counts.items():
        folded[text.strip().casefold()] += count
    shown = [f"{repr(text) if text else 'blank'} {count:,}" for text, count in folded.most_common(_SHOWN)]
    more = f" and {len(folded) - _SHOWN:,} more words" if len(folded) > _SHOWN else ""
    total = folded.total()
    names = "names" if total == 1 else "name"
    return [
        f"{total:,} of {of:,} answers {names} no diagnosis ({', '.join(shown)}{more}). They keep their rank and match nothing."
    ]
