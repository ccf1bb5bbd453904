"""The report as one page to read: no script, nothing fetched, light and dark."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from .report_chart import chart
from .report_words import interval_of, made_with_lines, number, place_of, summary

if TYPE_CHECKING:
    from .report import Report

_STYLE = """
:root { color-scheme: light dark;
  --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --page: #fbfcfd; --card: #fff;
  --s0: #1f6feb; --s1: #c2410c; --s2: #15803d; --s3: #9333ea;
  --s4: #be123c; --s5: #0e7490; --s6: #a16207; --s7: #475569; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --soft: #9aa5b4; --line: #333c48; --page: #12161c; --card: #1a2029;
    --s0: #6ea8fe; --s1: #fb923c; --s2: #4ade80; --s3: #c084fc;
    --s4: #fb7185; --s5: #22d3ee; --s6: #facc15; --s7: #94a3b8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2.5rem 1.25rem 4rem; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; text-wrap: balance; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
.answer { background: var(--card); border: 1px solid var(--line); border-left-width: .3rem;
  border-radius: .4rem;
  padding: .75rem 1rem; margin: .6rem 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { text-align: right; padding: .32rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; } th:first-child, td:first-child { text-align: left; }
tr.chosen td { font-weight: 650; } .quiet { color: var(--soft); }
.charts { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(19rem, 1fr)); }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .4rem;
  padding: .8rem; }
figcaption { font-weight: 600; font-size: .92rem; } svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font: 12px system-ui, sans-serif; } .grid { stroke: var(--line); }
.one { stroke: var(--ink); stroke-dasharray: 5 4; } .curve { fill: none; stroke-width: 2.2; }
.reach { stroke-width: 1.4; opacity: .65; }
.key { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; padding: 0; margin: .8rem 0 0;
  font-size: .92rem; }
.key span { display: inline-block; width: .8rem; height: .8rem; border-radius: 50%; margin-right: .4rem;
  vertical-align: -.06rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.2rem; margin: 0; } dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .5rem; } }
"""
_COLOURS = 8
_PARTS = (
    ("P", "AE mean"), ("P", "EE mean"), ("P_opt", ""), ("P_avg", ""), ("sigma_A", "P"), ("sigma_E", "P"),
    ("R", "AE mean"), ("R", "EE mean"), ("R_opt", ""), ("R_avg", ""), ("sigma_A", "R"), ("sigma_E", "R"),
    ("kappa", "AE mean"), ("kappa", "EE mean"), ("sigma_A", "kappa"), ("sigma_E", "kappa"),
)  # fmt: skip


def page(report: Report) -> str:
    """A whole HTML document. Every text from the data is escaped."""
    title = escape(report.question)
    level = f"{report.made_with['level']:.0%}"
    body = [
        f"<h1>{title}</h1>",
        *(
            f'<p class="answer" style="border-left-color: var(--s{i % _COLOURS})">{escape(line)}</p>'
            for i, line in enumerate(summary(report))
        ),
        f"<h2>Relative to the panel, by the number of diagnoses k (hardness {report.hardness:g})</h2>",
        _by_k(report, level),
        _charts(report, level),
        f"<h2>What it is made of, at k = {report.k}</h2>",
        '<p class="quiet">AE: the algorithm with each expert. EE: each two experts. sigma: the unbiased standard '
        "deviation over experts. P_opt and R_opt compare the algorithm's best expert with the two experts who agree "
        "least; P_avg and R_avg compare averages.</p>",
        _parts(report),
        _comparisons(report, level),
        "<h2>How it was made</h2>",
        "<dl>" + "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in made_with_lines(report)) + "</dl>",
    ]
    if report.notes:
        body.append("<h2>Notes</h2><ul>" + "".join(f"<li>{escape(note)}</li>" for note in report.notes) + "</ul>")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _table(header: list[str], rows: list[list[str]], chosen: set[int] = frozenset()) -> str:  # type: ignore[assignment]
    head = "".join(f"<th>{cell}</th>" for cell in header)
    lines = (
        f"<tr{' class=chosen' if i in chosen else ''}>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
        for i, row in enumerate(rows)
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def _value(row: dict[str, Any]) -> str:
    text = number(row["value"])
    return f'<span class="quiet" title="{escape(row["reason"])}">{text}</span>' if row["value"] is None else text


def _ks(report: Report) -> list[int]:
    return sorted({row["k"] for row in report.rows if row["k"]})


def _by_k(report: Report, level: str) -> str:
    rows, chosen = [], set()
    for algorithm in report.algorithms:
        for k in _ks(report):
            if k == report.k:
                chosen.add(len(rows))
            cells = [escape(algorithm), str(k)]
            for metric in ("RPAD", "RRAD"):
                row = report.row(metric, algorithm=algorithm, k=k)
                side = {None: "", -1: " ▼", 0: "", 1: " ▲"}[place_of(row)]
                cells += [_value(row), interval_of(row) + side]
            rows.append(cells)
    note = '<p class="quiet">1 is the panel\'s own level. ▲ and ▼: the interval lies above or below it.</p>'
    return _table(["algorithm", "k", "RPAD", f"{level} interval", "RRAD", f"{level} interval"], rows, chosen) + note


def _charts(report: Report, level: str) -> str:
    figures = []
    for metric, says in (("RPAD", "relative precision"), ("RRAD", "relative recall")):
        curves = [
            [report.row(metric, algorithm=algorithm, k=k) for k in _ks(report)] for algorithm in report.algorithms
        ]
        drawn = chart(curves, _ks(report), f"{metric} by k", _COLOURS)
        figures.append(f"<figure><figcaption>{metric}@k, {says}</figcaption>{drawn}</figure>")
    key = "".join(
        f'<li><span style="background: var(--s{i % _COLOURS})"></span>{escape(algorithm)}</li>'
        for i, algorithm in enumerate(report.algorithms)
    )
    key += f'<li class="quiet">bars: {level} interval</li>'
    return f'<div class="charts">{"".join(figures)}</div><ul class="key">{key}</ul>'


def _parts(report: Report) -> str:
    rows = []
    for metric, of in _PARTS:
        each = [report.row(metric, algorithm=algorithm, of=of) for algorithm in report.algorithms]
        rows.append(
            [escape(each[0]["name"]), *(f"{_value(row)} <span class=quiet>{interval_of(row)}</span>" for row in each)]
        )
    return _table(["metric", *map(escape, report.algorithms)], rows)


def _comparisons(report: Report, level: str) -> str:
    if not report.comparison_rows:
        return ""
    rows = [
        [f"{escape(row['first'])} − {escape(row['second'])}", escape(row["name"]), _value(row), interval_of(row)]
        for row in report.comparison_rows
    ]
    return "<h2>Differences, on the same resamples of the cases</h2>" + _table(
        ["algorithms", "metric", "difference", f"{level} interval"], rows
    )
