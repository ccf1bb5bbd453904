"""Any sentence-transformers model as an encoder, by folder or hub name. Needs the extra `encoders`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DxmatchError, MissingExtra, ModelError, OptionError, warn
from . import OWN_LENGTH, POOLINGS, checked_texts, rows_of
from .folders import encoder_files, first_line, hub_folder

ROWS = 8
"""Texts per batch, always. More is quicker for many texts and slower for one."""


class SentenceEncoder:
    """Strings -> unit vectors of a sentence-transformers model.

    Parameters
    ----------
    name_or_folder : the path (no text) of a folder with `modules.json`, or a hub name such as "sentence-transformers/all-MiniLM-L6-v2": of the hub's
        cache, or fetched with `allow_download`.
    revision : branch, tag or commit of a hub name. Only a commit stays what it is.
    prompt : put before every text, for models that were trained with one: the text, not its name. None for the one that
        the model says it uses by default, if any; "" for none.
    device : "cpu", "cuda", "cuda:1", "mps"; None for the fastest there is.
    pooling : one of `POOLINGS`: how the vectors of tokens become one, for a plain transformer (a model without
        `modules.json`), which does not say so itself.
    unit : vectors of unit length; else of the length that the model gives them, for Euclidean distances.
    allow_download : the hub may be asked for a hub name; without it no request is made.

    Either way it is a folder that is opened, and nothing is fetched while it is. Code of the model's own is never run: sentence-transformers
    opens no class but its own without `trust_remote_code`, which is never given.

    The last bits of a torch result depend on the shape of the batch. So a batch here always holds `ROWS` texts of one
    length in tokens, without padding, filled up with copies where texts are missing. A text gets the same bits alone and in
    a batch on CPU for all-MiniLM-L6-v2 and a model of width 64 (both tested), but not for a model of width 24, whose matrices are cut up unevenly. Another processor, number of
    threads or release of torch may give other last bits.

    The `SentenceTransformer` itself is `model`.

    Errors: `MissingExtra` without sentence-transformers; `OptionError` for a pooling beside the model's own; `InputError` for a hub name that is not in the cache and may not be fetched; `ModelError` for a
    folder that is no model, a model that cannot be loaded, or a plain transformer without `pooling`.
    """

    def __init__(
        self,
        name_or_folder: str | os.PathLike[str],
        revision: str | None = None,
        prompt: str | None = None,
        device: str | None = None,
        pooling: str | None = None,
        unit: bool = True,
        *,
        allow_download: bool = False,
    ) -> None:
        try:
            from sentence_transformers import SentenceTransformer
            from sentence_transformers.sentence_transformer.modules import Pooling
            from transformers.utils import logging
        except ImportError:
            raise MissingExtra("A sentence-transformers encoder", "encoders") from None
        self.name, self.prompt = os.fspath(name_or_folder), prompt
        own = None if isinstance(name_or_folder, str) else Path(name_or_folder).expanduser()
        folder = own or hub_folder(self.name, revision, allow_download=allow_download)
        self._folder, self._pooling, self._unit = own, pooling, unit
        # The hub's cache keeps every commit in a folder of its name.
        self.revision = None if own is not None else folder.name
        packed = (folder / "modules.json").is_file()
        if packed and pooling is not None:
            raise OptionError("pooling", "left out where the model says it itself (modules.json)", pooling)
        if not packed and pooling is None:
            raise ModelError(
                f"{self.name}: without modules.json no sentence-transformers model. A plain transformer does not say how the vectors of tokens "
                f"become one: give its 'pooling', one of {', '.join(POOLINGS)}; its authors' page should say which."
            )
        try:
            with ExitStack() as after:
                if logging.is_progress_bar_enabled():  # it would stand among our lines
                    logging.disable_progress_bar()
                    after.callback(logging.enable_progress_bar)
                self.model: Any = SentenceTransformer(
                    str(folder.resolve()), device=device, local_files_only=True, trust_remote_code=False
                )
        except Exception as error:  # the library raises whatever the layer below did
            problem = f"could not be loaded as a sentence-transformers model ({first_line(error)})"
            raise ModelError(f"{self.name}: {problem}.") from error
        if pooling is not None:
            self.model[1] = Pooling(self.model.get_embedding_dimension(), pooling)  # type: ignore[arg-type]
        default = self.model.prompts.get(self.model.default_prompt_name) or ""
        self._put_first = default if prompt is None else prompt

    @cached_property
    def _base(self) -> str:
        if self._folder is None:
            return f"{self.name}@{self.revision}"
        digest = hashlib.sha256()
        for path in encoder_files(self._folder):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(self._folder).as_posix()} {content}\n".encode())
        return f"sentence-{digest.hexdigest()[:12]}"

    @property
    def identity(self) -> str:
        """The hash of the folder's files or `name@commit`; `ROWS`, the pooling, the prompt's hash; a device but for the CPU."""
        said = [self._base, str(ROWS), *([self._pooling] if self._pooling else [])]
        if self.prompt is not None:
            said.append(hashlib.sha256(self.prompt.encode()).hexdigest()[:12])
        device = self.model.device.type
        return "-".join(said) + ("" if self._unit else OWN_LENGTH) + ("" if device == "cpu" else f"+{device}")

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32[len(texts), d], unit rows unless told otherwise. A text longer than the model reads is cut, with a warning.

        Errors: `InputError` for a text without a character; `ModelError` where the model gives numbers that are not
        finite, or only zeros, or none.
        """
        texts = checked_texts(texts)
        try:
            out, lengths = (
                np.empty((len(texts), self.model.get_embedding_dimension()), np.float32),
                self._lengths(texts),
            )
            for length in np.unique(lengths):
                at = np.flatnonzero(lengths == length)
                filled = np.concatenate([at, np.repeat(at[-1:], -len(at) % ROWS)])
                vectors = self.model.encode(
                    [texts[i] for i in filled], prompt=self._put_first, batch_size=ROWS, show_progress_bar=False
                )
                out[at] = rows_of(np.asarray(vectors)[: len(at)], [texts[i] for i in at], self._unit, self.name)
        except (DxmatchError, MemoryError):
            raise
        except Exception as error:  # the library raises whatever the layer below did
            raise ModelError(f"{self.name}: gives no vectors ({first_line(error)}).") from error
        return out

    def _lengths(self, texts: list[str]) -> NDArray[np.int64]:
        """Tokens of each text with its prompt, after cutting; all 0 for a model without a tokenizer of its own."""
        tokenizer = getattr(self.model, "tokenizer", None)
        if not callable(tokenizer) or not texts:
            return np.zeros(len(texts), np.int64)
        tokens: Any = tokenizer([self._put_first + text for text in texts], verbose=False)
        lengths = np.array([len(one) for one in tokens["input_ids"]], np.int64)
        longest = self.model.max_seq_length or int(lengths.max(initial=0))
        if cut := int((lengths > longest).sum()):
            warn(f"{self.name} reads {longest} tokens; {cut} longer text(s) were cut.")
        return np.minimum(lengths, longest)
