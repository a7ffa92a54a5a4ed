// Multipliers of groups of constraints.

struct MultiplierParams {
    // Of the domain of x^(2^log_base).
    u64 shift;
    u64 count;
    u64 threads;
    u64 first_target;
    u32 first_factor;
    u32 factors;
    u32 log_base;
    u32 pad;
};

#define MULTIPLIER_ROWS 16
// A factor is two words: log2 of the power | inverse << 32, constant.
#define FACTOR_WORDS 2

// The product of (x^(2^log_power) - constant)^(+-1) over the factors of a group, the inverse of zero being zero, at the points of a
// coset in storage order. One inversion serves MULTIPLIER_ROWS.
KERNEL_BOUNDED(make_multipliers, 256, 2, IN(0, u64, factors) IN(1, u64, twiddles) OUT(2, u64, multipliers), MultiplierParams) {
    u64 thread = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (thread >= p.threads) {
        return;
    }
    u64 numerator[MULTIPLIER_ROWS];
    u64 denominator[MULTIPLIER_ROWS];
    UNROLL for (u32 r = 0; r < MULTIPLIER_ROWS; r++) {
        numerator[r] = 1;
        denominator[r] = 1;
    }
    for (u32 f = 0; f < p.factors; f++) {
        u64 head = factors[(p.first_factor + f) * FACTOR_WORDS];
        u64 constant = factors[(p.first_factor + f) * FACTOR_WORDS + 1];
        // Storage order: of the coset of x^(2^power) point i >> power is the one of point i.
        u32 power = (u32)head - p.log_base;
        u64 shift = gl_square_times(p.shift, power);
        UNROLL for (u32 r = 0; r < MULTIPLIER_ROWS; r++) {
            u64 i = thread + r * p.threads;
            if (i < p.count) {
                u64 value = gl_sub(gl_mul(point_at(twiddles, i >> power), shift), constant);
                if ((head >> 32) != 0) {
                    denominator[r] = gl_mul(denominator[r], value);
                } else {
                    numerator[r] = gl_mul(numerator[r], value);
                }
            }
        }
    }
    u64 prefix[MULTIPLIER_ROWS];
    u64 product = 1;
    UNROLL for (u32 r = 0; r < MULTIPLIER_ROWS; r++) {
        prefix[r] = product;
        if (denominator[r] != 0) {
            product = gl_mul(product, denominator[r]);
        }
    }
    product = gl_inverse(product);
    UNROLL for (u32 k = MULTIPLIER_ROWS; k > 0; k--) {
        u32 r = k - 1;
        u64 inverse = 0;
        if (denominator[r] != 0) {
            inverse = gl_mul(product, prefix[r]);
            product = gl_mul(product, denominator[r]);
        }
        u64 i = thread + r * p.threads;
        if (i < p.count) {
            multipliers[p.first_target + i] = gl_mul(numerator[r], inverse);
        }
    }
}
