// Makes the table of points.h and its inverse.

struct FactorParams {
    // The generator of the circle after k doublings.
    u32 x[32];
    u32 y[32];
    u32 count;
    u32 pad;
};

// One thread an entry.
KERNEL(make_factors, OUT(0, u32, factors) OUT(1, u32, inverses), FactorParams) {
    u32 entry = BLOCK_X * BLOCK_THREADS + THREAD;
    if (entry >= p.count) {
        return;
    }
    u32 index = 1u << 28;
    if (entry > 0) {
        u32 m = 0;
        while ((entry >> (m + 1)) != 0) {
            m++;
        }
        index = (4 * reverse(entry, m) + 1) << (28 - m);
    }
    u32 x = 1;
    u32 y = 0;
    for (u32 k = 0; k < 31; k++) {
        if (((index >> k) & 1) != 0) {
            u32 next = m31_sub(m31_mul(x, p.x[k]), m31_mul(y, p.y[k]));
            y = m31_add(m31_mul(x, p.y[k]), m31_mul(y, p.x[k]));
            x = next;
        }
    }
    u32 factor = entry == 0 ? y : x;
    factors[entry] = 2 * factor;
    inverses[entry] = 2 * m31_inverse(factor);
}
