"""From a raw diagnosis to the name that all features see: normalised, and a bare ICD-10 code turned into its title."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from ..text.normalizer import Normalizer, normalize_checked
from .sources import open_tree
from .tree import CODE_FORM, IcdTree


class Naming:
    """Raw diagnoses -> names, in their order.

    Parameters
    ----------
    normalizer : what is done to every text.
    code_source : the ICD-10 whose codes stand for their titles ("I21" for "acute myocardial infarction"): "icd10cm",
        "icd10" or the path of a CSV; None where a code is a text like any other. The tree is opened when the first
        text has the form of a code.
    """

    def __init__(self, normalizer: Normalizer, code_source: str | None = None) -> None:
        self.normalizer, self.code_source = normalizer, code_source

    def __call__(self, texts: Iterable[str]) -> list[str]:
        """Errors: `InputError` for a text without a letter or digit, or of more than 10,000 characters."""
        names = normalize_checked(self.normalizer, texts)
        return names if self.code_source is None else [self._title(name) for name in names]

    def _title(self, name: str) -> str:
        # Most names are no code by their second character; the pattern and the tree are for the few that may be.
        if len(name) < 3 or not name[1].isdigit():
            return name
        if CODE_FORM.fullmatch(name) is None or (node := self._tree.find(name)) < 0:
            return name
        return self.normalizer(self._tree.name(node))

    @cached_property
    def _tree(self) -> IcdTree:
        return open_tree(self.code_source or "icd10cm")
