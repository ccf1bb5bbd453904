"""Small arguments of each metric by name, from a random generator; where a metric may be undefined, some that make it so."""

from __future__ import annotations

import numpy as np

from dxmatch.evaluation.score.choice import MAX_SHIFTS
from dxmatch.evaluation.score.weighted import BEST, RANKS, RELATIONS, SETTINGS, SEVERITIES

POOL = ("J40", "J44.9", "J47", "C34", "C34.90", "I26", "A15-A19", "B20", "S22.3")


def of_cases(g):
    return {"mu": g.integers(0, 10, g.integers(1, 7))}


def of_a_panel(g):
    n, z, k = (int(g.integers(low, high)) for low, high in ((1, 7), (2, 6), (1, 4)))
    # a panel of which few match, so that in some examples no two experts do
    ee = g.integers(0, k * k + 1, (n, z * (z - 1) // 2)) * (g.random((n, 1)) < g.random())
    return {"mu_ae": g.integers(0, k * k + 1, (n, z)), "mu_ee": ee, "k": k}


def with_hardness(g):
    return {**of_a_panel(g), "hardness": float(g.choice([0.0, 0.3, 1.0]))}


def of_two_raters(g):
    n, count = g.integers(1, 7), g.integers(1, 4)
    return {name: g.integers(-(n % 2), count, n) for name in "ab"}


def of_a_group(g):
    n, raters, count = (int(g.integers(low, high)) for low, high in ((1, 7), (2, 5), (1, 5)))
    return {"categories": g.integers(-1, count, (n, raters))}


def by_distance(g):
    upper = np.triu(g.integers(0, 2, (4, 4)), 1)
    return {"values": of_a_group(g)["categories"], "distance": upper + upper.T}


def of_words(g, name, scale):
    count = g.integers(0, RANKS + 1)
    ranks = g.choice(np.arange(1, RANKS + 1), count, replace=False).tolist()
    return {name: g.choice([*scale], count).tolist(), "ranks": ranks}


def of_severities(g):
    scale = [*SEVERITIES, "unknown"]
    return {"reference": g.choice(scale), **of_words(g, "severities", scale)}


def of_scores(g):
    return {"scores": np.where(g.random(3) < 0.4, np.nan, g.random(3) * 2 - 1), "setting": g.choice([*SETTINGS]).item()}


def of_ranks(g):
    n, width = (int(g.integers(1, 6)) for _ in range(2))
    return {"hits": g.random((n, width)) < 0.3, "k": int(g.integers(1, 6))}


def of_gains(g):
    n, ranks, references = (int(g.integers(1, high)) for high in (6, 6, 4))
    given = g.random((n, references)) < 0.6
    given[:, 0] |= ~given.any(1)
    gains = g.integers(0, 5, (n, ranks, references)) / 4
    return {"gains": gains, "given": given, "k": int(g.integers(1, ranks + 2))}


def of_hits(g):
    graded = of_gains(g)
    return {"hits": graded.pop("gains") > 0.5, **graded}


def of_codes(g):
    n, most = g.integers(1, 4), g.integers(1, 5)
    names = ("reference_codes", "predicted_codes")
    return {name: [g.choice(POOL, g.integers(0, most)).tolist() for _ in range(n)] for name in names}


def of_shifts(g):
    asked, n = int(g.integers(1, MAX_SHIFTS + 1)), int(g.integers(1, 7))
    correct = (g.random((asked, n)) < 0.6).astype(float)
    # of a question with few options the last shifts are missing
    for question in range(1, n):
        correct[int(g.integers(1, asked + 1)) :, question] = np.nan
    return {"correct": correct}


def of_names(g):
    n = int(g.integers(1, 7))
    return {name: g.choice(["Asthma", "asthma", "COPD"], n).tolist() for name in ("annotated", "predicted")}


def of_counts(*names):
    def drawn(g):
        n = int(g.integers(1, 5))
        annotated, predicted = g.integers(0, 4, n), g.integers(0, 4, n)
        paired = g.integers(0, np.minimum(annotated, predicted) + 1)
        explained = g.integers(0, paired + 1)
        counts = {"explained": explained, "paired": paired, "annotated": annotated, "predicted": predicted}
        counts["premised"] = g.integers(0, predicted + 1)
        return {name: counts[name] for name in names}

    return drawn


EXAMPLES = {
    "precision_at_k": lambda g: of_cases(g) | {"k": 3},
    "recall_at_k": of_cases,
    **dict.fromkeys(("p_opt", "p_avg", "r_opt", "r_avg"), of_a_panel),
    **dict.fromkeys(("rpad", "rrad"), with_hardness),
    "sigma_algorithm": lambda g: {"rates_ae": g.random(g.integers(1, 6))},
    "sigma_experts": lambda g: {"rates_ee": g.random(g.choice([1, 3, 6, 10]))},
    "cohen_kappa": of_two_raters,
    **dict.fromkeys(("fleiss_kappa", "krippendorff_alpha"), of_a_group),
    "krippendorff_alpha_by_distance": by_distance,
    "semantic_score": lambda g: of_words(g, "relations", RELATIONS),
    **dict.fromkeys(("severity_score", "severity_error"), of_severities),
    "rescaled": lambda g: {"scores": np.where(g.random(4) < 0.1, np.nan, g.random(4) * BEST)},
    "aggregated": of_scores,
    **dict.fromkeys(("top_k_accuracy", "mrr"), of_ranks),
    "ndcg": of_gains,
    **dict.fromkeys(("hdp", "hdr", "hdf1"), of_codes),
    **dict.fromkeys(("disease_recall", "patient_recall"), of_hits),
    "prompt_spread": lambda g: {"values": g.random(int(g.integers(1, 6)))},
    **dict.fromkeys(("choice_accuracy", "choice_spread", "choice_all_right", "choice_any_right"), of_shifts),
    **dict.fromkeys(("category_accuracy", "diagnosis_accuracy"), of_names),
    "observation_precision": of_counts("paired", "predicted"),
    "observation_recall": of_counts("paired", "annotated"),
    "observation_completeness": of_counts("paired", "annotated", "predicted"),
    "explanation_of_common": of_counts("explained", "paired"),
    "explanation_of_all": of_counts("explained", "paired", "annotated", "predicted"),
    "premise_share": of_counts("premised", "predicted"),
}
