"""Who says, beside the match function, whether diagnoses match and how near they are: a panel, codes of ICD-10, a language model, people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from ...errors import OptionError
from ...matcher.icd_mapper import Preset
from ...options import Between, File, Options, Table

BEST = 16
"""The highest semantic score that there is."""
MAX_K = 100
"""The most diagnoses of a list that can be asked for, or are looked at."""
NOBODY = {"check": "none", "relation": "model"}
"""What is asked of a language model -> the word that it is asked of none: there is no check, and the match function tells relations."""


@dataclass(frozen=True, kw_only=True)
class Panel(Options):
    """Who is compared with a panel of experts, and how.

    Parameters
    ----------
    algorithms : str or sequence of str, optional
        The raters to judge, by default those whose role says so; all others are the panel of experts.
    in_turn : bool
        Each of them (each rater, where none is named) is judged by all other raters.
    hardness : float
        From 0 to 1: 1 compares averages, 0 the best of the algorithm with the worst of the panel.
    denominator : str
        "nk2" divides by n k^2, as in the source; "observed" by the lists' own lengths.
    max_k : int, optional
        The curves go from 1 to this; by default to the longest list, at most 10, at least `k`.
    labelled : table, optional
        Pairs of the lists that experts labelled (a, b, label; case_id where whole cases were drawn): P and RPAD, and with cases R and
        RRAD, are also given corrected for the match function's own errors.

    Raises
    ------
    OptionError
        For what is not allowed.
    """

    algorithms: str | Sequence[str] | None = None
    in_turn: bool = False
    hardness: Annotated[float, Between(0, 1)] = 1.0
    denominator: Literal["nk2", "observed"] = "nk2"
    max_k: Annotated[int, Between(1, MAX_K)] | None = None
    labelled: Table | None = None


@dataclass(frozen=True, kw_only=True)
class Codes(Options):
    """Where codes of ICD-10 come from.

    Parameters
    ----------
    table : table or mapping, optional
        One reference table for all models, as `dxmatch icd --unique` writes it (columns diagnosis and icd10), or {diagnosis: code}: it
        goes before every other way from text to code, but after codes in the lists themselves. What it lacks is mapped by the preset,
        which is counted and said above the figures.
    tree : str or path
        The tree of the codes: "icd10cm", "icd10" (WHO) or the path of a CSV with code, name and parent.
    preset : str or IcdPreset
        How the nearest names of ICD-10 are found, as in `dxmatch.icd`: "default", by the match function's own mapping, "h-ddx" or
        "how-to-evaluate-medical-ai", as in these papers, or a preset of your own.
    pick : str, optional
        The language model that picks the code of each diagnosis among the nearest, as in `dxmatch.icd`. Its answers are kept in the store.

    Raises
    ------
    OptionError
        For what is not allowed.
    """

    table: Table | None = None
    tree: File = "icd10cm"
    preset: Preset = "default"
    pick: str | None = None


@dataclass(frozen=True, kw_only=True)
class Judge(Options):
    """A judge that reads whole answers, for each right answer alone, and people who say the same.

    Parameters
    ----------
    model : str or LanguageModel, optional
        The judge: a language model, "ENDPOINT:MODEL". It gives recall beside the match function's.
    check : str or LanguageModel, optional
        Who checks what the judge says is not included, and sees its judgement and basis; the judge itself if not given, "none" for no check.
    prompt, check_prompt : str or path, optional
        Other prompts than the built-in ones: a name or version, or a text file.
    ask_equal : bool
        Ask also about diagnoses whose name stands in the list, as ClinBench-HPB does; these count as included unasked otherwise.
    human : table, optional
        Labels by people: case_id, rater, reference, label (1: included); label_NAME of several. The report then says how far the match
        function and the judge agree with them.

    Raises
    ------
    OptionError
        For what is given though there is no judge, or no check.
    """

    model: Any = None
    check: Any = None
    prompt: File | None = None
    check_prompt: File | None = None
    ask_equal: bool = False
    human: Table | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        idle = {"check_prompt"} if self.check == NOBODY["check"] else set[str]()
        for name in sorted(self.given - {"human"} if self.model is None else self.given & idle):
            raise OptionError(f"judge.{name}", "left out where nobody is asked that needs it", getattr(self, name))


@dataclass(frozen=True, kw_only=True)
class Graded(Options):
    """How near an answer is to the right one, and how severe: Kernel29's semantic and severity scores.

    Parameters
    ----------
    relation, severity : str or LanguageModel, optional
        Language models, "ENDPOINT:MODEL", that fill the blank cells of the columns relation and severity. The relation "model" is that of
        the match function's own relation model.
    prompts : mapping
        Other prompts than the built-in ones, {"relation": …, "severity": …}: a name or version, or a text file.
    difficulty : str
        "easy", "medium" or "hard": how much more a model's bad cases weigh where its semantic and severity scores are aggregated for the
        severity-semantic plane; hard in the figures of Kernel29. The table has all three.
    best : float
        The semantic score that is rescaled to 1: 16, the best there is, as in Kernel29's text; its authors' scripts take 10.33.
    human : table, optional
        Classes by people: case_id, rater, diagnosis, and relation or severity, or both (relation_NAME of several). The report then says
        how far the classes that were scored agree with them.

    Raises
    ------
    OptionError
        For what is not allowed.
    """

    relation: Any = None
    severity: Any = None
    prompts: Mapping[str, Any] = field(default_factory=dict)
    difficulty: Literal["easy", "medium", "hard"] = "hard"
    best: Annotated[float, Between(0.01, BEST)] = BEST
    human: Table | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for kind in self.prompts:
            if kind not in ("relation", "severity") or getattr(self, kind) in (None, NOBODY.get(kind)):
                raise OptionError("graded.prompts", "of relation and severity, where a language model tells them", kind)
