"""The made-up sources of silver pairs, for the tests beside this file."""

from ..silver.conftest import *  # noqa: F403
