"""dxmatch: do two free-text diagnoses name the same disease, and how well does an algorithm agree with a panel?

The public names are resolved when they are first used, so that importing dxmatch imports nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import metrics as metrics
    from . import serving as serving
    from .auditing.audit import audit as audit
    from .auditing.explain import explain as explain
    from .auditing.explain import shap_explanation as shap_explanation
    from .auditing.explanation import Explanation as Explanation
    from .auditing.result import Audit as Audit
    from .diagnosing.ask import ask as ask
    from .diagnosing.asked import Asked as Asked
    from .diagnosing.raters import Sampling as Sampling
    from .errors import DxmatchError as DxmatchError
    from .errors import InputError as InputError
    from .errors import ModelError as ModelError
    from .errors import NotUnderstood as NotUnderstood
    from .errors import NotUnderstoodWarning as NotUnderstoodWarning
    from .errors import OptionError as OptionError
    from .estimators.match_classifier import MatchClassifier as MatchClassifier
    from .estimators.pair_features import PairFeatures as PairFeatures
    from .evaluation.choice.evaluate import choice as choice
    from .evaluation.evaluate import Report as Report
    from .evaluation.evaluate import evaluate as evaluate
    from .evaluation.match.options import Codes as Codes
    from .evaluation.match.options import Graded as Graded
    from .evaluation.match.options import Judge as Judge
    from .evaluation.match.options import Panel as Panel
    from .evaluation.reasoning.evaluate import reasoning as reasoning
    from .files.pair_columns import PairColumns as PairColumns
    from .files.reading import Reading as Reading
    from .jobs.job import score_files as score_files
    from .jobs.plan import Job as Job
    from .labelling.console import Labelled as Labelled
    from .labelling.console import label as label
    from .labelling.labels import Labels as Labels
    from .labelling.labels import labels as labels
    from .labelling.suggest import suggest as suggest
    from .labelling.suggestion import Suggestion as Suggestion
    from .matcher.check_endpoints import check_endpoints as check_endpoints
    from .matcher.icd_accuracy import IcdAccuracy as IcdAccuracy
    from .matcher.icd_accuracy import icd_accuracy as icd_accuracy
    from .matcher.icd_mapping import icd as icd
    from .matcher.icd_presets import IcdPreset as IcdPreset
    from .matcher.loading import Loading as Loading
    from .matcher.match_function import MatchFunction as MatchFunction
    from .matcher.match_function import load as load
    from .settings import configure as configure
    from .stats.resampling import Resampling as Resampling
    from .training.engines.engine import AutoGluon as AutoGluon
    from .training.engines.engine import LightGBM as LightGBM
    from .training.examples import Extra as Extra
    from .training.options import About as About
    from .training.options import Encoders as Encoders
    from .training.options import LabelRules as LabelRules
    from .training.options import Split as Split
    from .training.statistics.threshold import Threshold as Threshold
    from .training.train import train as train
    from .votes.asking_options import Asking as Asking
    from .votes.endpoint_check import EndpointCheck as EndpointCheck
    from .votes.store.check import StoreCheck as StoreCheck
    from .votes.store.check import check_votes as check_votes

__version__ = "0.1.0"

_HOME = {
    "load": "matcher.match_function",
    "MatchFunction": "matcher.match_function",
    "icd": "matcher.icd_mapping",
    "icd_accuracy": "matcher.icd_accuracy",
    "IcdAccuracy": "matcher.icd_accuracy",
    "IcdPreset": "matcher.icd_presets",
    "train": "training.train",
    "About": "training.options",
    "AutoGluon": "training.engines.engine",
    "Encoders": "training.options",
    "Extra": "training.examples",
    "LabelRules": "training.options",
    "LightGBM": "training.engines.engine",
    "Split": "training.options",
    "Threshold": "training.statistics.threshold",
    "PairFeatures": "estimators.pair_features",
    "MatchClassifier": "estimators.match_classifier",
    "audit": "auditing.audit",
    "Audit": "auditing.result",
    "shap_explanation": "auditing.explain",
    "explain": "auditing.explain",
    "Explanation": "auditing.explanation",
    "ask": "diagnosing.ask",
    "Asked": "diagnosing.asked",
    "Sampling": "diagnosing.raters",
    "label": "labelling.console",
    "Labelled": "labelling.console",
    "labels": "labelling.labels",
    "Labels": "labelling.labels",
    "suggest": "labelling.suggest",
    "Suggestion": "labelling.suggestion",
    "score_files": "jobs.job",
    "choice": "evaluation.choice.evaluate",
    "evaluate": "evaluation.evaluate",
    "Report": "evaluation.evaluate",
    "reasoning": "evaluation.reasoning.evaluate",
    "Job": "jobs.plan",
    "Loading": "matcher.loading",
    "Asking": "votes.asking_options",
    "Codes": "evaluation.match.options",
    "Graded": "evaluation.match.options",
    "Judge": "evaluation.match.options",
    "PairColumns": "files.pair_columns",
    "Panel": "evaluation.match.options",
    "Reading": "files.reading",
    "Resampling": "stats.resampling",
    "configure": "settings",
    "check_endpoints": "matcher.check_endpoints",
    "EndpointCheck": "votes.endpoint_check",
    "check_votes": "votes.store.check",
    "StoreCheck": "votes.store.check",
    "DxmatchError": "errors",
    "InputError": "errors",
    "ModelError": "errors",
    "NotUnderstood": "errors",
    "NotUnderstoodWarning": "errors",
    "OptionError": "errors",
}
_MODULES = ("metrics", "serving")
__all__ = ["__version__", *_MODULES, *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
