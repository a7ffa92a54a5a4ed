// The FRI folds of the Circle protocol.

struct FoldParams {
    u32 alpha[4];
    u64 count;
    // log2 of the points of the whole domain; of a circle or of a line.
    u32 log_domain;
    u32 is_circle;
    // The index of the first of them in their canonic domain, or on their line.
    u32 first;
    u32 pad;
};

// f(P) + f(Q) + alpha (f(P) - f(Q))/t, with P and Q the points 2i and 2i + 1 in storage order and t = P.y on a circle,
// P.x on a line. Words of `layer` are pairs of neighbours.
KERNEL(fold, IN(0, u64, layer) OUT(1, u32, folded) IN(2, u32, inverses), FoldParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    u32 h = (p.first >> 1) + (u32)i;
    u32 twice = p.is_circle != 0 ? circle_twice_y(inverses, p.log_domain, h) : inverses[(1u << (p.log_domain - 1)) + h];
    Ext sum, difference;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        u64 pair = layer[k * p.count + i];
        u32 a = (u32)pair, b = (u32)(pair >> 32);
        sum.c[k] = m31_add(a, b);
        difference.c[k] = m31_mul_twice(m31_sub(a, b), twice);
    }
    Ext alpha = ext_new(p.alpha[0], p.alpha[1], p.alpha[2], p.alpha[3]);
    ext_store(folded, i, p.count, ext_add(sum, ext_mul(difference, alpha)));
}
