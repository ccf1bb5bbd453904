"""dxmatch: do two free-text diagnoses name the same disease, and how well does an algorithm agree with a panel?

The public names are resolved when they are first used, so that importing dxmatch imports nothing heavy.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_NAMES = {
    "auditing.audit": "audit",
    "auditing.explain": "explain shap_explanation",
    "auditing.explanation": "Explanation",
    "auditing.result": "Audit",
    "diagnosing.ask": "ask",
    "diagnosing.asked": "Asked",
    "diagnosing.raters": "Sampling",
    "errors": "DxmatchError InputError ModelError NotUnderstood NotUnderstoodWarning OptionError",
    "estimators.match_classifier": "MatchClassifier",
    "estimators.pair_features": "PairFeatures",
    "evaluation.choice.evaluate": "choice",
    "evaluation.evaluate": "evaluate Report",
    "evaluation.match.options": "Codes Graded Judge Panel",
    "evaluation.reasoning.evaluate": "reasoning",
    "files.reading": "PairColumns Reading",
    "jobs.job": "score_files",
    "jobs.plan": "Job",
    "labelling.console": "label Labelled",
    "labelling.labels": "Labels labels",
    "labelling.suggest": "suggest",
    "labelling.suggestion": "Suggestion",
    "matcher.check_endpoints": "check_endpoints",
    "matcher.icd_accuracy": "icd_accuracy IcdAccuracy",
    "matcher.icd_mapping": "icd",
    "matcher.icd_presets": "IcdPreset",
    "matcher.loading": "Loading",
    "matcher.match_function": "load MatchFunction",
    "settings": "configure",
    "stats.resampling": "Resampling",
    "training.engines.engine": "AutoGluon LightGBM",
    "training.examples": "Extra",
    "training.options": "About Encoders LabelRules Split",
    "training.statistics.threshold": "Threshold",
    "training.train": "train",
    "votes.asking_options": "Asking",
    "votes.endpoint_check": "EndpointCheck",
    "votes.store.check": "check_votes StoreCheck",
}
"""A file -> the public names that it holds."""
_HOME = {name: file for file, names in _NAMES.items() for name in names.split()}
__all__ = ["__version__", "metrics", "serving", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return (
        getattr(import_module(f".{_HOME[name]}", __name__), name)
        if name in _HOME
        else import_module(f".{name}", __name__)
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
