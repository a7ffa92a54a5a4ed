// The DEEP quotient, up to TERMS terms a launch.

struct DeepParams {
    u64 shift;
    u64 count;
    // Threads of the launch: a thread takes DEEP_ROWS rows at this distance.
    u64 threads;
    u32 columns;
    // Added to what the result holds, instead of written.
    u32 accumulate;
};

#define DEEP_ROWS 2
// Words of a term: point, constant.
#define DEEP_TERM (2 * DEGREE)

// sum over terms of (sum of weight * column(x) - constant) / (x - point). Columns are read once, for all terms: `weights` has for
// each column the column, a word whose bit t says that term t has it, and the weights of those terms. One inversion serves all
// denominators of a thread; the inverse of zero is zero.
KERNEL(deep, TABLES(0) IN(4, u64, terms) IN(5, u64, weights) IN(6, u64, twiddles) INOUT(7, u64, result), DeepParams) {
    u64 thread = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (thread >= p.threads) {
        return;
    }
    // The last thread's second row may not be there: it reads the first one's again.
    u64 rows[DEEP_ROWS];
    ExtSum sums[DEEP_ROWS * TERMS];
    UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {
        u64 row = thread + r * p.threads;
        rows[r] = row < p.count ? row : thread;
        UNROLL for (u32 t = 0; t < TERMS; t++) {
            sums[r * TERMS + t] = ext_sum_zero();
        }
    }
    GLOBAL const u64* at = weights;
    for (u32 c = 0; c < p.columns; c++) {
        u64 column = at[0];
        u64 mask = at[1];
        at += 2;
        u64 values[DEEP_ROWS];
        UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {
            values[r] = COLUMN_AT(column, rows[r]);
        }
        UNROLL for (u32 t = 0; t < TERMS; t++) {
            if (((mask >> t) & 1) != 0) {
                Ext weight = ext_at(at);
                at += DEGREE;
                UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {
                    sums[r * TERMS + t] = ext_sum_mac(sums[r * TERMS + t], weight, values[r]);
                }
            }
        }
    }
    // prefix: the product of the denominators before this one, a zero replaced by one.
    Ext numerators[DEEP_ROWS * TERMS];
    Ext prefix[DEEP_ROWS * TERMS];
    u64 x[DEEP_ROWS];
    Ext product = ext_from_base(1);
    UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {
        x[r] = gl_mul(point_at(twiddles, rows[r]), p.shift);
        UNROLL for (u32 t = 0; t < TERMS; t++) {
            u32 n = r * TERMS + t;
            numerators[n] = ext_sub(ext_sum_reduce(sums[n]), ext_at(terms + t * DEEP_TERM + DEGREE));
            prefix[n] = product;
            Ext denominator = ext_sub(ext_from_base(x[r]), ext_at(terms + t * DEEP_TERM));
            if (!ext_is_zero(denominator)) {
                product = ext_mul(product, denominator);
            }
        }
    }
    product = ext_inverse(product);
    UNROLL for (u32 i = 0; i < DEEP_ROWS; i++) {
        u32 r = DEEP_ROWS - 1 - i;
        u64 row = thread + r * p.threads;
        Ext sum = ext_from_base(0);
        UNROLL for (u32 j = 0; j < TERMS; j++) {
            u32 t = TERMS - 1 - j;
            u32 n = r * TERMS + t;
            Ext denominator = ext_sub(ext_from_base(x[r]), ext_at(terms + t * DEEP_TERM));
            if (!ext_is_zero(denominator)) {
                sum = ext_add(sum, ext_mul(numerators[n], ext_mul(product, prefix[n])));
                product = ext_mul(product, denominator);
            }
        }
        if (row < p.count) {
            if (p.accumulate != 0) {
                sum = ext_add(sum, ext_load(result, row, p.count));
            }
            ext_store(result, row, p.count, sum);
        }
    }
}
