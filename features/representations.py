"""What is computed once per unique string, and only when a feature asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .encoders import Encoder
from .errors import ModelError, OptionError
from .levenshtein import Spelling
from .linguistic import TokenSets
from .naming import Naming
from .text import Normalizer

SHIPPED = "shipped"
"""The name, in a feature set, of the static encoder that travels in the model folder."""

SENTENCE_TRANSFORMERS = "sentence-transformers:"
"""What precedes a hub name or a folder, in a feature set, to ask for a sentence-transformers model."""


@dataclass
class Providers:
    """What stands behind a feature set: the naming of raw texts, the encoders by the names that the TOML uses, the ICD indexes.

    An ICD index is opened when the first feature asks for it and kept for all later jobs.

    identities : what each encoder was when a model was trained; another one under the same name is refused. The device is
        no part of it.
    """

    naming: Naming
    encoders: dict[str, Encoder] = field(default_factory=dict)
    identities: Mapping[str, str] = field(default_factory=dict)
    _indexes: dict[tuple[str, str], Any] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def normalizer(self) -> Normalizer:
        return self.naming.normalizer

    def encoder(self, name: str) -> Encoder:
        """The encoder of that name; a sentence-transformers model is opened at its first use.

        Errors: `OptionError` for a name that is neither at hand nor such a model; `ModelError` where the model is not the
        one of `identities`.
        """
        if name.startswith(SENTENCE_TRANSFORMERS) and name not in self.encoders:
            from .encoders.sentence import SentenceEncoder

            opened = SentenceEncoder(name.removeprefix(SENTENCE_TRANSFORMERS))
            self._check_identity(name, opened)
            self.encoders[name] = opened
        if name not in self.encoders:
            at_hand = ", ".join(sorted(self.encoders)) or "none"
            raise OptionError("encoder", f"{SENTENCE_TRANSFORMERS}NAME or one at hand ({at_hand})", name)
        return self.encoders[name]

    def _check_identity(self, name: str, opened: Encoder) -> None:
        trained, here = self.identities.get(name), opened.identity
        if trained is not None and trained.partition("+")[0] != here.partition("+")[0]:
            raise ModelError(
                f"The encoder {name!r} is not the one that the model was trained with: {here}, not {trained}."
            )

    def icd_index(self, source: str, encoder: str) -> Any:
        from .icd import IcdIndex

        with self._lock:
            if (source, encoder) not in self._indexes:
                self._indexes[source, encoder] = IcdIndex.open(source, self.encoder(encoder), self.normalizer)
            return self._indexes[source, encoder]


class Representations:
    """u unique normalised strings, cut, spelt and embedded on demand. Safe to share between threads."""

    def __init__(self, names: Sequence[str], providers: Providers) -> None:
        self.names = names
        self._providers = providers
        self._made: dict[tuple[str, ...], Any] = {}
        self._lock = threading.RLock()

    def _once(self, key: tuple[str, ...], make: Callable[[], Any]) -> Any:
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    @property
    def spelling(self) -> Spelling:
        return self._once(("spelling",), lambda: Spelling.of(self.names))

    def token_sets(self, view: str) -> TokenSets:
        language = self._providers.normalizer.language
        return self._once(("tokens", view), lambda: TokenSets.of(self.names, view, language))

    def vectors(self, encoder: str) -> NDArray[np.float32]:
        """float32[u, d], unit rows."""
        return self._once(("vectors", encoder), lambda: self._providers.encoder(encoder).encode(self.names))

    def icd_categories(self, source: str, encoder: str) -> NDArray[np.int32]:
        """int32[u]: the three-character category of the nearest entry, as a number."""
        return self._once(
            ("icd", source, encoder), lambda: self._providers.icd_index(source, encoder).categories(self.names)
        )
