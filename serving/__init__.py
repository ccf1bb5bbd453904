"""A page and a JSON API to try a match function: `app(matcher=…)` for a server of one's own, `serve(…)` for this machine alone. Needs the extra `serve`."""

from .application import app as app
from .server import serve as serve
