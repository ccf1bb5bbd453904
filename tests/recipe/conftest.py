"""The pairs of `tests/toy_pairs.py`, for the tests beside this file."""

from ..toy_pairs import *  # noqa: F403
