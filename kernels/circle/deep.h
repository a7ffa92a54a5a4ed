// The DEEP quotient on a circle, up to TERMS terms a launch.

struct DeepParams {
    u64 count;
    // Threads of the launch: a thread takes DEEP_ROWS rows at this distance.
    u64 threads;
    // Rows of the sums over columns of lower tables, if there are any, and how far these are lifted.
    u64 lower;
    u32 lift;
    // Words of the list, a multiple of DEEP_COLUMNS.
    u32 columns;
    // Added to what the result holds, instead of written.
    u32 accumulate;
    u32 log_domain;
    // The index of the first point in the canonic domain.
    u32 first;
    u32 pad;
};

// Rows of a thread, and columns whose loads are under way at once.
#define DEEP_ROWS (TERMS <= 2 ? 4 : 2)
#define DEEP_COLUMNS 4
// A word of the list: slot, terms that have the column as bits, how far it is lifted, its first element.
#define DEEP_SLOT(word) ((u32)((word) >> 60))
#define DEEP_MASK(word) ((u32)((word) >> 56) & 15)
#define DEEP_SHIFT(word) ((u32)((word) >> 50) & 63)
#define DEEP_START(word) ((word) & (((u64)1 << 50) - 1))
// Elements of a term: x and y of the point, constant, slope.
#define DEEP_TERM (4 * DEGREE)

// (x0 - q.x) y1 - (y0 - q.y) x1 for the point (x0 + x1 u, y0 + y1 u).
FN Complex deep_denominator(GLOBAL const u32* term, CirclePoint q) {
    Complex x = complex_new(m31_sub(term[0], q.x), term[1]);
    Complex y = complex_new(m31_sub(term[4], q.y), term[5]);
    return complex_sub(complex_mul(x, complex_new(term[6], term[7])), complex_mul(y, complex_new(term[2], term[3])));
}

#define DEEP_BUFFERS                                                                                       \
    TABLES(0) IN(TABLE_SLOTS, u64, list) IN(TABLE_SLOTS + 1, u32, weights) IN(TABLE_SLOTS + 2, u32, below)
#define DEEP_SLOTS (TABLE_SLOTS + 3)

// rows: the rows of thread `number`, a row that is not there being the first one again. sums: for each row and term, of
// weight times column, over the columns of the list and those whose sums are in `below`. Columns are read once, for all
// terms: `list` has a word for each, `weights` the weights of the terms that have it.
#define DEEP_SUM(number, rows, sums)                                                                                     \
    {                                                                                                                    \
        UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {                                                                     \
            u64 row = (number) + r * p.threads;                                                                          \
            rows[r] = row < p.count ? row : (number);                                                                    \
            UNROLL for (u32 t = 0; t < TERMS; t++) {                                                                     \
                sums[r * TERMS + t] = ext_sum_zero();                                                                    \
                if (p.lower != 0) {                                                                                      \
                    Ext sum = ext_load(below + t * DEGREE * p.lower, lifted(rows[r], p.lift), p.lower);                  \
                    sums[r * TERMS + t] = ext_sum_from(sum);                                                             \
                }                                                                                                        \
            }                                                                                                            \
        }                                                                                                                \
        GLOBAL const u32* at = weights;                                                                                  \
        for (u32 first = 0; first < p.columns; first += DEEP_COLUMNS) {                                                  \
            u64 words[DEEP_COLUMNS];                                                                                     \
            u32 values[DEEP_COLUMNS * DEEP_ROWS];                                                                        \
            u32 masks = 0;                                                                                               \
            UNROLL for (u32 c = 0; c < DEEP_COLUMNS; c++) {                                                              \
                words[c] = list[first + c];                                                                              \
                masks |= DEEP_MASK(words[c]);                                                                            \
            }                                                                                                            \
            UNROLL for (u32 c = 0; c < DEEP_COLUMNS; c++) {                                                              \
                GLOBAL const u32* column = table_of(DEEP_SLOT(words[c]), table0, table1, table2, table3, table4, table5, \
                                                    table6, table7) +                                                    \
                                           DEEP_START(words[c]);                                                         \
                UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {                                                             \
                    values[c * DEEP_ROWS + r] = column[lifted(rows[r], DEEP_SHIFT(words[c]))];                           \
                }                                                                                                        \
            }                                                                                                            \
            UNROLL for (u32 c = 0; c < DEEP_COLUMNS; c++) {                                                              \
                UNROLL for (u32 t = 0; t < TERMS; t++) {                                                                 \
                    if (((DEEP_MASK(words[c]) >> t) & 1) != 0) {                                                         \
                        Ext weight = ext_at(at);                                                                         \
                        at += DEGREE;                                                                                    \
                        UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {                                                     \
                            u32 n = r * TERMS + t;                                                                       \
                            sums[n] = ext_sum_mac(sums[n], weight, values[c * DEEP_ROWS + r]);                           \
                        }                                                                                                \
                    }                                                                                                    \
                }                                                                                                        \
            }                                                                                                            \
            UNROLL for (u32 t = 0; t < TERMS; t++) {                                                                     \
                if (((masks >> t) & 1) != 0) {                                                                           \
                    UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {                                                         \
                        sums[r * TERMS + t] = ext_sum_fold(sums[r * TERMS + t]);                                         \
                    }                                                                                                    \
                }                                                                                                        \
            }                                                                                                            \
        }                                                                                                                \
    }

// The sums at the height of tables that are lower than the domain, term after term.
KERNEL(deep_sums, DEEP_BUFFERS OUT(DEEP_SLOTS, u32, result), DeepParams) {
    u64 number = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (number >= p.threads) {
        return;
    }
    u64 rows[DEEP_ROWS];
    ExtSum sums[DEEP_ROWS * TERMS];
    DEEP_SUM(number, rows, sums);
    UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {
        UNROLL for (u32 t = 0; t < TERMS; t++) {
            ext_store(result + t * DEGREE * p.count, rows[r], p.count, ext_sum_reduce(sums[r * TERMS + t]));
        }
    }
}

// sum over terms of (sum of weight * column(q) - constant - slope * q.y) / denominator(q). One inversion serves all
// denominators of a thread; the inverse of zero is zero.
KERNEL(deep, DEEP_BUFFERS IN(DEEP_SLOTS, u32, terms) IN(DEEP_SLOTS + 1, u32, table) INOUT(DEEP_SLOTS + 2, u32, result), DeepParams) {
    u64 number = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (number >= p.threads) {
        return;
    }
    u64 rows[DEEP_ROWS];
    ExtSum sums[DEEP_ROWS * TERMS];
    DEEP_SUM(number, rows, sums);
    // prefix: the product of the denominators before this one, a zero replaced by one.
    Ext numerators[DEEP_ROWS * TERMS];
    Complex prefix[DEEP_ROWS * TERMS];
    Complex denominators[DEEP_ROWS * TERMS];
    Complex product = complex_new(1, 0);
    UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {
        CirclePoint q = circle_point_at(table, p.log_domain, p.first + (u32)rows[r]);
        UNROLL for (u32 t = 0; t < TERMS; t++) {
            u32 n = r * TERMS + t;
            GLOBAL const u32* term = terms + t * DEEP_TERM;
            Ext known = ext_add(ext_at(term + 2 * DEGREE), ext_mul_base(ext_at(term + 3 * DEGREE), q.y));
            numerators[n] = ext_sub(ext_sum_reduce(sums[n]), known);
            prefix[n] = product;
            denominators[n] = deep_denominator(term, q);
            if (!complex_is_zero(denominators[n])) {
                product = complex_mul(product, denominators[n]);
            }
        }
    }
    product = complex_inverse(product);
    UNROLL for (u32 i = 0; i < DEEP_ROWS; i++) {
        u32 r = DEEP_ROWS - 1 - i;
        u64 row = number + r * p.threads;
        Ext sum = ext_from_base(0);
        UNROLL for (u32 j = 0; j < TERMS; j++) {
            u32 n = r * TERMS + TERMS - 1 - j;
            if (!complex_is_zero(denominators[n])) {
                sum = ext_add(sum, ext_mul_complex(numerators[n], complex_mul(product, prefix[n])));
                product = complex_mul(product, denominators[n]);
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
