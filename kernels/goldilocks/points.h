// Points of subgroups in storage order.
//
// Twiddle k is the product of root(i + 2), the root of unity of order 2^(i + 2), over the set bits i of k. So for every
// m the first 2^m are the powers of the root of order 2^(m + 1) in bit-reversed order: the twiddles of a transform's
// levels, and with their negatives the points of the subgroup of order 2^(m + 1) in storage order. A product over bits
// is that over the low ones times that over the others: a table of 2^16 + 2^15 entries, which stays in cache, serves
// all of the 2^31 twiddles.

#define LOW_TWIDDLES 65536
#define TWIDDLE_ENTRIES (LOW_TWIDDLES + 32768)

FN u64 twiddle_at(GLOBAL const u64* twiddles, u64 k) {
    return gl_mul(twiddles[k & (LOW_TWIDDLES - 1)], twiddles[LOW_TWIDDLES + k / LOW_TWIDDLES]);
}

// Point i of every subgroup that has so many.
FN u64 point_at(GLOBAL const u64* twiddles, u64 i) {
    u64 point = twiddle_at(twiddles, i >> 1);
    return (i & 1) != 0 ? gl_neg(point) : point;
}
