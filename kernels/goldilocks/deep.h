// The DEEP quotient, for up to POLES different points a launch.
//
// With z a point, (x - z) adjugate_z(x) = norm_z(x), both polynomials in x: norm_z of degree DEGREE over the base
// field, monic, and adjugate_z of degree DEGREE - 1. So only elements of the base field are inverted, and with every
// term's constant and the factor of its sum multiplied into the adjugate by the host, the quotient is     sum over z of
// constant_z(x)/norm_z(x)  +  sum over groups of (sum of weight * column(x)) (sum over z of factor_z(x)/norm_z(x)), a
// group being the terms whose weights differ by one factor, such as those of the rows of a trace's frame.

struct DeepParams {
    u64 shift;
    u64 count;
    // Threads of the launch: a thread takes DEEP_ROWS rows at this distance.
    u64 threads;
    u32 sets;
    // Added to what the result holds, instead of written.
    u32 accumulate;
};

// Rows of a thread, whose norms one inversion serves.
#define DEEP_ROWS 4
#define DEEP_THREADS 128
// Blocks that should be resident on a multiprocessor: bounds the registers. With one more there would be spills.
#define DEEP_RESIDENT 3
// Columns whose elements are loaded together.
#define DEEP_COLUMNS 8
// Words of a pole: the lower coefficients of the norm, constant_z; of a polynomial with DEGREE coefficients in the
// extension.
#define DEEP_POLE (DEGREE + DEEP_POLYNOMIAL)
#define DEEP_POLYNOMIAL (DEGREE * DEGREE)

// Row r of a thread. The last thread's later rows may not be there: it reads the first one's again.
#define DEEP_ROW(r) (number + (r) * p.threads < p.count ? number + (r) * p.threads : number)

// sum + polynomial(x) inverse for a polynomial of coefficients in the extension, lowest first.
FN ExtSum deep_add(ExtSum sum, GLOBAL const u64* polynomial, u64 x, u64 inverse) {
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        sum = ext_sum_mac(sum, ext_at(polynomial + k * DEGREE), inverse);
        if (k + 1 < DEGREE) {
            inverse = gl_mul_lazy(inverse, x);
        }
    }
    return sum;
}

// Weighted sums of a set's columns at `row`, for so many groups; moves `at` past them.
#define DEEP_DOTS(groups)                                               \
    {                                                                   \
        ExtDot dots[groups];                                            \
        UNROLL for (u32 g = 0; g < groups; g++) {                       \
            dots[g] = ext_dot_zero();                                   \
        }                                                               \
        UNROLL_BY(1) for (u32 n = 0; n < runs; n++) {                   \
            GLOBAL const u64* column = &COLUMN_AT(at[0], row);          \
            u32 columns = (u32)at[1];                                   \
            at += 2;                                                    \
            UNROLL_BY(DEEP_COLUMNS) for (u32 c = 0; c < columns; c++) { \
                u64 value = *column;                                    \
                UNROLL for (u32 g = 0; g < groups; g++) {               \
                    dots[g] = ext_dot_mac(dots[g], ext_at(at), value);  \
                    at += DEGREE;                                       \
                }                                                       \
                column += p.count;                                      \
            }                                                           \
        }                                                               \
        UNROLL for (u32 g = 0; g < groups; g++) {                       \
            values[g] = ext_dot_reduce_lazy(dots[g]);                   \
        }                                                               \
    }

// `poles` has DEEP_POLE words for each. `sets` has one or two groups of the same columns for each set: how many groups
// | how many runs of columns one after the other << 32; for every run its first column and how many there are, and for
// each of these its weight in every group; for every group a word whose bit z says that pole z has a factor, and those
// factors. One inversion serves all norms of a thread; the inverse of zero is zero.
KERNEL_BOUNDED(deep, DEEP_THREADS, DEEP_RESIDENT,
               TABLES(0) IN(4, u64, poles) IN(5, u64, sets) IN(6, u64, twiddles) INOUT(7, u64, result), DeepParams) {
    // Values of this thread's rows alone: registers are dearer.
    SHARED(u64, inverses, DEEP_ROWS * POLES * DEEP_THREADS);
    SHARED(u64, points, DEEP_ROWS * DEEP_THREADS);
    u64 number = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (number >= p.threads) {
        return;
    }
    {
        u64 norm[DEEP_ROWS * POLES];
        u64 prefix[DEEP_ROWS * POLES];
        u64 product = 1;
        UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {
            u64 x = gl_mul(point_at(twiddles, DEEP_ROW(r)), p.shift);
            points[r * DEEP_THREADS + THREAD] = x;
            UNROLL for (u32 z = 0; z < POLES; z++) {
                u64 value = x;
                UNROLL for (u32 k = DEGREE; k > 0; k--) {
                    value = gl_add(k < DEGREE ? gl_mul_lazy(value, x) : value, poles[z * DEEP_POLE + k - 1]);
                }
                value = gl_canonical(value);
                norm[r * POLES + z] = value;
                // The product of the norms before this one, a zero replaced by one.
                prefix[r * POLES + z] = product;
                product = gl_mul_lazy(product, value != 0 ? value : 1);
            }
        }
        product = gl_inverse(product);
        UNROLL for (u32 n = DEEP_ROWS * POLES; n > 0; n--) {
            u64 value = norm[n - 1];
            inverses[(n - 1) * DEEP_THREADS + THREAD] = value != 0 ? gl_mul_lazy(product, prefix[n - 1]) : 0;
            product = gl_mul_lazy(product, value != 0 ? value : 1);
        }
    }
    UNROLL_BY(1) for (u32 r = 0; r < DEEP_ROWS; r++) {
        u64 row = number + r * p.threads;
        if (row >= p.count) {
            break;
        }
        u64 x = points[r * DEEP_THREADS + THREAD];
        ExtSum total = ext_sum_zero();
        UNROLL_BY(1) for (u32 z = 0; z < POLES; z++) {
            u64 inverse = inverses[(r * POLES + z) * DEEP_THREADS + THREAD];
            total = deep_add(total, poles + z * DEEP_POLE + DEGREE, x, inverse);
        }
        GLOBAL const u64* at = sets;
        UNROLL_BY(1) for (u32 s = 0; s < p.sets; s++) {
            u32 groups = (u32)at[0];
            u32 runs = (u32)(at[0] >> 32);
            at++;
            Ext values[2];
            if (groups == 1) {
                DEEP_DOTS(1)
                values[1] = values[0];
            } else {
                DEEP_DOTS(2)
            }
            UNROLL_BY(1) for (u32 g = 0; g < groups; g++) {
                u64 mask = at[0];
                at++;
                ExtSum factor = ext_sum_zero();
                UNROLL_BY(1) for (u32 z = 0; z < POLES; z++) {
                    if (((mask >> z) & 1) != 0) {
                        factor = deep_add(factor, at, x, inverses[(r * POLES + z) * DEEP_THREADS + THREAD]);
                        at += DEEP_POLYNOMIAL;
                    }
                }
                // The second group's value comes second.
                total = ext_sum_mac_ext(total, ext_sum_reduce(factor), values[0]);
                values[0] = values[1];
            }
        }
        Ext quotient = ext_sum_reduce(total);
        if (p.accumulate != 0) {
            quotient = ext_add(quotient, ext_load(result, row, p.count));
        }
        ext_store(result, row, p.count, quotient);
    }
}
