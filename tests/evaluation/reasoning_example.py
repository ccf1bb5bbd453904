"""A small data set in the formats of DiReCT, in words of our own: two graphs, four notes, two runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GRAPHS: dict[str, Any] = {
    "Asthma": {
        "diagnostic": {"Suspected Asthma": {"Mild Asthma": [], "Severe Asthma": []}},
        "knowledge": {
            "Suspected Asthma": {"Symptoms": "wheeze; tight chest; etc.", "Risk Factors": "allergy"},
            "Severe Asthma": "stays in hospital\n  peak flow below half\n",
        },
    },
    "Stroke": {
        "diagnostic": {"Suspected Stroke": {"Ischemic Stroke": [], "Hemorrhagic Stroke": []}},
        "knowledge": {"Suspected Stroke": {"Signs": "drooping face; weak arm"}, "Ischemic Stroke": "clot on CTA"},
    },
}


def section(words: str) -> dict[str, str]:
    """Six sections, told apart from those of other notes by `words`."""
    return {f"input{n}": f"Section {n}: {words} came in with complaints of some days." for n in range(1, 7)}


def tree(leaf: str, proof: tuple[str, str], root: str, *signs: tuple[str, str]) -> dict[str, Any]:
    """A leaf with one observation and its rationale, around a root with several."""
    return {
        f"{leaf}$Intermedia_3": {
            f"{proof[1]}$Cause_1": {f"{proof[0]}$Input6": {}},
            f"{root}$Intermedia_2": {f"{why} {i}$Cause_1": {f"{sign}$Input1": {}} for i, (sign, why) in enumerate(signs)},
        }
    }  # fmt: skip


NOTES: dict[str, Any] = {
    "Asthma/a1.json": section("A young clerk")
    | tree("Severe Asthma", ("third stay", "stays in hospital"), "Suspected Asthma", ("wheeze", "typical")),
    "Asthma/a2.json": section("A retired baker")
    | tree("Mild Asthma", ("peak flow 80 %", "mild"), "Suspected Asthma", ("tight chest", "typical")),
    "Stroke/s1.json": section("A tall farmer")
    | tree("Ischemic Stroke", ("clot", "a clot proves it"), "Suspected Stroke", ("droop", "typical")),
    "Stroke/s2.json": section("An old sailor")
    | tree("Hemorrhagic Stroke", ("bleed", "blood proves it"), "Suspected Stroke", ("weak arm", "typical")),
}


def perfect(note: dict[str, Any]) -> dict[str, Any]:
    (leaf,) = [key for key in note if "$" in key]
    (proof, root) = note[leaf]
    (sign,) = note[leaf][root].values()
    category = root.split("$")[0]
    return {
        next(iter(note[leaf][proof])).split("$")[0]: [proof.split("$")[0], "input6", leaf.split("$")[0]],
        next(iter(sign)).split("$")[0]: [next(iter(note[leaf][root])).split("$")[0], "input1", category],
        "chain": [category.removeprefix("Suspected "), category, leaf.split("$")[0]],
    }


GOOD = {name: perfect(note) for name, note in NOTES.items()}
POOR: dict[str, Any] = {
    # the proof is found, with another rationale; a fever is not in the note
    "Asthma/a1.json": {
        "third stay": ["may be asthma", "input6", "Severe Asthma"],
        "fever <b>": ["heat", "input2", "Suspected Asthma"],
        "chain": ["Asthma", "Suspected Asthma", "Mild Asthma"],
    },
    # the sign is found, for another diagnosis
    "Asthma/a2.json": {
        "tight chest": ["typical 0", "input1", "Mild Asthma"],
        "chain": ["Asthma", "Suspected Asthma", "Mild Asthma"],
    },
    "Stroke/s1.json": {"chain": ["Asthma", "Suspected Asthma", "Mild Asthma"]},
}


def written(folder: Path, files: dict[str, Any]) -> Path:
    for name, value in files.items():
        file = folder / (name if name.endswith(".json") else f"{name}.json")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), "utf-8")
    return folder


def example(folder: Path) -> Path:
    """The folders graphs, notes, good and poor below `folder`."""
    for name, files in (("graphs", GRAPHS), ("notes", NOTES), ("good", GOOD), ("poor", POOR)):
        written(folder / name, files)
    return folder
