"""Charts as files of their own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ....features.atomic import make_folder, whole_file
from ....features.errors import OptionError
from . import all_figures
from .figure import spec_of
from .renderer import Renderer
from .style import FILE

if TYPE_CHECKING:
    from ..report import Report

FORMATS = ("png", "svg")


def save_charts(report: Report, folder: str | os.PathLike[str], formats: Iterable[str] = FORMATS) -> list[Path]:
    """See `Report.save_charts`."""
    kinds = [formats] if isinstance(formats, str) else list(formats)
    for kind in kinds or [None]:
        if kind not in FORMATS:
            raise OptionError("formats", " and ".join(FORMATS), kind)
    renderer = Renderer()
    target = make_folder(folder)
    written = []
    for figure in all_figures(report):
        spec = spec_of(figure, FILE)
        for kind in kinds:
            path = target / f"{figure.name}.{kind}"
            with whole_file(path) as temporary:
                temporary.write_bytes(renderer.image(spec, kind))
            written.append(path)
    return written
