"""No network for the tests beside this file."""

from ..blocked_network import no_network  # noqa: F401
