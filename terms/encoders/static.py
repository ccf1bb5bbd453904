"""The static encoder: a vector per bucket of hashed words and n-grams, added up. Loads with numpy and safetensors.

After fastText (Bojanowski et al. 2017, "Enriching word vectors with subword information", eq. 1 and §3.2), with the
hashes of `hashing`. A name's vector is the sum over its buckets of `scale[b] * (row[b] - 7.5)`, brought to unit length.
The learnt weight of a bucket and the step of its quantisation are one number, `scale[b]`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from ...errors import ModelError, quoted
from ...files.atomic import make_folder, whole_file
from . import checked_texts

FILE = "encoder.safetensors"
MAX_SCALE = 1e6


class Shape(Struct, frozen=True, kw_only=True):
    """How a text becomes buckets, and how long its vector is.

    Attributes
    ----------
    buckets, word_buckets : all of them, and those of words and pairs of words, which come first.
    dimensions : an even number.
    shortest, longest : of the n-grams, in characters; at least 3.
    pairs : whether two neighbouring words have a bucket, too.
    """

    buckets: Annotated[int, Meta(le=1 << 24)] = 1 << 17
    word_buckets: Annotated[int, Meta(ge=1)] = 3 << 14
    dimensions: Annotated[int, Meta(ge=2, le=4096, multiple_of=2)] = 256
    shortest: Annotated[int, Meta(ge=3)] = 3
    longest: Annotated[int, Meta(le=16)] = 5
    pairs: bool = True

    def __post_init__(self) -> None:
        if self.word_buckets >= self.buckets or self.shortest > self.longest:
            raise ValueError("fewer buckets than those of words, or no length of an n-gram")


class _Config(Shape, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the array `config` says, as JSON."""

    format: Literal["dxmatch-static-encoder"]
    version: Literal[1]
    training: dict[str, Any]
    measured: dict[str, Any]


class StaticEncoder:
    """Normalised strings -> unit vectors. The vector of a text is the same, bit for bit, alone and in any batch.

    Parameters
    ----------
    shape : see `Shape`.
    rows : uint8[buckets, dimensions / 2]; byte j holds dimension j in its low four bits and dimension
        j + dimensions / 2 in its high four bits, each 0 to 15.
    scales : float32[buckets], from 0 to 1e6.
    training, measured : what the card says of it: how it was trained, and how good it is.

    Raises
    ------
    ModelError
        For arrays that do not fit `shape`, or a scale out of range.
    """

    def __init__(
        self,
        shape: Shape,
        rows: NDArray[np.uint8],
        scales: NDArray[np.float32],
        *,
        training: Mapping[str, Any] | None = None,
        measured: Mapping[str, Any] | None = None,
    ) -> None:
        arrays = (
            ("rows", rows, np.uint8, (shape.buckets, shape.dimensions // 2)),
            ("scales", scales, np.float32, (shape.buckets,)),
        )
        for name, array, kind, size in arrays:
            if (array.dtype, array.shape) != (kind, size):
                allowed, got = f"{np.dtype(kind)}{list(size)}", f"{array.dtype}{list(array.shape)}"
                raise ModelError(f"{name}: not the array of this encoder. Allowed: {allowed}. Got: {got}.")
        if not ((scales >= 0) & (scales <= MAX_SCALE)).all():
            raise ModelError(f"scales: a scale out of range. Allowed: 0 to {MAX_SCALE:,.0f}.")
        self.shape = shape
        self.training, self.measured = dict(training or {}), dict(measured or {})
        self._rows, self._scales = np.ascontiguousarray(rows), np.ascontiguousarray(scales)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> StaticEncoder:
        """From `encoder.safetensors` in a folder, as `save` wrote it. Errors: `ModelError` for anything else."""
        path = Path(folder) / FILE
        try:
            return cls.from_arrays(load_tensors(path.read_bytes()), str(path))
        except OSError as error:
            raise ModelError(f"{path}: the encoder's file could not be read ({error.strerror or error}).") from error
        except (SafetensorError, KeyError, ValueError, TypeError, MemoryError) as error:
            raise ModelError(f"{path}: not a safetensors file, or a damaged one ({error}).") from error

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], place: str = "encoder") -> StaticEncoder:
        """From what a model folder keeps, as `arrays` gives it. Errors: `ModelError`."""
        if set(arrays) != {"config", "rows", "scales"}:
            raise ModelError(f"{place}: other arrays than an encoder's config, rows and scales: {quoted([*arrays])}.")
        try:
            said = msgspec.json.decode(arrays["config"].tobytes(), type=_Config)
            shape = Shape(**{name: getattr(said, name) for name in Shape.__struct_fields__})
            return cls(shape, arrays["rows"], arrays["scales"], training=said.training, measured=said.measured)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ModelError(f"{place}: config: not that of a static encoder of this release ({error}).") from error
        except ModelError as error:
            raise ModelError(f"{place}: {error}") from None

    def arrays(self) -> dict[str, NDArray[Any]]:
        """`rows`, `scales`, and as bytes of JSON, uint8, the `config`."""
        about = {"training": self.training, "measured": self.measured}
        config = {"format": "dxmatch-static-encoder", "version": 1, **msgspec.structs.asdict(self.shape), **about}
        text = json.dumps(config, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        return {"config": np.frombuffer(text.encode(), np.uint8), "rows": self._rows, "scales": self._scales}

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes `encoder.safetensors`, whole or not at all. Errors: `DxmatchError` where it cannot be written."""
        target = make_folder(folder)
        with whole_file(target / FILE) as temporary:
            temporary.write_bytes(save_tensors(self.arrays()))
        return target

    @property
    def identity(self) -> str:
        """The word "static-" and twelve hexadecimal digits of the hash of all that shapes a vector."""
        return self._identity

    @cached_property
    def _identity(self) -> str:
        shape = [1, msgspec.structs.asdict(self.shape)]
        digest = hashlib.sha256(json.dumps(shape, sort_keys=True).encode())
        digest.update(self._rows.data)
        digest.update(self._scales.astype("<f4").tobytes())
        return f"static-{digest.hexdigest()[:12]}"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of normalised strings.

        Returns
        -------
        float32[len(texts), dimensions], unit rows.

        Raises
        ------
        InputError
            For a text of blanks or nothing.
        ModelError
            Where the weights of a text's buckets add up to nothing (damaged weights).
        """
        from .hashing import code_points, encode, max_buckets

        texts, shape = checked_texts(texts), self.shape
        out = np.zeros((len(texts), shape.dimensions), np.float32)
        points, offsets = code_points(texts)
        room = max_buckets(int(np.diff(offsets).max(initial=0)), shape.shortest, shape.longest)
        grams = shape.buckets - shape.word_buckets
        failed = encode(
            points, offsets, self._rows, self._scales, shape.word_buckets, grams, shape.shortest, shape.longest, shape.pairs,
            room, out,
        )  # fmt: skip
        if failed >= 0:
            raise ModelError(
                f"The encoder {self.identity} has no vector for {quoted(texts[failed])}: its weights are damaged."
            )
        return out
