"""The compiled loops of the cosines. Imports numba, so imported late.

Each inner product is eight running sums in one register, added up in one order: those of `cosine.few`, to the last bit.
"""

# pyright: reportCallIssue=false
# (an intrinsic is called without its first parameter, the typing context)
from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..compiled import compiled

_EIGHT = ir.VectorType(ir.FloatType(), 8)
_AT_ONCE = 4
"""Pairs of one `first`: four chains of additions run side by side, and four rows are fetched from memory at a time."""
_RUNS = 4096
_TILE = 16
"""Seconds of a run in a tile where all are paired with all; they stay in the nearest cache for the next run."""
_CACHE = 1 << 22
"""Bytes of the rows of the longest tile."""
_FEWEST = 3
"""A tile with fewer pairs of a run, on average, costs more than it saves."""


@intrinsic(prefer_literal=True)
def _sums(typing_context, vectors, first, second, pair, count):
    """`count` (a literal) float32: row `first` times the rows second[pair], ..., without the last d % 8 dimensions.

    vectors : float32[u, d] in C order. LLVM does not find the vectors in a loop over eight sums by itself.
    """
    if not isinstance(count, types.IntegerLiteral):
        return None
    pairs = count.literal_value

    def generate(context, builder, signature, arguments):
        rows, seconds = (context.make_array(signature.args[i])(context, builder, arguments[i]) for i in (0, 2))
        width = cgutils.unpack_tuple(builder, rows.shape)[1]
        size = width.type

        def row(number):
            return builder.gep(rows.data, [builder.mul(number, width)])

        def load(data, at):
            return builder.load(builder.bitcast(builder.gep(data, [at]), _EIGHT.as_pointer()), align=4)

        a, b = row(context.cast(builder, arguments[1], signature.args[1], types.intp)), []
        for i in range(pairs):
            at = builder.add(arguments[3], ir.Constant(size, i))
            item = builder.load(builder.gep(seconds.data, [at]))
            b.append(row(context.cast(builder, item, signature.args[2].dtype, types.intp)))
        sums = [cgutils.alloca_once_value(builder, ir.Constant(_EIGHT, [0.0] * 8)) for _ in b]
        with cgutils.for_range(builder, builder.udiv(width, ir.Constant(size, 8))) as loop:
            at = builder.mul(loop.index, ir.Constant(size, 8))
            x = load(a, at)
            for total, other in zip(sums, b, strict=True):
                builder.store(builder.fadd(builder.load(total), builder.fmul(x, load(other, at))), total)
        totals = []
        for total in sums:
            whole = builder.load(total)
            s = [builder.extract_element(whole, ir.Constant(ir.IntType(32), i)) for i in range(8)]
            even = builder.fadd(builder.fadd(s[0], s[4]), builder.fadd(s[2], s[6]))
            odd = builder.fadd(builder.fadd(s[1], s[5]), builder.fadd(s[3], s[7]))
            totals.append(builder.fadd(even, odd))
        return context.make_tuple(builder, signature.return_type, totals)

    return types.UniTuple(types.float32, pairs)(vectors, first, second, pair, count), generate


@compiled()
def dots(vectors, first, second, out):
    """`cosine.cosine`; quickest where the pairs are sorted by first, then second, and right in any order."""
    cursors, ends = np.empty(_RUNS, np.int64), np.empty(_RUNS, np.int64)
    longest = max(_CACHE // (4 * vectors.shape[1]), _TILE)
    start = 0
    while start < first.size:
        runs, pair = 0, start
        lowest = highest = np.int64(second[start])
        while pair < first.size and runs < _RUNS:
            cursors[runs], one = pair, first[pair]
            while pair < first.size and first[pair] == one:
                lowest, highest = min(lowest, np.int64(second[pair])), max(highest, np.int64(second[pair]))
                pair += 1
            ends[runs] = pair
            runs += 1
        # As long as it takes for a run to have _TILE pairs in a tile, as far as a cache holds its rows.
        whole = highest - lowest + 1
        tile = min(max(_TILE * whole * runs // (pair - start), _TILE), longest)
        if tile * (pair - start) < _FEWEST * whole * runs:
            tile = whole
        edge = lowest
        while edge <= highest:
            edge += tile
            for run in range(runs):
                begin = end = cursors[run]
                while end < ends[run] and second[end] < edge:
                    end += 1
                if end > begin:
                    _row(vectors, first[begin], second, begin, end, out)
                    cursors[run] = end
        start = pair


@compiled()
def _row(vectors, first, second, begin, end, out):
    """The pairs of one `first`."""
    pair = begin
    while pair + _AT_ONCE <= end:
        out[pair], out[pair + 1], out[pair + 2], out[pair + 3] = _sums(vectors, first, second, pair, 4)
        pair += _AT_ONCE
    while pair < end:
        out[pair] = _sums(vectors, first, second, pair, 1)[0]
        pair += 1
    width = vectors.shape[1]
    for pair in range(begin, end):
        total = out[pair]
        for k in range(width - width % 8, width):
            total += vectors[first, k] * vectors[second[pair], k]
        # Written so that what is no number stays none.
        out[pair] = (
            np.float32(-1.0) if total < np.float32(-1.0) else np.float32(1.0) if total > np.float32(1.0) else total
        )
