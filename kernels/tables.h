// The table that other kernels read points of domains from.

struct TwiddleParams {
    // root(i + 2), the root of unity of order 2^(i + 2), or its inverse.
    u64 roots[32];
    u64 count;
};

// twiddles[k] = product of roots[i] over the set bits i of k. So for every m the first 2^m entries are the powers of the root of
// order 2^(m+1) in bit-reversed order: the twiddles of a transform's levels, and with their negatives the points of the
// subgroup of order 2^(m+1) in storage order (point 2k is twiddles[k], point 2k+1 its negative).
KERNEL(make_twiddles, OUT(0, u64, twiddles), TwiddleParams) {
    u64 k = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (k >= p.count) {
        return;
    }
    u64 value = 1;
    for (u32 i = 0; (k >> i) != 0; i++) {
        if (((k >> i) & 1) != 0) {
            value = gl_mul(value, p.roots[i]);
        }
    }
    twiddles[k] = value;
}
