// Values of polynomials outside their domain: weights of a point, then sums of weight times element.

struct WeightParams {
    u64 z[DEGREE];
    // z^threads.
    u64 step[DEGREE];
    u64 count;
    u64 threads;
};

#define WEIGHT_ROWS 8

// weights[i] = z^i. A thread takes WEIGHT_ROWS at distance `threads`.
KERNEL(weights_of_coefficients, OUT(0, u64, weights), WeightParams) {
    u64 number = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (number >= p.threads) {
        return;
    }
    Ext z;
    Ext step;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        z.c[k] = p.z[k];
        step.c[k] = p.step[k];
    }
    Ext power = ext_pow(z, number);
    for (u64 i = number; i < p.count; i += p.threads) {
        ext_store(weights, i, p.count, power);
        power = ext_mul(power, step);
    }
}

struct ValueWeightParams {
    // norm(x) and adjugate(x) of the point z, as in deep.h: norm without its highest coefficient, both lowest first.
    u64 norm[DEGREE];
    u64 adjugate[DEGREE * DEGREE];
    u64 shift;
    u64 count;
    u64 threads;
    u32 log_height;
    u32 natural;
};

// weights[i] = x/(z - x) = -x adjugate(x)/norm(x) with x the point of index i of the coset, in storage or natural
// order; zero where z = x. One inversion serves WEIGHT_ROWS.
KERNEL(weights_of_values, OUT(0, u64, weights) IN(1, u64, twiddles), ValueWeightParams) {
    u64 number = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (number >= p.threads) {
        return;
    }
    u64 x[WEIGHT_ROWS];
    u64 norm[WEIGHT_ROWS];
    u64 prefix[WEIGHT_ROWS];
    u64 product = 1;
    UNROLL for (u32 r = 0; r < WEIGHT_ROWS; r++) {
        u64 i = number + r * p.threads;
        // The last thread's later rows may not be there: it takes the first one's again.
        i = i < p.count ? i : number;
        x[r] = gl_mul(point_at(twiddles, p.natural != 0 ? reverse((u32)i, p.log_height) : i), p.shift);
        norm[r] = gl_add(x[r], p.norm[DEGREE - 1]);
        UNROLL for (u32 k = DEGREE - 1; k > 0; k--) {
            norm[r] = gl_add(gl_mul(norm[r], x[r]), p.norm[k - 1]);
        }
        prefix[r] = product;
        product = gl_mul(product, norm[r] != 0 ? norm[r] : 1);
    }
    product = gl_inverse(product);
    UNROLL for (u32 n = WEIGHT_ROWS; n > 0; n--) {
        u32 r = n - 1;
        u64 power = norm[r] != 0 ? gl_neg(gl_mul(gl_mul(product, prefix[r]), x[r])) : 0;
        product = gl_mul(product, norm[r] != 0 ? norm[r] : 1);
        ExtSum sum = ext_sum_zero();
        UNROLL for (u32 k = 0; k < DEGREE; k++) {
            Ext coefficient;
            UNROLL for (u32 c = 0; c < DEGREE; c++) {
                coefficient.c[c] = p.adjugate[k * DEGREE + c];
            }
            sum = ext_sum_mac(sum, coefficient, power);
            power = gl_mul(power, x[r]);
        }
        u64 i = number + r * p.threads;
        if (i < p.count) {
            ext_store(weights, i, p.count, ext_sum_reduce(sum));
        }
    }
}
