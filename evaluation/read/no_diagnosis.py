"""Words in the place of a diagnosis that say that there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...errors import quoted
from ...terms.text.sentences import says_nothing
from .findings import first_few


class NoDiagnosis:
    """Whether a text means "no diagnosis", in any case.

    words : more words than the default ones (none, N/A, unknown, multiple, a dash, …); with the word "keep" among them
        they stand in the place of the default.
    """

    def __init__(self, words: str | Iterable[str] = ()) -> None:
        given = {_bare(str(word)) for word in ([words] if isinstance(words, str) else words)}
        self.words, self.by_default = given - {"keep"}, "keep" not in given

    def __call__(self, text: str) -> bool:
        return _bare(text) in self.words or (self.by_default and says_nothing(text))


def _bare(text: str) -> str:
    """Without case, and the signs around it, which are lost where an answer is read from a cell: "#NAME?" is "name"."""
    return text.strip().casefold().strip(" #?!.*_`\"'<>[]()") or text.strip().casefold()


def taken_as_none(counts: Counter[str], of: int) -> list[str]:
    """The sentence that says how many entries were taken as no diagnosis, and in which words; "" is a blank cell."""
    shown = first_few((f"{quoted(text) if text else 'blank'} {n:,}" for text, n in counts.most_common()), 4)
    said = f"diagnoses in the lists {'names' if counts.total() == 1 else 'name'} none ({shown}); ranks stay, and such a word matches nothing."
    return [f"{counts.total():,} of {of:,} {said}"] if counts else []
