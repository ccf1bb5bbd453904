"""No network, and the pairs of `tests/toy_pairs.py`, for the tests beside this file."""

from ..blocked_network import no_network  # noqa: F401
from ..toy_pairs import *  # noqa: F403
