"""The reference page of all metrics, made from the registry: `python -m dxmatch.evaluation.score.reference_page > docs/metrics.md`."""

from __future__ import annotations

import inspect
import sys

from .declare import Metric, all_metrics

_TOP = """# Metrics

[Which metric answers which question](questions.md) is where to begin. Each is a function, `dxmatch.metrics.rpad(...)`. `help` of it, `dxmatch metrics rpad` and this page of the site (`make docs`) say its formula,
good values, when to use it and when not, inputs, range, denominator and edge cases. What is undefined is NaN (None in a report), with the reason, and never a number.

Made from the registry by `python -m dxmatch.evaluation.score.reference_page > docs/metrics.md`.
"""


def reference_page(*, in_full: bool = False) -> str:
    """Writes Markdown: a table of all metrics, in full (on the site) each by the file that declares it, and the sources."""
    metrics = all_metrics()
    lines = [_TOP, "| symbol | function | means | source |", "| --- | --- | --- | --- |"]
    for metric in metrics:
        name = f"[`{metric.name}`](#{metric.name})" if in_full else f"`{metric.name}`"
        said = metric.description
        lines.append(
            f"| {_cell(metric.symbol)} | {name} | {_cell(said.meaning)} | {_cell(said.source.partition(',')[0])} |"
        )
    family = ""
    for metric in metrics if in_full else ():
        if metric.family != family:
            family = metric.family
            subject = (sys.modules[metric.function.__module__].__doc__ or "").partition("\n")[0]
            lines += ["", f"## {family.replace('_', ' ').capitalize()}", "", subject]
        lines += ["", *entry(metric)]
    sources = dict.fromkeys(reference for metric in metrics for reference in metric.description.references)
    lines += ["", "## Sources", "", *(f"- {source}" for source in sources)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def entry(metric: Metric) -> list[str]:
    """Writes all that is declared of one metric, in lines of Markdown."""
    return [
        f"### {metric.name}",
        "",
        metric.description.meaning,
        "",
        f"    {metric.description.formula}",
        "",
        f"- a good value: {metric.description.good}",
        f"- use it when {metric.description.use}; not when {metric.description.avoid}",
        f"- symbol: {metric.symbol}{'; also called ' * bool(metric.also)}{', '.join(metric.also)}",
        f"- call: `{metric.name}{_call(metric)}`",
        f"- inputs: {metric.description.inputs}",
        f"- range: {metric.description.range}",
        f"- denominator: {metric.description.denominator}",
        *[f"- where {when}: {what}" for when, what in metric.description.degenerate],
        *[f"- note: {note}" for note in metric.description.notes],
        *([f"- what holds: {'; '.join(held)}"] if (held := metric.satisfies()) else []),
        f"- source: {metric.description.source} {' '.join(reference.split()[-1] for reference in metric.description.references)}",
    ]


def _call(metric: Metric) -> str:
    """Writes its parameters without their types."""
    parameters = inspect.signature(metric.function).parameters.values()
    return f"({', '.join(str(p.replace(annotation=inspect.Parameter.empty)) for p in parameters)})"


if __name__ == "__main__":
    sys.stdout.write(reference_page())
