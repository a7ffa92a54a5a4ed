// The table that other kernels read points of domains from.

struct TwiddleParams {
    // root(i + 2), the root of unity of order 2^(i + 2), or its inverse.
    u64 roots[32];
};

// Makes the table of points.h, one thread an entry.
KERNEL(make_twiddles, OUT(0, u64, twiddles), TwiddleParams) {
    u64 entry = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (entry >= TWIDDLE_ENTRIES) {
        return;
    }
    u64 k = entry < LOW_TWIDDLES ? entry : (entry - LOW_TWIDDLES) * LOW_TWIDDLES;
    u64 value = 1;
    for (u32 i = 0; (k >> i) != 0; i++) {
        if (((k >> i) & 1) != 0) {
            value = gl_mul(value, p.roots[i]);
        }
    }
    twiddles[entry] = value;
}
