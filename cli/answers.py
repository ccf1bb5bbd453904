"""Answers of models: `dxmatch ask` gets them, `evaluate`, `choice` and `reasoning` compare them with right ones; `ddxplus` makes cases, `metrics` lists what is computed."""

import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

from ..diagnosing.published import cases_of
from ..evaluation import evaluate as verbs
from ..evaluation.report.report import Report, check_report_path
from ..evaluation.score.declare import all_metrics, called
from ..evaluation.score.reference_page import entry
from ..files.atomic import make_folder
from ..files.tables import check_output, write_table
from ..files.wording import counted
from ..options import WRITTEN
from ..pages.terminal import print_table
from ..votes.asking import plan_lines
from .command import Call, Output, Place, TableFile, command

Reports = Sequence[Annotated[Path, WRITTEN, check_report_path]]
_STEPS = {
    "1. Which of three language models names the right diagnoses?": 'evaluate "{from}/models" --references "{from}/right_answers.csv" --by specialty -o "{to}/report.html" --matches "{to}/matches.csv"',
    "2. Does an algorithm agree with the experts as they agree among themselves?": 'evaluate "{from}/lists.csv" -o "{to}/panel.html"',
    "3. Map free text to ICD-10.": 'icd "heart attack" "acute MI" I21 "sugar diabetes, type II"',
    "4. Train a match function on pairs that three experts labelled.": 'train "{from}/pairs.csv" -o "{to}/model" --held-out "{to}/held_out.csv" --overwrite',
    "5. Score the pairs it has not seen.": 'score "{to}/held_out.csv" -o "{to}/scored.csv" --matcher "{to}/model" --add features',
}  # fmt: skip


@command(given="*answers", prints=".md")
def evaluate(
    call: Call,
    *,
    output: Reports = (),
    matches: TableFile = None,
    judgements: TableFile = None,
    charts: Place = None,
    pairs: TableFile = None,
    dry_run: bool = False,
    full: bool = False,
    case: Sequence[str] = (),
) -> Any:
    """Compare answers with the right ones, and with a panel of experts.

    Parameters
    ----------
    output : path
        The report: .html (every case), .md or .tex (the leaderboard), .csv, .xlsx or .json; may be given again.
    matches : path
        A table of what was matched with what, a row for each case, model and rank.
    judgements : path
        A table of what the judge and the check said of each right answer, and on which basis.
    charts : path
        A folder for each chart as PNG and SVG.
    pairs : path
        Write the pairs that M would be asked to this table, and stop.
    dry_run : bool
        Read the files, show the first cases and all that is unread or doubtful, and stop.
    full : bool
        Print every table, not only the leaderboard.
    case : str
        A case to print: its lists side by side with codes, and what they share with the right answer; may be given again.

    Examples
    --------
    dxmatch evaluate answers/*.jsonl --references gold.csv -o report.html
    dxmatch evaluate panel.csv --algorithms gpt4 -o report.html -o table.xlsx
    """
    if pairs is not None:
        write_table(asked := call(verbs.pairs_asked), pairs)
        return print(f"{counted(len(asked), 'pair')} to ask.")
    if dry_run:
        return print("\n".join(call(verbs.read).preview()))
    report = call()
    for one in case:
        report.case(one)  # a case that is not there is told of before anything is written
    return call.deliver(report, matches="matches", judgements="judgements")


@command(given="questions *answers", prints=".md")
def choice(call: Call, *, output: Reports = (), per_answer: TableFile = None) -> Report | None:
    """Score multiple-choice questions under several orders of their options.

    Mean and deviation of each question over these orders, by model and subset.

    Parameters
    ----------
    output : path
        The report: .html, .md or .tex (the leaderboard), .json, or the table: .csv, .tsv, .jsonl, .xlsx, .parquet; may be given again.
    per_answer : path
        A table with a row for each answer.

    Examples
    --------
    dxmatch choice questions.json answers.csv -o choice.md
    dxmatch choice questions.json --models lab:qwen2.5-7b --endpoints endpoints.toml
    """
    report = call()
    if isinstance(report, list):
        return print("\n".join(plan_lines(report)))
    return call.deliver(report, per_answer="choice.answers")


@command(given="graphs notes *predictions", prints=".md")
def reasoning(
    call: Call, *, output: Reports = (), per_note: TableFile = None, deductions: TableFile = None, charts: Place = None
) -> Report:
    """Compare predicted diagnostic reasoning with annotated reasoning.

    One run, or several, in the formats of DiReCT.

    Parameters
    ----------
    output : path
        The report: .html (every note), .md (the runs as a table), .json (everything), .csv, .tsv, .xlsx, .jsonl or .parquet (the table of
        metrics); may be given again.
    per_note : path
        A table with a row for each note and run.
    deductions : path
        A table with a row for each observation that is common, only in the note, or only predicted.
    charts : path
        A folder for each chart by medical domain as PNG and SVG.

    Examples
    --------
    dxmatch reasoning graphs notes run-g run-k -o report.html
    dxmatch reasoning graphs notes GPT-4=run-1 --judge local:llama-3-8b --endpoints endpoints.toml
    """
    return call.deliver(call(), per_note="reasoning.notes", deductions="reasoning.deductions")


@command(given="cases", prints=".csv")
def ask(call: Call) -> None:
    """Ask language models for the diagnoses of cases.

    Cases x models x prompts x repeats. Every answer is kept; run again to go on.

    Examples
    --------
    dxmatch ask cases.jsonl --endpoints my.toml -m local:llama3 --prompt free --prompt json --repeats 3 -o lists.parquet
    """
    found = call(planned=lambda planned: print("\n".join(plan_lines(planned))))
    print("\n".join(replace(found, summary=None).lines()))  # the summary comes at the end, as with every command
    call.lacking = found.lists is not None and not found.complete


@command(cases_of, given="patients", prints=".csv")
def ddxplus(call: Call, *, output: Annotated[Path, WRITTEN, check_output]) -> None:
    """Make cases and right answers of DDXPlus's patients.

    The cases are for dxmatch ask, the right answers for dxmatch evaluate --references.

    Parameters
    ----------
    output : path
        The cases: .jsonl or .parquet.

    Examples
    --------
    dxmatch ddxplus release_test_patients.csv -o cases.jsonl --cases 730 --first 5
    """
    write_table(call(), output)


@command(given="*names")
def metrics(call: Call, names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """List every metric with its formula, source and range.

    Those that are named are shown in full.

    Parameters
    ----------
    names : str
        Metrics to show in full, by name or symbol, such as top_k or RPAD; a table of all if none is given.

    Examples
    --------
    dxmatch metrics
    dxmatch metrics rpad
    """
    declared = called([*names]) if names else all_metrics()
    if names:
        print("\n\n".join("\n".join(entry(metric)) for metric in declared))
    else:
        rows = [(one.symbol, (say := one.description).meaning, say.formula, say.range, say.source) for one in declared]
        print_table(("Metric", "Says", "Formula", "Range", "Source"), rows, title="Metrics", show_lines=True)
        print("One in full: dxmatch metrics NAME")
    return [{"name": one.name, "symbol": one.symbol, **asdict(one.description)} for one in declared]


@command()
def demo(call: Call, *, output: Output = Path("dxmatch-demo")) -> None:
    """The main commands, one after another, on the bundled example.

    Compare models' answers with the right ones and an algorithm with experts, map to ICD-10, train and score, in under a minute.

    Parameters
    ----------
    output : path
        The folder for what it makes.

    Examples
    --------
    dxmatch demo --output demo
    """
    from .main import run

    make_folder(output)
    for what, step in _STEPS.items():
        line = step.format_map({"from": Path(__file__).parents[1] / "example", "to": output})
        print(f"\n{what}\n$ dxmatch {line}")
        run(shlex.split(line))
    print("\nOpen the reports:", *((output / name).resolve() for name in ("report.html", "panel.html")), sep="\n")
