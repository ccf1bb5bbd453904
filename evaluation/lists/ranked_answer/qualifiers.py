"""What behind a comma, a dash or a colon says more of a name, and is none of its own: "type 2", "malignant", "due to gallstones"."""

from __future__ import annotations

import re

from ....terms.text.vocabulary import words_in

_QUALIFIERS = words_in(
    "acute chronic subacute left right bilateral unilateral upper lower severe mild moderate primary secondary tertiary recurrent "
    "relapsing remitting early late open closed unspecified nos juvenile adult old new stable unstable active inactive latent "
    "simple complex complete incomplete partial total advanced localized localised generalized generalised diffuse focal "
    "possible probable possibly probably presumably suspected confirmed likely first second third initial subsequent sequela encounter site "
    "sites type types stage grade class degree phase category group not otherwise specified other in remission on of the with without due "
    "to side sided breast lung colon skin hip knee hand foot level i ii iii iv v vi a b c d e"
)
"""Words that alone are no disease, and behind a comma say more of the one before it."""
_STAGED = re.compile(
    r"(?:[\w'’-]+\s+){0,2}(?:type|class|stage|grade|group|level)\s+[\w-]{1,4}|(?:[\w'’-]+\s+){1,2}(?:variant|subtype)",
    re.IGNORECASE,
)
"""Of a staging by name, or a kind: "Stanford type A", "Child-Pugh class B", "plasma cell variant"."""
_GOES_ON = re.compile(
    r"^(?:due|secondary|caused|complicated|with|without|from|in|of|associated|following|involving|affecting|resulting|leading|status post)\b",
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(
    r"(?:[a-z]{3,}(?:al|ous|ive|ed|ent|ant|ary|less|form)|[a-z]{2,}ic|[\w-]+-(?:induced|acquired|related|associated|dependent|resistant|positive|negative|sided))$",
    re.IGNORECASE,
)
_NOUNS = frozenset(["colic", "panic", "arsenic"])


def with_qualifiers(parts: list[str]) -> list[str]:
    """Parts that only qualify a name are put back to it."""
    joined: list[str] = []
    before = ""
    for part in parts:
        if qualifies(part):
            if joined:
                joined[-1] = f"{joined[-1]}, {part}"
            else:
                before += f"{part}, "
        else:
            joined.append(before + part)
            before = ""
    return joined or [", ".join(parts)]


def qualifies(part: str) -> bool:
    """Whether words say more of the name before them, and are none themselves: "type 2", "left", "due to gallstones"."""
    if _GOES_ON.match(part) or _STAGED.fullmatch(part.strip()):
        return True
    words = part.casefold().strip(" .").split()
    return len(words) <= 4 and all(
        word in _QUALIFIERS or word.isdigit() or (word not in _NOUNS and _ADJECTIVE.match(word) is not None)
        for word in words
    )
