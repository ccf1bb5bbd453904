"""The options of `dxmatch evaluate` that make a group each: a function of them gives what `dxmatch.evaluate` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from .asking import Endpoints, MaxCalls, MaxCost, asking_option
from .named_values import depths, named_columns, named_lists, named_pairs
from .options import Encoding, Rejects, under

input_option, metric_option = under("What goes in"), under("Metrics")
panel_option, icd_option = under("A panel of experts"), under("Codes of ICD-10")


def reading_options(
    references: Annotated[
        Path | None, input_option(help="The right answers, where they stand in a file of their own.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        input_option(
            "--columns",
            "--column",
            help="What a column is: --columns reference=gold, --columns predictions=gpt4,claude.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        input_option(
            help="The format of the files, where it is not to be recognised: inspect, lm-eval, craft-md, clinbench-hpb, "
            "diagnosis-arena, ddxplus, direct or kernel29."
        ),
    ] = None,
    encoding: Encoding = None,
    separator: Annotated[
        str | None,
        input_option(
            help="What parts several diagnoses in one cell beside line breaks, ; and |: a comma, or none where commas belong to names."
        ),
    ] = None,
    no_diagnosis: Annotated[
        list[str] | None,
        input_option(
            help="One more word that means no diagnosis, beside none, N/A, unknown and the like; keep: these, too, are diagnoses."
        ),
    ] = None,
    missing: Annotated[
        str | None,
        input_option(
            help="A list that is not there: empty (an empty answer; the default, but for experts), own (each model has its own number "
            "of cases) or refuse."
        ),
    ] = None,
    rejects: Rejects = None,
) -> dict[str, Any]:
    """How the lists are read."""
    return locals() | {"columns": named_columns(columns or []), "no_diagnosis": no_diagnosis or None}


def figures_options(
    metrics: Annotated[
        list[str] | None,
        metric_option(
            "--metrics",
            "--metric",
            help="A metric, or a family (ranking, recall, hierarchical, weighted, relative, agreement); all that the lists allow, if none.",
        ),
    ] = None,
    k: Annotated[
        list[str] | None,
        metric_option(
            help="Diagnoses that count of each list: --k 5 for every metric that takes a k (the table then has top-5 in place of top-3), --k recall=all --k hierarchical=5 for "
            "single families. By default recall and HDF1 take whole lists, RPAD and RRAD three."
        ),
    ] = None,
    by: Annotated[
        list[str] | None, metric_option(help="A column of the cases: every metric for each of its values, too.")
    ] = None,
    groups: Annotated[
        list[str] | None,
        metric_option(
            "--group",
            "--groups",
            help="A group that models belong to: --group proprietary=gpt4,claude; or as a column model_group (--columns group=COLUMN).",
        ),
    ] = None,
    compare: Annotated[
        list[str] | None,
        metric_option(
            help="Two runs of one model, base first, also of several prompts: --compare base=tuned shows tuned less base. Only such "
            "pairs are tested, on every metric and in each group of --by."
        ),
    ] = None,
    difficulty: Annotated[
        str, metric_option(help="easy, medium or hard: how bad cases weigh in the severity-semantic plane.")
    ] = "hard",
    semantic_best: Annotated[
        float, metric_option(help="The semantic score that is rescaled to 1: 16; 10.33 in Kernel29's own scripts.")
    ] = 16,
) -> dict[str, Any]:
    """Which figures are wanted, of which groups."""
    return locals() | {
        "metrics": metrics or None, "k": depths(k or []), "by": by or None, "groups": named_lists("group", groups or []),
        "compare": named_pairs(compare or []),
    }  # fmt: skip


def panel_options(
    algorithms: Annotated[
        list[str] | None,
        panel_option(
            "--algorithms", "--algorithm", help="A rater that is an algorithm; the others are the panel of experts."
        ),
    ] = None,
    in_turn: Annotated[
        bool, panel_option("--in-turn", help="Each rater in turn is the algorithm, the others the panel.")
    ] = False,
    hardness: Annotated[float, panel_option(help="H in [0, 1]: 1 compares means, 0 the best with the worst.")] = 1.0,
    denominator: Annotated[
        str, panel_option(help="nk2: n k squared, as in the source; observed: the lists' own lengths.")
    ] = "nk2",
) -> dict[str, Any]:
    """How algorithms are compared with experts."""
    return locals() | {"algorithms": algorithms or None}


def icd_options(
    icd_source: Annotated[
        str, icd_option(help="The tree of the codes: icd10cm, icd10 (WHO), or a CSV with code, name, parent.")
    ] = "icd10cm",
    codes: Annotated[
        Path | None,
        icd_option(
            help="One reference table for all models: columns diagnosis and icd10, as dxmatch icd --unique writes it."
        ),
    ] = None,
    pick: Annotated[
        str | None,
        icd_option(help="The language model that picks each code among the nearest, as --features names it."),
    ] = None,
    features: Annotated[
        str | None, icd_option(help="The feature set that declares picks and encoders: paper17 if none.")
    ] = None,
    icd_encoder: Annotated[
        str | None, icd_option(help="What finds the nearest names: as --encoder of dxmatch icd.")
    ] = None,
    icd_distance: Annotated[str | None, icd_option(help="cosine or euclidean: as --distance of dxmatch icd.")] = None,
    icd_entries: Annotated[
        str | None, icd_option(help="codes, or names as in H-DDx: as --entries of dxmatch icd.")
    ] = None,
    icd_direct: Annotated[
        bool,
        icd_option(
            "--icd-direct/--no-icd-direct", help="With --pick: as --direct of dxmatch icd; --no-icd-direct as in H-DDx."
        ),
    ] = True,
) -> dict[str, Any]:
    """Where codes of ICD-10 come from."""
    return locals()


def asking_options(
    judge: Annotated[
        str | None,
        asking_option(
            help="A judge of whole answers beside M: ENDPOINT:MODEL; or M itself: model. It gives recall, with a basis for each verdict."
        ),
    ] = None,
    check: Annotated[
        str | None,
        asking_option(
            help="Who checks what the judge says is not included, seeing its basis: ENDPOINT:MODEL (by default the judge), model, or none."
        ),
    ] = None,
    judge_prompt: Annotated[str | None, asking_option(help="Another prompt of the judge: a text file.")] = None,
    check_prompt: Annotated[str | None, asking_option(help="Another prompt of the check: a text file.")] = None,
    judge_equal: Annotated[
        bool,
        asking_option(
            "--judge-equal",
            help="Ask the judge also about a diagnosis whose very name stands in the list, as ClinBench-HPB does.",
        ),
    ] = False,
    relation: Annotated[
        str | None,
        asking_option(help="Fill the column relation by a language model: ENDPOINT:MODEL; or by M itself: model."),
    ] = None,
    severity: Annotated[
        str | None, asking_option(help="Fill the column severity by a language model: ENDPOINT:MODEL.")
    ] = None,
    relation_prompt: Annotated[str | None, asking_option(help="Another prompt for relations: a text file.")] = None,
    severity_prompt: Annotated[str | None, asking_option(help="Another prompt for severities: a text file.")] = None,
    endpoints: Endpoints = None,
    store: Annotated[
        Path | None, asking_option(help="The vote store: read for M, and filled by --judge, --relation, --severity.")
    ] = None,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
) -> dict[str, Any]:
    """Which language models are asked what, and at most how much."""
    given = locals()
    from ..votes.asking import Budget

    return given | {"budget": Budget(given.pop("max_calls"), given.pop("max_cost"))}


Reading = Annotated[dict[str, Any], reading_options]
Figures = Annotated[dict[str, Any], figures_options]
Panel = Annotated[dict[str, Any], panel_options]
Icd = Annotated[dict[str, Any], icd_options]
Asking = Annotated[dict[str, Any], asking_options]
