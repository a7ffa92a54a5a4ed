// Multipliers of groups of constraints.

#define MULTIPLIER_ROWS 16
#define MULTIPLIER_THREADS 256
#define NO_TABLE (~(u64)0)

struct MultiplierParams {
    // The images of point 0 of the subgroup, and of points r * threads of the subgroup.
    u64 shift;
    u64 steps[MULTIPLIER_ROWS];
    u64 count;
    u64 threads;
    u32 first_word;
    u32 tables;
};

// The product of x - constant over one constant or more. Canonical.
FN u64 differences(u64 x, GLOBAL const u64* constants, u32 count) {
    u64 product = gl_sub(x, constants[0]);
    // Rarely more than one.
    UNROLL_BY(1) for (u32 f = 1; f < count; f++) {
        product = gl_mul(product, gl_sub(x, constants[f]));
    }
    return product;
}

FN u64 one_for_zero(u64 a) {
    return a == 0 ? 1 : a;
}

// Tables of products of x - constant and of 1/(x - constant), the inverse of zero being zero, at the points x of a
// coset in storage order. Each is three words of `factors` and its constants: the first element; how many factors are
// inverse | how many are not << 32; the first element | log2 of the rows that share one << 56 of a table made before
// that goes into the product, or NO_TABLE; the constants of the inverse ones, then of the others. One inversion serves
// MULTIPLIER_ROWS.
KERNEL_BOUNDED(make_multipliers, MULTIPLIER_THREADS, 3, IN(0, u64, factors) IN(1, u64, twiddles) INOUT(2, u64, multipliers),
               MultiplierParams) {
    u64 number = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (number >= p.threads) {
        return;
    }
    // The rows of a thread differ in the bits from that of p.threads on, so that their points differ by factors known
    // to the host.
    u64 x[MULTIPLIER_ROWS];
    x[0] = gl_mul(point_at(twiddles, number), p.shift);
    UNROLL for (u32 r = 1; r < MULTIPLIER_ROWS; r++) {
        x[r] = gl_mul(x[0], p.steps[r]);
    }
    // Values of this thread's rows alone: registers are dearer.
    SHARED(u64, prefixes, MULTIPLIER_ROWS * MULTIPLIER_THREADS);
    u32 at = p.first_word;
    for (u32 t = 0; t < p.tables; t++) {
        u64 start = factors[at];
        u32 inverses = (u32)factors[at + 1];
        u32 others = (u32)(factors[at + 1] >> 32);
        u64 inner = factors[at + 2];
        at += 3;
        u64 product = 1;
        if (inverses != 0) {
            UNROLL for (u32 r = 0; r < MULTIPLIER_ROWS; r++) {
                prefixes[r * MULTIPLIER_THREADS + THREAD] = product;
                product = gl_mul_lazy(product, one_for_zero(differences(x[r], factors + at, inverses)));
            }
            product = gl_inverse(product);
        }
        UNROLL for (u32 k = MULTIPLIER_ROWS; k > 0; k--) {
            u32 r = k - 1;
            u64 value;
            if (inverses != 0) {
                u64 denominator = differences(x[r], factors + at, inverses);
                value = denominator == 0 ? 0 : gl_mul(product, prefixes[r * MULTIPLIER_THREADS + THREAD]);
                product = gl_mul_lazy(product, one_for_zero(denominator));
                if (others != 0) {
                    value = gl_mul(value, differences(x[r], factors + at + inverses, others));
                }
            } else {
                value = differences(x[r], factors + at, others);
            }
            u64 i = number + r * p.threads;
            if (i < p.count) {
                if (inner != NO_TABLE) {
                    value = gl_mul(value, multipliers[(inner & (((u64)1 << 56) - 1)) + (i >> (inner >> 56))]);
                }
                multipliers[start + i] = value;
            }
        }
        at += inverses + others;
    }
}
