"""Where dxmatch keeps what it can always make anew."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The environment's DXMATCH_CACHE, else the user's cache folder of the platform."""
    if chosen := os.environ.get("DXMATCH_CACHE"):
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("dxmatch"))
