"""How the nearest names of ICD-10 are found and picked from: three ways by name, and any other as an object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..options import File, Options

PAPER = "paper17"
"""The feature set whose picks and encoders are known where none is given."""


@dataclass(frozen=True, kw_only=True)
class IcdPreset(Options):
    """How diagnoses are mapped to ICD-10. What is not given is as the pick says, where there is one.

    Parameters
    ----------
    encoder : str, optional
        What finds the nearest names: "shipped", the model's own static one (if not given), one that `features` declares (also one that an
        endpoint serves), "sentence-transformers:" and the name or folder of such a model, or "endpoint:NAME:MODEL", an embedding model of
        an endpoint.
    distance : str, optional
        "cosine" (if not given), or "euclidean", as in "How to Evaluate Medical AI": of vectors that keep their length.
    entries : str, optional
        "codes" (if not given): the candidates are k different codes, and what a name says beyond the diagnosis counts against it.
        "names": they are the k nearest names among ICD-10's titles and inclusion terms, of which several may belong to one code, by the
        distance alone: H-DDx (A.1).
    sections : bool
        Whether chapters and sections are among the entries, as in H-DDx (A.1): "Tuberculosis" is A15-A19.
    prompt : str or path, optional
        What a language model is asked with, in place of what the pick says: "icd-pick-2" (a number, with the rules of "How to Evaluate
        Medical AI"), "pick-name-1" (a name in JSON, with those of H-DDx), another built-in one, or a text file with {diagnosis} and
        {candidates}.
    direct : bool
        Whether a diagnosis that equals a name of ICD-10 has its code at once, as in "How to Evaluate Medical AI"; False asks the language
        model about every diagnosis but a bare code, as H-DDx does.
    features : str or path
        The feature set that declares picks and encoders.
    allow_download : bool
        The hub may be asked for an encoder by its name; without it what the hub's cache holds is taken, offline.

    Raises
    ------
    OptionError
        For what is not allowed.
    """

    encoder: str | None = None
    distance: Literal["cosine", "euclidean"] | None = None
    entries: Literal["codes", "names"] | None = None
    sections: bool = True
    prompt: File | None = None
    direct: bool = True
    features: File = PAPER
    allow_download: bool = False


Preset = Literal["default", "h-ddx", "how-to-evaluate-medical-ai"] | IcdPreset
"""A preset by its name, or one of the user's own."""

_PRESETS: Mapping[str, IcdPreset] = {
    "default": IcdPreset(),
    "h-ddx": IcdPreset(
        encoder="endpoint:openai:text-embedding-3-large",
        distance="cosine",
        entries="names",
        prompt="pick-name-1",
        direct=False,
    ),
    "how-to-evaluate-medical-ai": IcdPreset(
        encoder="bergamot", distance="euclidean", entries="names", prompt="icd-pick-2"
    ),
}


def preset_of(preset: Preset) -> IcdPreset:
    """The preset of a name."""
    return preset if isinstance(preset, IcdPreset) else _PRESETS[preset]
