"""dxmatch: do two free-text diagnoses name the same disease, and how well does an algorithm agree with a panel?

The public names stand in `__init__.pyi` and are resolved when they are first used, so that importing dxmatch imports nothing heavy.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.1.0"

_STUB = Path(__file__).with_name("__init__.pyi").read_text("utf-8")
_HOME = {
    name.name: f".{line.module}" if line.module else f".{name.name}"
    for line in ast.parse(_STUB).body
    if isinstance(line, ast.ImportFrom)
    for name in line.names
}
"""A public name -> the module that holds it, or that it is."""
__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_HOME[name], __name__)
    return module if _HOME[name] == f".{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
