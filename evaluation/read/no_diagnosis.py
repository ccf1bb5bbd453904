"""Words in the place of a diagnosis that say that there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...errors import OptionError, quoted
from ...terms.text.sentences import says_nothing

_KEEP = "keep"  # among the words: the default ones are diagnoses like any other
_SHOWN = 4


class NoDiagnosis:
    """Whether a text means "no diagnosis", in any case.

    words : more words than the default ones (none, N/A, unknown, multiple, a dash, …); with the word "keep" among them
        they stand in the place of the default.
    """

    def __init__(self, words: str | Iterable[str] = ()) -> None:
        given = [words] if isinstance(words, str) or not isinstance(words, Iterable) else list(words)
        if not all(isinstance(word, str) and word.strip() for word in given):
            raise OptionError("no_diagnosis", "words, none of them blank", words)
        self.words, self.by_default = frozenset(map(_bare, given)) - {_KEEP}, _KEEP not in map(_bare, given)

    def __call__(self, text: str) -> bool:
        return _bare(text) in self.words or (self.by_default and says_nothing(text))


def _bare(text: str) -> str:
    """Without case, and the signs around it, which are lost where an answer is read from a cell: "#NAME?" is "name"."""
    return text.strip().casefold().strip(" #?!.*_`\"'<>[]()") or text.strip().casefold()


def taken_as_none(counts: Counter[str], of: int) -> list[str]:
    """The sentence that says how many entries were taken as no diagnosis, and in which words; "" is a blank cell."""
    folded = Counter[str]()
    for text, count in counts.items():
        folded[text.strip().casefold()] += count
    shown = ", ".join(f"{quoted(text) if text else 'blank'} {count:,}" for text, count in folded.most_common(_SHOWN))
    are, more = "names" if folded.total() == 1 else "name", ", …" if len(folded) > _SHOWN else ""
    said = f"{folded.total():,} of {of:,} diagnoses in the lists {are} none ({shown}{more}); ranks stay, and such a word matches nothing."
    return [said] if folded else []
