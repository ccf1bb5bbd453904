"""The reference page of all metrics, made from the registry: `python -m dxmatch.evaluation.metrics.page > docs/metrics.md`."""

from __future__ import annotations

import inspect
import sys

from . import all_metrics
from .declaration import Metric

_TOP = """# Metrics

Made from the registry by `python -m dxmatch.evaluation.metrics.page > docs/metrics.md`; `dxmatch metrics` lists the same.
Each is a function of its own: `dxmatch.metrics.rpad(...)`. What is undefined is NaN (None in a report), with the reason, and never a number.
"""


def reference_page() -> str:
    """Markdown: a table of all metrics, then each in full, by the file that declares it."""
    metrics = all_metrics()
    lines = [_TOP, "| symbol | function | says | range |", "| --- | --- | --- | --- |"]
    lines += [f"| {_cell(m.symbol)} | [`{m.name}`](#{m.name}) | {_cell(m.description)} | {m.range} |" for m in metrics]
    family = ""
    for metric in metrics:
        if metric.family != family:
            family = metric.family
            lines += ["", f"## {family.replace('_', ' ').capitalize()}", "", _subject(metric)]
        lines += ["", *_entry(metric)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _subject(metric: Metric) -> str:
    """The first line of what its file says of itself."""
    return (sys.modules[metric.function.__module__].__doc__ or "").strip().partition("\n")[0]


def _entry(metric: Metric) -> list[str]:
    return [
        f"### {metric.name}",
        "",
        f"{metric.description}",
        "",
        f"    {metric.formula}",
        "",
        f"- symbol: {metric.symbol}",
        f"- call: `{metric.name}{_call(metric)}`",
        f"- inputs: {metric.inputs}",
        f"- range: {metric.range}",
        f"- denominator: {metric.denominator}",
        *[f"- where {when}: {what}" for when, what in metric.degenerate],
        *[f"- {words}" for words in metric.satisfies()],
        f"- source: {metric.source}",
    ]


def _call(metric: Metric) -> str:
    """Its parameters without their types."""
    parameters = inspect.signature(metric.function).parameters.values()
    return f"({', '.join(str(p.replace(annotation=inspect.Parameter.empty)) for p in parameters)})"


if __name__ == "__main__":
    sys.stdout.write(reference_page())
