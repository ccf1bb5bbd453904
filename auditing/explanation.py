"""An explanation that draws itself: a picture, or a page to read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ..errors import DxmatchError, InputError, OptionError
from ..files.atomic import whole_file
from ..pages.figure import Figure
from ..pages.files import image
from .charts.waterfall import waterfall
from .explanation_page import page
from .results.decision import Decision

SUFFIXES = (".svg", ".png", ".html")


@dataclass(frozen=True)
class Explanation(Decision):
    """What `explain` returns."""

    @property
    def figure(self) -> Figure:
        """The waterfall: from the start to the score, feature by feature. Errors: `InputError` for identical names."""
        if self.base is None or self.raw is None:
            raise InputError(
                "the two are equal after normalisation, so no tree was asked and there is nothing to draw",
                allowed="two names that differ; a page (.html) says it in words",
                got=self.names[0],
            )
        return waterfall(self, self.base, self.raw)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """The picture as .svg or .png, or a page to read as .html; whole or not at all.

        Errors: `OptionError` for another suffix.
        """
        target = Path(path)
        kind = check_picture_path(target).removeprefix(".")
        if kind == "html":
            content = page(self, None if self.identical else self.figure).encode()
        else:
            content = image(self.figure, kind)
        with whole_file(target) as temporary:
            temporary.write_bytes(content)
        return target


def check_picture_path(path: str | os.PathLike[str]) -> str:
    """The suffix of a picture, checked before any work begins."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise OptionError("path", f"a file that ends in {', '.join(SUFFIXES)}", str(path))
    if not target.parent.is_dir():
        raise DxmatchError(f"{target.parent}: no such folder (for {target.name}).")
    return target.suffix.lower()
