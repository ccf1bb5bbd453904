"""`dxmatch evaluate`: lists of diagnoses against the right answers, and against a panel of experts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .named_values import depths, named_columns, named_lists, named_pairs
from .options import Bootstrap, Encoding, JudgeAll, MinCoverage, Model, Origin, Policy, Rejects, Seed, Threshold
from .votes import Endpoints, quiet_retries, say_asked

IN, OUT, METRICS, PANEL = "What goes in", "What comes out", "Metrics", "A panel of experts"
ASKED = "Language models as judges, votes"
ICD = "Codes of ICD-10"


def evaluate(
    lists: Annotated[
        list[Path],
        typer.Argument(
            help="What the models answered, as you have it: a table with a row for each diagnosis, for each case, or a column "
            "for each model; JSON or JSONL with lists or raw answers; a file for each model, or their folder; a log of Inspect."
        ),
    ],
    references: Annotated[
        Path | None,
        typer.Option(
            "--references", rich_help_panel=IN, help="The right answers, where they stand in a file of their own."
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            rich_help_panel=OUT,
            help="The report: .html (every case), .md or .tex (the leaderboard), .csv, .xlsx, .json.",
        ),
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", rich_help_panel=OUT, help="All as JSON: to FILE.json, else printed alone.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", rich_help_panel=OUT, help="The table of metrics, as CSV.")
    ] = None,
    matches: Annotated[
        Path | None,
        typer.Option(
            "--matches",
            rich_help_panel=OUT,
            help="What was matched with what, a row for each case, model and rank: a table.",
        ),
    ] = None,
    charts: Annotated[
        Path | None, typer.Option("--charts", rich_help_panel=OUT, help="A folder for each chart as PNG and SVG.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", rich_help_panel=OUT, help="Print every table, not only the leaderboard.")
    ] = False,
    case: Annotated[
        list[str] | None,
        typer.Option(
            "--case",
            rich_help_panel=OUT,
            help="A case to print: its lists side by side with codes, and what they share with the reference. May be repeated.",
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "--metric",
            rich_help_panel=METRICS,
            help="A metric, or a family (ranking, recall, hierarchical, weighted, relative, agreement); all that the lists allow, if none.",
        ),
    ] = None,
    k: Annotated[
        list[str] | None,
        typer.Option(
            "--k",
            rich_help_panel=METRICS,
            help="Diagnoses that count of each list: --k 5 for every metric that takes a k (the table then has top-5 in place of top-3), --k recall=all --k hierarchical=5 for "
            "single families. By default recall and HDF1 take whole lists, RPAD and RRAD three.",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", rich_help_panel=METRICS, help="A column of the cases: every metric for each of its values, too."
        ),
    ] = None,
    groups: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            "--groups",
            rich_help_panel=METRICS,
            help="A group that models belong to: --group proprietary=gpt4,claude; or as a column model_group (--columns group=COLUMN).",
        ),
    ] = None,
    compare: Annotated[
        list[str] | None,
        typer.Option(
            "--compare",
            rich_help_panel=METRICS,
            help="Two runs of one model, base first, also of several prompts: --compare base=tuned shows tuned less base. Only such "
            "pairs are tested, on every metric and in each group of --by.",
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            "--column",
            rich_help_panel=IN,
            help="What a column is: --columns reference=gold, --columns predictions=gpt4,claude.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            rich_help_panel=IN,
            help="The format of the files, where it is not to be recognised: inspect, lm-eval, craft-md, clinbench-hpb, "
            "diagnosis-arena, ddxplus, direct or kernel29.",
        ),
    ] = None,
    encoding: Encoding = None,
    no_diagnosis: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=IN,
            help="One more word that means no diagnosis, beside none, N/A, unknown and the like; keep: these, too, are diagnoses.",
        ),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=IN,
            help="A list that is not there: empty (an empty answer; the default, but for experts), own (each model has its own number "
            "of cases) or refuse.",
        ),
    ] = None,
    rejects: Rejects = None,
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithms",
            "--algorithm",
            rich_help_panel=PANEL,
            help="A rater that is an algorithm; the others are the panel of experts.",
        ),
    ] = None,
    in_turn: Annotated[
        bool,
        typer.Option(
            "--in-turn", rich_help_panel=PANEL, help="Each rater in turn is the algorithm, the others the panel."
        ),
    ] = False,
    hardness: Annotated[
        float, typer.Option(rich_help_panel=PANEL, help="H in [0, 1]: 1 compares means, 0 the best with the worst.")
    ] = 1.0,
    denominator: Annotated[
        str,
        typer.Option(
            rich_help_panel=PANEL, help="nk2: n k squared, as in the source; observed: the lists' own lengths."
        ),
    ] = "nk2",
    labelled: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=PANEL,
            help="Pairs of these lists that experts labelled: P and RPAD corrected for M's own errors.",
        ),
    ] = None,
    icd_source: Annotated[
        str,
        typer.Option(
            rich_help_panel=ICD,
            help="The tree of the codes: icd10cm, icd10 (WHO), or a CSV with code, name, parent.",
        ),
    ] = "icd10cm",
    difficulty: Annotated[
        str,
        typer.Option(
            rich_help_panel=METRICS, help="easy, medium or hard: how bad cases weigh in the severity-semantic plane."
        ),
    ] = "hard",
    semantic_best: Annotated[
        float,
        typer.Option(
            rich_help_panel=METRICS,
            help="The semantic score that is rescaled to 1: 16; 10.33 in Kernel29's own scripts.",
        ),
    ] = 16,
    codes: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=ICD,
            help="One reference table for all models: columns diagnosis and icd10, as dxmatch icd --unique writes it.",
        ),
    ] = None,
    pick: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=ICD,
            help="The language model that picks each code among the nearest, as --features names it.",
        ),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(rich_help_panel=ICD, help="The feature set that declares picks and encoders: paper17 if none."),
    ] = None,
    icd_encoder: Annotated[
        str | None,
        typer.Option(rich_help_panel=ICD, help="What finds the nearest names: as --encoder of dxmatch icd."),
    ] = None,
    icd_distance: Annotated[
        str | None, typer.Option(rich_help_panel=ICD, help="cosine or euclidean: as --distance of dxmatch icd.")
    ] = None,
    icd_entries: Annotated[
        str | None,
        typer.Option(rich_help_panel=ICD, help="codes, or names as in H-DDx: as --entries of dxmatch icd."),
    ] = None,
    icd_direct: Annotated[
        bool,
        typer.Option(
            "--icd-direct/--no-icd-direct",
            rich_help_panel=ICD,
            help="With --pick: as --direct of dxmatch icd; --no-icd-direct as in H-DDx.",
        ),
    ] = True,
    bootstrap: Bootstrap = 1000,
    seed: Seed = 0,
    model: Model = None,
    policy: Policy = None,
    threshold: Threshold = None,
    judge_all: JudgeAll = False,
    store: Annotated[
        Path | None,
        typer.Option(
            "--store",
            rich_help_panel=ASKED,
            help="The vote store: read for M, and filled by --judge, --relation, --severity.",
        ),
    ] = None,
    endpoints: Endpoints = None,
    judge: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=ASKED,
            help="A judge of whole answers beside M: ENDPOINT:MODEL; or M itself: model. It gives recall, with a basis for each verdict.",
        ),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            "--check",
            rich_help_panel=ASKED,
            help="Who checks what the judge says is not included, seeing its basis: ENDPOINT:MODEL (by default the judge), model, or none.",
        ),
    ] = None,
    judge_prompt: Annotated[
        str | None,
        typer.Option("--judge-prompt", rich_help_panel=ASKED, help="Another prompt of the judge: a text file."),
    ] = None,
    check_prompt: Annotated[
        str | None,
        typer.Option("--check-prompt", rich_help_panel=ASKED, help="Another prompt of the check: a text file."),
    ] = None,
    judge_equal: Annotated[
        bool,
        typer.Option(
            "--judge-equal",
            rich_help_panel=ASKED,
            help="Ask the judge also about a diagnosis whose very name stands in the list, as ClinBench-HPB does.",
        ),
    ] = False,
    judgements: Annotated[
        Path | None,
        typer.Option(
            "--judgements",
            rich_help_panel=OUT,
            help="What the judge and the check said of each reference diagnosis, and on which basis: a table.",
        ),
    ] = None,
    human: Annotated[
        Path | None,
        typer.Option(
            "--human",
            rich_help_panel=ASKED,
            help="Labels by humans (case_id, rater, reference, label 0 or 1; label_NAME of several): how far M and the judge agree with them.",
        ),
    ] = None,
    relation: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=ASKED,
            help="Fill the column relation by a language model: ENDPOINT:MODEL; or by M itself: model.",
        ),
    ] = None,
    severity: Annotated[
        str | None,
        typer.Option(rich_help_panel=ASKED, help="Fill the column severity by a language model: ENDPOINT:MODEL."),
    ] = None,
    relation_prompt: Annotated[
        str | None,
        typer.Option("--relation-prompt", rich_help_panel=ASKED, help="Another prompt for relations: a text file."),
    ] = None,
    severity_prompt: Annotated[
        str | None,
        typer.Option("--severity-prompt", rich_help_panel=ASKED, help="Another prompt for severities: a text file."),
    ] = None,
    max_calls: Annotated[
        int | None, typer.Option(rich_help_panel=ASKED, help="Of the language models: stop after so many calls.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(rich_help_panel=ASKED, help="Of the language models: stop before this cost.")
    ] = None,
    min_coverage: MinCoverage = 0.9,
    pairs: Annotated[
        Path | None,
        typer.Option(
            "--pairs", rich_help_panel=ASKED, help="Write the pairs that M would be asked to this file, and stop."
        ),
    ] = None,
    origin: Origin | None = None,
) -> None:
    """Compare models' diagnoses with the right answers, and with a panel of experts: every metric that the lists allow."""
    from ..errors import InputError
    from ..evaluation.evaluate import evaluate as run
    from ..evaluation.judges.asking import NotServed
    from ..evaluation.judges.by_matcher import MODEL
    from ..evaluation.judges.language_model import Budget
    from ..evaluation.pairs_asked import pairs_asked
    from ..evaluation.report.report import check_report_path
    from ..files.tables import check_output, write_table
    from ..progress import shown

    files = [path for path in (*(output or []), json, csv) if path is not None]
    for path in files:
        check_report_path(path)
    for path in (matches, judgements):
        if path is not None:
            check_output(path)
    if judgements is not None and judge is None:
        raise typer.BadParameter("--judgements needs a judge: --judge ENDPOINT:MODEL")
    options: dict[str, Any] = {
        "references": references, "algorithms": algorithms or None, "no_diagnosis": no_diagnosis or None,
        "columns": named_columns(columns or []), "encoding": encoding, "format": format, "missing": missing, "by": by or None,
        "rejects": rejects, "k": depths(k or []), "in_turn": in_turn, "metrics": metrics or None, "icd_source": icd_source,
    }  # fmt: skip
    given = lists[0] if len(lists) == 1 else lists
    if pairs is not None:
        check_output(pairs)
        asked = pairs_asked(given, **options)
        write_table(asked, pairs)
        typer.echo(f"{pairs}: {asked.num_rows:,} pairs.")
        return
    if judge or severity or pick or (relation and relation != MODEL):
        quiet_retries()
    budget = Budget(max_calls, max_cost)
    try:
        with shown("Evaluating") as progress:
            report = run(
                given, model, hardness=hardness, denominator=denominator, labelled=labelled, judge=judge, check=check,
                judge_prompt=judge_prompt, check_prompt=check_prompt, judge_equal=judge_equal, human=human,
                relation=relation, severity=severity, relation_prompt=relation_prompt, severity_prompt=severity_prompt,
                endpoints=endpoints, store=store, budget=budget,
                difficulty=difficulty, semantic_best=semantic_best, codes=codes, pick=pick, features=features,
                icd_encoder=icd_encoder, icd_distance=icd_distance, icd_entries=icd_entries, icd_direct=icd_direct, min_coverage=min_coverage,
                policy=policy, threshold=threshold, judge_all=judge_all, bootstrap=bootstrap, seed=seed,
                progress=progress, groups=named_lists("group", groups or []), compare=named_pairs(compare or []), **options, **(origin or {}),
            )  # fmt: skip
    except NotServed as error:
        raise typer.BadParameter(str(error)) from None
    for one in case or []:
        report.case(one)  # a case that is not there is told of before anything is written
    # All is written before anything is shown: the reader of a pipe may leave.
    written: list[object] = [report.save(path) for path in files]
    if charts is not None:
        written.append(f"{len(report.save_charts(charts))} files in {charts}")
    if judgements is not None:
        written.append(report.save_judgements(judgements))
    lacking: InputError | None = None
    if matches is not None:
        try:
            written.append(report.save_matches(matches))
        except InputError as error:  # no right answers; the report is still shown
            lacking = error
    report.print(full=full)
    for one in case or []:
        report.print_case(one)
    for path in written:
        typer.echo(f"Written: {path}")
    say_asked(*budget.summaries)
    if lacking is not None:
        raise lacking
