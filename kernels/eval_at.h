// Values of polynomials outside their domain: weights of a point, then sums of weight times element.

struct WeightParams {
    u64 z[DEGREE];
    // Coefficients: z^threads. Values: unused.
    u64 step[DEGREE];
    u64 shift;
    u64 count;
    u64 threads;
    u32 log_height;
    u32 natural;
};

#define WEIGHT_ROWS 8

// weights[i] = z^i. A thread takes WEIGHT_ROWS at distance `threads`.
KERNEL(weights_of_coefficients, OUT(0, u64, weights), WeightParams) {
    u64 thread = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (thread >= p.threads) {
        return;
    }
    Ext z;
    Ext step;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        z.c[k] = p.z[k];
        step.c[k] = p.step[k];
    }
    Ext power = ext_pow(z, thread);
    for (u64 i = thread; i < p.count; i += p.threads) {
        ext_store(weights, i, p.count, power);
        power = ext_mul(power, step);
    }
}

// weights[i] = x/(z - x) with x the point of index i of the coset, in storage or natural order; zero where z = x. One inversion
// serves WEIGHT_ROWS.
KERNEL(weights_of_values, OUT(0, u64, weights) IN(1, u64, twiddles), WeightParams) {
    u64 thread = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (thread >= p.threads) {
        return;
    }
    Ext z;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        z.c[k] = p.z[k];
    }
    u64 x[WEIGHT_ROWS];
    Ext prefix[WEIGHT_ROWS];
    Ext product = ext_from_base(1);
    UNROLL for (u32 r = 0; r < WEIGHT_ROWS; r++) {
        u64 i = thread + r * p.threads;
        x[r] = 0;
        if (i < p.count) {
            u64 stored = p.natural != 0 ? reverse((u32)i, p.log_height) : i;
            x[r] = gl_mul(point_at(twiddles, stored), p.shift);
        }
        prefix[r] = product;
        Ext difference = ext_sub(z, ext_from_base(x[r]));
        if (!ext_is_zero(difference)) {
            product = ext_mul(product, difference);
        }
    }
    product = ext_inverse(product);
    UNROLL for (u32 k = WEIGHT_ROWS; k > 0; k--) {
        u32 r = k - 1;
        Ext difference = ext_sub(z, ext_from_base(x[r]));
        Ext inverse = ext_from_base(0);
        if (!ext_is_zero(difference)) {
            inverse = ext_mul(product, prefix[r]);
            product = ext_mul(product, difference);
        }
        u64 i = thread + r * p.threads;
        if (i < p.count) {
            ext_store(weights, i, p.count, ext_mul_base(inverse, x[r]));
        }
    }
}

struct DotParams {
    u64 count;
    // Elements from a column to the next.
    u64 stride;
    // Rows of a block.
    u64 rows;
    u32 blocks;
    u32 first_column;
};

#define DOT_THREADS 256

// partial[(column * blocks + block) * DEGREE + k] = coordinate k of the sum of weights[i] * column[i] over the block's rows.
// BLOCK_X is the block, BLOCK_Y the column; DOT_THREADS threads.
KERNEL(dot, IN(0, u64, columns) IN(1, u64, weights) OUT(2, u64, partial), DotParams) {
    SHARED(u64, sums, DOT_THREADS * DEGREE);
    u64 column = p.first_column + BLOCK_Y;
    u64 end = (BLOCK_X + (u64)1) * p.rows;
    end = end < p.count ? end : p.count;
    ExtSum sum = ext_sum_zero();
    for (u64 i = BLOCK_X * p.rows + THREAD; i < end; i += DOT_THREADS) {
        sum = ext_sum_mac(sum, ext_load(weights, i, p.count), columns[column * p.stride + i]);
    }
    Ext value = ext_sum_reduce(sum);
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        sums[k * DOT_THREADS + THREAD] = value.c[k];
    }
    for (u32 half = DOT_THREADS / 2; half > 0; half /= 2) {
        BARRIER();
        if (THREAD < half) {
            UNROLL for (u32 k = 0; k < DEGREE; k++) {
                u32 at = k * DOT_THREADS + THREAD;
                sums[at] = gl_add(sums[at], sums[at + half]);
            }
        }
    }
    if (THREAD == 0) {
        UNROLL for (u32 k = 0; k < DEGREE; k++) {
            partial[(column * p.blocks + BLOCK_X) * DEGREE + k] = sums[k * DOT_THREADS];
        }
    }
}

struct SumParams {
    u64 columns;
    u32 blocks;
    u32 pad;
};

// totals[column * DEGREE + k] = sum over blocks of partial; one thread a coordinate.
KERNEL(sum_blocks, IN(0, u64, partial) OUT(1, u64, totals), SumParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.columns * DEGREE) {
        return;
    }
    u64 column = at / DEGREE;
    u64 k = at % DEGREE;
    u64 sum = 0;
    for (u32 b = 0; b < p.blocks; b++) {
        sum = gl_add(sum, partial[(column * p.blocks + b) * DEGREE + k]);
    }
    totals[at] = sum;
}
