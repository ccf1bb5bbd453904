"""A match function in a notebook."""

from __future__ import annotations

from typing import Any

from ..files.wording import counted, shown_threshold
from ..pages.encodings import with_interval
from ..pages.facts import facts

_PARTS = {"held_out": "on references it has not seen", "cross_validated": "out of fold"}
_MEASURES = {"f1": "F1", "precision": "Precision", "recall": "Recall"}


def model_facts(m: Any) -> str:
    """What the `MatchFunction` m is, what decides, what it learned from, and how good it is."""
    manifest, data = m.parts.manifest, m.data
    learned = f"{counted(data['rows'], 'pair')} of {counted(data['groups'], 'reference')}, {manifest.made.date}"
    rows = [
        ("Identity", m.identity),
        ("Features", f"{len(m.features.names)} ({m.features.name})"),
        ("A match from", f"{shown_threshold(m.threshold)}, under the policy {m.policy}"),
        ("Learned from", learned),
    ]
    if m.fetched_from is not None:
        rows.append(("From the hub", m.fetched_from))
    if m.model.verdicts is not None:
        rows.append(("Doubtful pairs", m.model.verdicts.told()))
    for part, where in _PARTS.items():
        if part in m.metrics:
            rows += [(f"{name} {where}", with_interval(m.metrics[part][key])) for key, name in _MEASURES.items()]
            break
    words = [f"{counted(len(warnings), 'warning')} in its card."] if (warnings := data.get("warnings")) else []
    return facts(f"Match function {m.name}", rows, words)
