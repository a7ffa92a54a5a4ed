// Tables that other kernels read: points of domains and powers.

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

struct PowerParams {
    u64 base;
    u64 first;
    u64 count;
    u32 log_low;
    u32 pad;
};

// Entry j below 2^log_low is base^j; entry 2^log_low + j is first * base^(j * 2^log_low). So first * base^i is the product of entry
// i mod 2^log_low and of entry 2^log_low + (i >> log_low).
KERNEL(make_powers, OUT(0, u64, powers), PowerParams) {
    u64 j = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (j >= p.count) {
        return;
    }
    u64 low = (u64)1 << p.log_low;
    powers[j] = j < low ? gl_pow(p.base, j) : gl_mul(p.first, gl_pow(p.base, (j - low) << p.log_low));
}
