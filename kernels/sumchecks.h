// Multilinear polynomials with their first variable bound.

// The value at `challenge` of the line through `low` at 0 and `high` at 1.
FN Ext ext_between(Ext low, Ext high, Ext challenge) {
    return ext_add(low, ext_mul(ext_sub(high, low), challenge));
}

struct BindParams {
    u64 challenge[DEGREE];
    // The first row, the elements from a column to the next, the rows of all extension columns of the result.
    u64 first;
    u64 stride;
    u64 count;
    u32 log_half;
    u32 pad;
};

// Halves of extension columns become what is between them, a thread a row.
KERNEL(bind_first, IN(0, Base, source) OUT(1, Base, result), BindParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u64 left = (u64)1 << p.log_half;
    u64 column = at >> p.log_half;
    u64 row = at & (left - 1);
    Ext challenge;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        challenge.c[k] = (Base)p.challenge[k];
    }
    GLOBAL const Base* start = source + column * DEGREE * p.stride + p.first;
    Ext low = ext_load(start, row, p.stride);
    Ext high = ext_load(start, left + row, p.stride);
    ext_store(result + column * DEGREE * left, row, left, ext_between(low, high, challenge));
}
