"""Charts as files of their own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..errors import OptionError
from ..files.atomic import make_folder, whole_file
from .figure import Figure, spec_of
from .renderer import image_of
from .style import FILE

FORMATS = ("png", "svg")


def image(figure: Figure, kind: str) -> bytes:
    """A chart as "svg" or "png"."""
    return image_of(spec_of(figure, FILE), kind)


def save_figures(
    figures: Iterable[Figure], folder: str | os.PathLike[str], formats: Iterable[str] = FORMATS
) -> list[Path]:
    """Each chart as NAME.FORMAT in `folder`, which is made where it is absent.

    Raises
    ------
    OptionError
        For a format that is neither "png" nor "svg".
    """
    kinds = [formats] if isinstance(formats, str) else list(formats)
    for kind in kinds or [None]:
        if kind not in FORMATS:
            raise OptionError("formats", " and ".join(FORMATS), kind)
    target = make_folder(folder)
    written = []
    for figure in figures:
        for kind in kinds:
            path = target / f"{figure.name}.{kind}"
            with whole_file(path) as temporary:
                temporary.write_bytes(image(figure, kind))
            written.append(path)
    return written
