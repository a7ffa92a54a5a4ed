// The DEEP quotient.

struct DeepParams {
    u64 shift;
    u64 count;
    u32 terms;
    u32 log_height;
    // Threads of the launch: a thread takes DEEP_ROWS rows at this distance.
    u64 threads;
};

#define DEEP_ROWS 4
// Words of a term: number of its weights, index of the first, point, constant. Words of a weight: column, weight.
#define DEEP_TERM (2 + 2 * DEGREE)
#define DEEP_WEIGHT (1 + DEGREE)

FN Ext ext_at(GLOBAL const u64* words) {
    return ext_load(words, 0, 1);
}

// sum over terms of (sum of weight * column(x) - constant) / (x - point). One inversion serves DEEP_ROWS rows.
KERNEL(deep, TABLES(0) IN(4, u64, terms) IN(5, u64, weights) IN(6, u64, twiddles) OUT(7, u64, result), DeepParams) {
    u64 thread = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (thread >= p.threads) {
        return;
    }
    Ext sums[DEEP_ROWS];
    u64 x[DEEP_ROWS];
    UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {
        sums[r] = ext_from_base(0);
        u64 row = thread + r * p.threads;
        if (row < p.count) {
            u64 point = p.log_height == 0 ? 1 : twiddles[row >> 1];
            x[r] = gl_mul((row & 1) != 0 ? gl_neg(point) : point, p.shift);
        } else {
            x[r] = 0;
        }
    }
    for (u32 t = 0; t < p.terms; t++) {
        GLOBAL const u64* term = terms + t * DEEP_TERM;
        u64 first = term[1];
        u64 end = first + term[0];
        Ext point = ext_at(term + 2);
        Ext constant = ext_at(term + 2 + DEGREE);
        // prefix[r]: the product of the denominators before row r, a zero replaced by one.
        Ext denominator[DEEP_ROWS];
        Ext prefix[DEEP_ROWS];
        Ext product = ext_from_base(1);
        UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {
            denominator[r] = ext_sub(ext_from_base(x[r]), point);
            prefix[r] = product;
            if (!ext_is_zero(denominator[r]) && thread + r * p.threads < p.count) {
                product = ext_mul(product, denominator[r]);
            }
        }
        product = ext_inverse(product);
        UNROLL for (u32 k = DEEP_ROWS; k > 0; k--) {
            u32 r = k - 1;
            u64 row = thread + r * p.threads;
            if (!ext_is_zero(denominator[r]) && row < p.count) {
                Ext inverse = ext_mul(product, prefix[r]);
                product = ext_mul(product, denominator[r]);
                ExtSum sum = ext_sum_zero();
                for (u64 w = first; w < end; w++) {
                    GLOBAL const u64* weight = weights + w * DEEP_WEIGHT;
                    sum = ext_sum_mac(sum, ext_at(weight + 1), COLUMN_AT(weight[0], row));
                }
                sums[r] = ext_add(sums[r], ext_mul(ext_sub(ext_sum_reduce(sum), constant), inverse));
            }
        }
    }
    UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {
        u64 row = thread + r * p.threads;
        if (row < p.count) {
            ext_store(result, row, p.count, sums[r]);
        }
    }
}
