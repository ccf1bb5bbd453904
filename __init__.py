"""dxmatch: do two free-text diagnoses name the same disease, and how well does an algorithm agree with a panel?

The public names are resolved when they are first used, so that importing dxmatch imports nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .features.errors import DxmatchError as DxmatchError
    from .features.errors import InputError as InputError
    from .features.errors import ModelError as ModelError
    from .features.errors import OptionError as OptionError
    from .matcher import metrics as metrics
    from .matcher.evaluate import Report as Report
    from .matcher.evaluate import evaluate as evaluate
    from .models.icd_mapping import icd as icd
    from .models.match_function import MatchFunction as MatchFunction
    from .models.match_function import load as load
    from .scoring.job import score_files as score_files
    from .training.audit.audit import audit as audit
    from .training.audit.explain import explain as explain
    from .training.audit.explanation import Explanation as Explanation
    from .training.audit.result import Audit as Audit
    from .training.suggest.suggest import suggest as suggest
    from .training.suggest.suggestion import Suggestion as Suggestion
    from .training.train import train as train

__version__ = "0.1.0"

_HOME = {
    "load": "models.match_function",
    "MatchFunction": "models.match_function",
    "icd": "models.icd_mapping",
    "train": "training.train",
    "audit": "training.audit.audit",
    "Audit": "training.audit.result",
    "explain": "training.audit.explain",
    "Explanation": "training.audit.explanation",
    "suggest": "training.suggest.suggest",
    "Suggestion": "training.suggest.suggestion",
    "score_files": "scoring.job",
    "evaluate": "matcher.evaluate",
    "Report": "matcher.evaluate",
    "DxmatchError": "features.errors",
    "InputError": "features.errors",
    "ModelError": "features.errors",
    "OptionError": "features.errors",
}
__all__ = ["__version__", "metrics", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name == "metrics":
        return import_module(".matcher.metrics", __name__)
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
