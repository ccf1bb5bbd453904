"""The compiled loops of the search: bounds of all cosines from sketches, then the nearest codes. Imports numba, so imported late."""

# pyright: reportCallIssue=false
# (an intrinsic is called without its first parameter, the typing context)
from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ...compiled import compiled

_LANES = 16
_BLOCKS = 16
"""A group: the blocks whose entries of the same lane have one top, so that most entries are passed over unseen."""
_QUERIES = 4
_AHEAD = 3
"""Blocks that are on their way from memory while one is looked at."""
_ROWS_AHEAD = 8
_LINE = 64
"""Bytes that come from memory together."""
_MOST = 127
_WRAPS = 32_767
_ROUNDING = 1e-5
"""Share of the lengths that covers the rounding of all sums in float32, up to 2^13 dimensions."""
_SPARE = 9
"""How many more than k tops set the bound from which entries are looked at first."""
_BYTES = ir.VectorType(ir.IntType(8), 2 * _LANES)
_SUMS = ir.VectorType(ir.IntType(16), _LANES)
_PLACES = ir.VectorType(ir.IntType(32), _LANES)
_NUMBERS = ir.VectorType(ir.FloatType(), _LANES)


def _filled(kind, number):
    return ir.Constant(kind, [number] * kind.count)


def _pairs_added(context, builder, levels, query):
    """int16[16]: a[2 i] b[2 i] + a[2 i + 1] b[2 i + 1], of levels without a sign and a query with one.

    It is one instruction where there is AVX2, which LLVM does not find by itself. Its cut at 2^15 is out of reach: 2 * 15 * 127.
    """
    if "+avx2" in context.codegen().magic_tuple()[2].split(","):
        kind = ir.FunctionType(_SUMS, [_BYTES, _BYTES])
        name = "llvm.x86.avx2.pmadd.ub.sw"
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [levels, query])
    out = _filled(_SUMS, 0)
    for place in (0, 1):
        chosen = ir.Constant(_PLACES, [2 * i + place for i in range(_LANES)])
        a = builder.zext(builder.shuffle_vector(levels, levels, chosen), _SUMS)
        b = builder.sext(builder.shuffle_vector(query, query, chosen), _SUMS)
        out = builder.add(out, builder.mul(a, b))
    return out


@intrinsic(prefer_literal=True)
def _bound_block(typing_context, codes, steps, errors, block, levels, middles, scales, together, bounds, tops):
    """Bounds of the cosines of a block's entries with `together` queries (a literal), and of each lane the highest yet.

    codes : uint8[blocks, w, 32]. steps, errors : float32[16 blocks]. levels : int8[4, w, 64]. middles : int16[4].
    scales : float32[4, 3]. bounds : float32[4, groups, 256]. tops : float32[4, groups, 16]. All in C order. The three blocks
    of numbers that belong to a query are those of `_levelled`. Vectors of 16 lanes are written out, since LLVM makes none
    of loops over them.
    """
    if not isinstance(together, types.IntegerLiteral):
        return None
    count = together.literal_value

    def generate(context, builder, signature, arguments):
        def array(i):
            return context.make_array(signature.args[i])(context, builder, arguments[i])

        size = arguments[3].type
        words, groups = (cgutils.unpack_tuple(builder, array(i).shape)[1] for i in (0, 8))
        data = {i: array(i).data for i in (0, 1, 2, 4, 5, 6, 8, 9)}

        def times(a, b):
            return builder.mul(a, ir.Constant(size, b) if isinstance(b, int) else b)

        def place(i, item, kind):
            return builder.bitcast(builder.gep(data[i], [item]), kind.as_pointer())

        def load(i, item, kind):
            return builder.load(place(i, item, kind), align=1)

        def number(i, item, kind):
            """One number of an array in all lanes."""
            one = builder.load(builder.gep(data[i], [ir.Constant(size, item)]))
            first = builder.insert_element(ir.Constant(kind, ir.Undefined), one, ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(first, first, _filled(_PLACES, 0))

        sums = [cgutils.alloca_once_value(builder, _filled(_SUMS, 0)) for _ in range(count)]
        with cgutils.for_range(builder, words) as loop:
            word = builder.add(times(arguments[3], words), loop.index)
            code = load(0, times(word, 2 * _LANES), _BYTES)
            halves = builder.and_(code, _filled(_BYTES, 15)), builder.lshr(code, _filled(_BYTES, 4))
            for i, total in enumerate(sums):
                asked = times(builder.add(loop.index, times(words, i)), 4 * _LANES)
                for half, entries in enumerate(halves):
                    there = builder.add(asked, ir.Constant(size, half * 2 * _LANES))
                    products = _pairs_added(context, builder, entries, load(4, there, _BYTES))
                    builder.store(builder.add(builder.load(total), products), total)
        first_entry = times(arguments[3], _LANES)
        step, error = load(1, first_entry, _NUMBERS), load(2, first_entry, _NUMBERS)
        top_at = times(builder.udiv(arguments[3], ir.Constant(size, _BLOCKS)), _LANES)
        for i, total in enumerate(sums):
            whole = builder.sub(builder.load(total), number(5, i, _SUMS))
            level_step, length, level_error = (number(6, 3 * i + j, _NUMBERS) for j in range(3))
            cosine = builder.fmul(builder.fmul(builder.sitofp(whole, _NUMBERS), level_step), step)
            bound = builder.fadd(cosine, builder.fadd(builder.fmul(error, length), level_error))
            row = times(groups, i)
            builder.store(bound, place(8, builder.add(times(row, _BLOCKS * _LANES), first_entry), _NUMBERS), align=4)
            top_place = place(9, builder.add(times(row, _LANES), top_at), _NUMBERS)
            top = builder.load(top_place, align=4)
            builder.store(builder.select(builder.fcmp_ordered(">", bound, top), bound, top), top_place, align=4)
        return context.get_dummy_value()

    arguments = (codes, steps, errors, block, levels, middles, scales, together, bounds, tops)
    return types.void(*arguments), generate


@intrinsic
def _fetch(typing_context, vectors, row):
    """Asks the memory for a row of an array in C order before it is needed."""

    def generate(context, builder, signature, arguments):
        rows = context.make_array(signature.args[0])(context, builder, arguments[0])
        in_line = _LINE * 8 // signature.args[0].dtype.bitwidth
        width = cgutils.unpack_tuple(builder, rows.shape)[1]
        size, number, byte = width.type, ir.IntType(32), ir.IntType(8).as_pointer()
        fetch = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        )
        start = builder.mul(arguments[1], width)
        lines = builder.udiv(builder.add(width, ir.Constant(size, in_line - 1)), ir.Constant(size, in_line))
        with cgutils.for_range(builder, lines) as loop:
            at = builder.add(start, builder.mul(loop.index, ir.Constant(size, in_line)))
            place = builder.bitcast(builder.gep(rows.data, [at]), byte)
            builder.call(fetch, [place, *(ir.Constant(number, x) for x in (0, 3, 1))])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(vectors, row), generate


@compiled()
def nearest(
    codes, steps, errors, most, fine, fine_steps, fine_errors, queries, vectors, owners, entries, cosines
):  # fmt: skip
    """Fills entries (int64[m, k]) and cosines (float32[m, k]); returns int64[m], how many each query has.

    The first seven arguments are a `Sketch`'s, the others as in `search.nearest_distinct`.
    """
    blocks, words, _ = codes.shape
    groups = (blocks + _BLOCKS - 1) // _BLOCKS
    rows_of_blocks = codes.reshape(blocks, 2 * _LANES * words)
    levels = np.empty((_QUERIES, words, 4 * _LANES), np.int8)
    bounds = np.empty((_QUERIES, groups, _BLOCKS * _LANES), np.float32)
    tops = np.empty((_QUERIES, groups, _LANES), np.float32)
    middles, scales = np.empty(_QUERIES, np.int16), np.empty((_QUERIES, 3), np.float32)
    in_order = np.empty((_QUERIES, queries.shape[1]), np.int8)
    looked_at = np.empty(len(vectors), np.int64)
    counts = np.zeros(len(queries), np.int64)
    start = 0
    while start < len(queries):
        # Each block is read and unpacked once for the queries that go together.
        left = len(queries) - start
        together = 4 if left >= 4 else 2 if left >= 2 else 1
        for i in range(together):
            middles[i] = _levelled(queries[start + i], most, levels[i], in_order[i], scales[i])
        tops.fill(-np.inf)
        for block in range(blocks):
            # Where few queries share a block, reading it takes longer than comparing.
            if together < 4 and block + _AHEAD < blocks:
                _fetch(rows_of_blocks, block + _AHEAD)
            if together == 4:
                _bound_block(codes, steps, errors, block, levels, middles, scales, 4, bounds, tops)
            elif together == 2:
                _bound_block(codes, steps, errors, block, levels, middles, scales, 2, bounds, tops)
            else:
                _bound_block(codes, steps, errors, block, levels, middles, scales, 1, bounds, tops)
        for i in range(together):
            counts[start] = _ranked(
                bounds[i], tops[i], queries[start], in_order[i], scales[i], fine, fine_steps, fine_errors, vectors, owners,
                entries[start], cosines[start], looked_at,
            )  # fmt: skip
            start += 1
    return counts


@compiled()
def _levelled(query, most, levels, in_order, scales):
    """The query in whole levels, as fine as eight bits allow and as keeps every sum of products within sixteen bits.

    levels : in the order of a sketch's codes, each pair of levels 16 times: the dimensions 4 j and 4 j + 1, then 4 j + 2 and
        4 j + 3. in_order : int8[d].
    scales : what a level is worth; the query's length; by how much its rounding can change a product with any sketch.
    Returns eight times the sum of the levels, which the codes' offset of 8 adds to every sum of products, mod 2^16.
    """
    squares, peak = 0.0, 0.0
    for number in query:
        squares += np.float64(number) * np.float64(number)
        peak = max(peak, abs(np.float64(number)))
    length = np.sqrt(squares)
    levels.fill(0)
    per_unit = 0.0
    if peak > 0:
        # Rounding makes the levels longer by half a level in each dimension at most.
        room = _WRAPS / max(most[0], 1.0) - np.sqrt(len(query)) / 2 - 1
        per_unit = max(min(_MOST / peak, room / length), 0.0)
    step = 1 / per_unit if per_unit > 0 else 0.0
    total, left_out = 0, 0.0
    for i in range(len(query)):
        level = np.rint(query[i] * per_unit)
        total += np.int64(level)
        in_order[i] = np.int8(level)
        left_out += (query[i] - level * step) ** 2
        for lane in range(_LANES):
            levels[i // 4, (i % 4) // 2 * 2 * _LANES + 2 * lane + i % 2] = np.int8(level)
    scales[0] = step
    scales[1] = length * (1 + _ROUNDING)
    scales[2] = most[1] * (np.sqrt(left_out) + _ROUNDING * length) * (1 + _ROUNDING)
    return np.int16(8 * total)


@compiled()
def _ranked(
    bounds, tops, query, levels, scales, fine, fine_steps, fine_errors, vectors, owners, entries, cosines, looked_at
):  # fmt: skip
    """The exact cosines of the entries whose bounds reach the k-th code's; first of those with the highest bounds at four bits."""
    k = len(entries)
    ranked_owners = np.empty(k, owners.dtype)
    room = np.empty(len(query), np.float32)
    first = _high(tops.ravel(), k + _SPARE)
    threshold = np.float32(-np.inf)
    count = 0
    for later in range(2):
        lowest, below = (threshold, first) if later else (first, np.float32(np.inf))
        found = _between(bounds, tops, lowest, below, len(vectors), looked_at)
        for i in range(found):
            if i + _ROWS_AHEAD < found:
                _fetch(fine, looked_at[i + _ROWS_AHEAD])
            entry = looked_at[i]
            if bounds[entry // (_BLOCKS * _LANES), entry % (_BLOCKS * _LANES)] < threshold:
                continue
            if count == k:
                finer = np.float32(_whole_dot(levels, fine[entry])) * scales[0] * fine_steps[entry]
                if finer + fine_errors[entry] * scales[1] + scales[2] < threshold:
                    continue
            cosine = fixed_dot_of_two(query, vectors[entry], room)
            count = _insert(entry, cosine, owners[entry], entries, cosines, ranked_owners, count)
            if count == k:
                threshold = cosines[k - 1]
    return count


@compiled()
def _whole_dot(a, b):
    """Of int8[d] with int8[d]."""
    total = np.int32(0)
    for i in range(len(a)):
        total = np.int32(total + np.int32(np.int32(a[i]) * np.int32(b[i])))
    return total


@compiled()
def _between(bounds, tops, lowest, below, n, out):
    """Writes the entries, of `n`, with a bound from `lowest` to less than `below` to `out`; returns how many they are."""
    found = 0
    for group in range(len(tops)):
        for lane in range(_LANES):
            if tops[group, lane] < lowest:
                continue
            for at in range(lane, _BLOCKS * _LANES, _LANES):
                entry = group * _BLOCKS * _LANES + at
                if entry < n and lowest <= bounds[group, at] < below:
                    out[found] = entry
                    found += 1
    return found


@compiled()
def _high(numbers, rank):
    """The number of that rank, from the highest; the least where there are fewer."""
    highest = np.full(min(rank, len(numbers)), -np.inf, numbers.dtype)
    for number in numbers:
        if number > highest[-1]:
            at = len(highest) - 1
            while at > 0 and number > highest[at - 1]:
                highest[at] = highest[at - 1]
                at -= 1
            highest[at] = number
    return highest[-1]


@compiled()
def _insert(entry, cosine, owner, entries, cosines, ranked_owners, count):
    """Puts the entry in its place among the `count` ranked ones, each of another owner; returns how many they are then."""
    place = count
    while place > 0 and (cosine > cosines[place - 1] or (cosine == cosines[place - 1] and entry < entries[place - 1])):
        place -= 1
    gap = count
    for i in range(count):
        if ranked_owners[i] == owner:
            if i < place:
                return count
            gap = i
            break
    if gap == count:
        if place == len(entries):
            return count
        gap = min(count, len(entries) - 1)
        count = gap + 1
    for i in range(gap, place, -1):
        entries[i], cosines[i], ranked_owners[i] = entries[i - 1], cosines[i - 1], ranked_owners[i - 1]
    entries[place], cosines[place], ranked_owners[place] = entry, cosine, owner
    return count


@compiled()
def fixed_dot_of_two(a, b, room):
    """`search.fixed_dot` of two vectors, to the last bit; `room` is float32[d] to work in."""
    for i in range(a.size):
        room[i] = a[i] * b[i]
    d = a.size
    while d > 1:
        half = (d + 1) // 2
        for i in range(d - half):
            room[i] += room[half + i]
        d = half
    return room[0]
