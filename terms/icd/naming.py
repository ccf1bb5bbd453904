"""From a raw diagnosis to the name that all features see: normalised, its slips mended, a bare ICD-10 code turned into its title."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from ..text.assertion import Status
from ..text.normalizer import Normalizer, normalize_checked
from ..text.understood import Reader, Reading
from ..text.vocabulary import Vocabulary
from .sources import open_tree
from .tree import CODE_FORM, IcdTree


class Codable(NamedTuple):
    """name : what is looked up. no_code : why the text names no disease that is there, or several; None where it may name one.

    Only what is denied or not understood has no code: ICD-10 has codes for history, screening and exposure.
    """

    name: str
    no_code: str | None


class Naming:
    """Raw diagnoses -> names, in their order.

    Parameters
    ----------
    normalizer : what is done to every text.
    code_source : the ICD-10 whose codes stand for their titles ("I21" for "acute myocardial infarction"): "icd10cm",
        "icd10" or the path of a CSV; None where a code is a text like any other. The tree is opened when the first
        text has the form of a code.
    vocabulary : the words and names that are known; without one no slip is mended, and every text is understood.
    """

    def __init__(
        self, normalizer: Normalizer, code_source: str | None = None, vocabulary: Vocabulary | None = None
    ) -> None:
        self.normalizer, self.code_source, self.vocabulary = normalizer, code_source, vocabulary

    def __call__(self, texts: Iterable[str]) -> list[str]:
        """Errors: `InputError` for a text without a letter or digit, or of more than 10,000 characters."""
        return [reading.name for reading in self.read(texts)]

    def read(self, texts: Iterable[str]) -> list[Reading]:
        """The same with what was made of each text: the slips that were mended, and why it is not understood.

        Errors: as of a call.
        """
        texts = list(texts)
        names = normalize_checked(self.normalizer, texts)
        return [self._reading(text, name, self._title(name)) for text, name in zip(texts, names, strict=True)]

    def to_code(self, text: str) -> Codable:
        """What the mapping to ICD-10 looks up for a text: a bare code stays one, slips are mended.

        Errors: as of a call.
        """
        (name,) = normalize_checked(self.normalizer, [text])
        title = self._title(name)
        reading = self._reading(text, name, title)
        no_code, said = reading.not_understood, self.normalizer.assertion(name)
        if no_code is None and said.status is Status.NEGATED:
            no_code = f"{said.status}: '{said.trigger}'"
        return Codable(name if reading.name == title else reading.name, no_code)

    def parts_of(self, text: str) -> list[str]:
        """The different diagnoses that one text holds; [] where it is no more than one, or no name is known."""
        return [] if self._reader is None else self._reader.parts_of(text)

    def _reading(self, text: str, name: str, title: str) -> Reading:
        # A code that has a title is known, whatever the words of the title.
        return Reading(title) if self._reader is None or title is not name else self._reader(text, name)

    @cached_property
    def _reader(self) -> Reader | None:
        if self.vocabulary is None:
            return None
        return Reader(self.vocabulary, lambda part: self._title(self.normalizer(part)))

    def _title(self, name: str) -> str:
        # Most names are no code by their second character; the pattern and the tree are for the few that may be.
        if self.code_source is None or len(name) < 3 or not name[1].isdigit() or CODE_FORM.fullmatch(name) is None:
            return name
        if (node := self._tree.find(name)) < 0:
            return name
        return self.normalizer(self._tree.names[node])

    @cached_property
    def _tree(self) -> IcdTree:
        return open_tree(self.code_source or "icd10cm")
