"""What is said of diagnoses that are mapped to codes: a code stands for the disease, not for what is said of it."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import quoted
from ..terms.icd.naming import Codable
from ..terms.text.assertion import Status
from ..terms.text.normalizer import Normalizer

_TOLD = (Status.POSSIBLE, Status.PAST, Status.FAMILY, Status.NO_DISEASE)


def said_beside(looked_up: Mapping[str, Codable], normalizer: Normalizer) -> str:
    """The warning of diagnoses that are said to be possible, past, or not the patient's own; "" where none is."""
    said = {text: normalizer.assertion(normalizer(text)) for text in looked_up}
    told = [text for text, one in said.items() if one.status in _TOLD]
    if not told:
        return ""
    first = f"{quoted(told[0])}, {said[told[0]].status}"
    return (
        f"{len(told):,} of {len(said):,} diagnoses {'is' if len(told) == 1 else 'are'} said to be possible, past, or not the patient's own "
        f"({first}): the code is of the disease that is named, or of the nearest title, and may not hold what is said."
    )
