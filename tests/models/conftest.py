"""The small model of `tests/small_model.py`, for the tests beside this file."""

from ..small_model import *  # noqa: F403
