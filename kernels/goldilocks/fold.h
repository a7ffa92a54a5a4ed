// The FRI fold.

struct FoldParams {
    u64 alpha[DEGREE];
    // 1/shift of the domain.
    u64 inverse_shift;
    u64 count;
};

// q(x^2) = p(x) + p(-x) + alpha (p(x) - p(-x))/x: x and -x are the points 2i and 2i + 1 in storage order, and 1/x is
// inverse_shift times the inverse of twiddle i.
KERNEL(fold, IN(0, u64, layer) OUT(1, u64, folded) IN(2, u64, inverse_twiddles), FoldParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    Ext alpha;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        alpha.c[k] = p.alpha[k];
    }
    Ext a = ext_load(layer, 2 * i, 2 * p.count);
    Ext b = ext_load(layer, 2 * i + 1, 2 * p.count);
    u64 inverse = gl_mul(twiddle_at(inverse_twiddles, i), p.inverse_shift);
    Ext odd = ext_mul(ext_mul_base(ext_sub(a, b), inverse), alpha);
    ext_store(folded, i, p.count, ext_add(ext_add(a, b), odd));
}
