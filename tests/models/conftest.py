"""The small model of `tests/small_model.py`, for the tests beside this file, and no network."""

from ..blocked_network import no_network  # noqa: F401
from ..small_model import *  # noqa: F403
