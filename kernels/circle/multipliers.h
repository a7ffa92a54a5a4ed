// Multipliers of groups of constraints on a circle.

struct MultiplierParams {
    u64 count;
    u64 threads;
    u64 first_target;
    u32 first_factor;
    u32 factors;
    // log2 of the neighbours in storage order that share a value.
    u32 log_shared;
    u32 log_domain;
    // The index of the first point in the canonic domain.
    u32 first;
    u32 pad;
};

#define MULTIPLIER_ROWS 8
// A factor is two words: log2 of the power | inverse << 32, constant.
#define FACTOR_WORDS 2

// X(2^k P) of the point P at storage index i of a canonic domain of 2^log_domain points: those of 2^(k+1) neighbours
// are equal, of the next ones opposite. After log_domain - 1 doublings all points have x = 0.
FN u32 circle_power_x(GLOBAL const u32* table, u32 log_domain, u32 k, u32 i) {
    if (k + 1 >= log_domain) {
        return 0;
    }
    u32 x = table[(1u << (log_domain - 2 - k)) + ((i >> (k + 1)) >> 1)] >> 1;
    return ((i >> (k + 1)) & 1) != 0 ? m31_neg(x) : x;
}

// The product of (X(2^k P) - constant)^(+-1) over the factors of a group, the inverse of zero being zero. One inversion
// serves MULTIPLIER_ROWS.
KERNEL(make_multipliers, IN(0, u64, factors) IN(1, u32, table) OUT(2, u32, multipliers), MultiplierParams) {
    u64 number = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (number >= p.threads) {
        return;
    }
    u32 numerator[MULTIPLIER_ROWS];
    u32 denominator[MULTIPLIER_ROWS];
    u32 prefix[MULTIPLIER_ROWS];
    u32 product = 1;
    UNROLL for (u32 r = 0; r < MULTIPLIER_ROWS; r++) {
        u64 i = number + r * p.threads;
        numerator[r] = 1;
        denominator[r] = 1;
        if (i < p.count) {
            for (u32 f = 0; f < p.factors; f++) {
                u64 head = factors[(p.first_factor + f) * FACTOR_WORDS];
                u32 offset = (u32)factors[(p.first_factor + f) * FACTOR_WORDS + 1];
                u32 x = circle_power_x(table, p.log_domain, (u32)head, p.first + (u32)(i << p.log_shared));
                u32 value = m31_sub(x, offset);
                if ((head >> 32) != 0) {
                    denominator[r] = m31_mul(denominator[r], value);
                } else {
                    numerator[r] = m31_mul(numerator[r], value);
                }
            }
        }
        prefix[r] = product;
        if (denominator[r] != 0) {
            product = m31_mul(product, denominator[r]);
        }
    }
    product = m31_inverse(product);
    UNROLL for (u32 k = MULTIPLIER_ROWS; k > 0; k--) {
        u32 r = k - 1;
        u32 inverse = 0;
        if (denominator[r] != 0) {
            inverse = m31_mul(product, prefix[r]);
            product = m31_mul(product, denominator[r]);
        }
        u64 i = number + r * p.threads;
        if (i < p.count) {
            multipliers[p.first_target + i] = m31_mul(numerator[r], inverse);
        }
    }
}
