"""Where the metrics come from: papers and systems in full, with a link."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """cited : as a `Metric.source` names it. reference : in full. link : a DOI where there is one."""

    cited: str
    reference: str
    link: str


SOURCES = (
    Source(
        "How to Evaluate Medical AI",
        "Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to Evaluate "
        "Medical AI. 2025. arXiv:2509.11941",
        "https://doi.org/10.48550/arXiv.2509.11941",
    ),
    Source(
        "H-DDx",
        "Lim S, Kim G, Lee H, Han W, Seo J, Yoo J, Yang E. H-DDx: A Hierarchical Evaluation Framework for Differential Diagnosis. "
        "2025. arXiv:2510.03700",
        "https://doi.org/10.48550/arXiv.2510.03700",
    ),
    Source("Kernel29", "Foundation 29. Kernel29, evaluation of DxGPT", "https://github.com/foundation29org/Kernel29"),
    Source(
        "ClinBench-HPB",
        "Li Y, Zeng X, Fang C, Yang J, Jia F, Zhang L. ClinBench-HPB: A Clinical Benchmark for Evaluating LLMs in "
        "Hepato-Pancreato-Biliary Diseases. 2025. arXiv:2506.00095",
        "https://doi.org/10.48550/arXiv.2506.00095",
    ),
    Source(
        "DiReCT",
        "Wang B, Chang J, Qian Y, Chen G, Chen J, Jiang Z, Zhang J, Nakashima Y, Nagahara H. DiReCT: Diagnostic Reasoning for "
        "Clinical Notes via Large Language Models. 2024. arXiv:2408.01933",
        "https://doi.org/10.48550/arXiv.2408.01933",
    ),
    Source(
        "Cohen 1960",
        "Cohen J. A Coefficient of Agreement for Nominal Scales. Educational and Psychological Measurement 20(1), 1960",
        "https://doi.org/10.1177/001316446002000104",
    ),
    Source(
        "Fleiss 1971",
        "Fleiss JL. Measuring nominal scale agreement among many raters. Psychological Bulletin 76(5), 1971",
        "https://doi.org/10.1037/h0031619",
    ),
    Source(
        "Krippendorff 2011",
        "Krippendorff K. Computing Krippendorff's Alpha-Reliability. University of Pennsylvania, 2011",
        "https://repository.upenn.edu/asc_papers/43",
    ),
    Source(
        "Voorhees 1999",
        "Voorhees EM. The TREC-8 Question Answering Track Report. TREC-8, NIST, 1999",
        "https://trec.nist.gov/pubs/trec8/papers/qa_report.pdf",
    ),
    Source(
        "Järvelin and Kekäläinen 2002",
        "Järvelin K, Kekäläinen J. Cumulated gain-based evaluation of IR techniques. ACM Transactions on Information Systems "
        "20(4), 2002",
        "https://doi.org/10.1145/582415.582418",
    ),
    Source(
        "Landis and Koch 1977",
        "Landis JR, Koch GG. The Measurement of Observer Agreement for Categorical Data. Biometrics 33(1), 1977",
        "https://doi.org/10.2307/2529310",
    ),
)
"""In the order of the reference page."""


def sources_of(text: str) -> list[Source]:
    """Those that a text cites."""
    return [source for source in SOURCES if source.cited in text]
