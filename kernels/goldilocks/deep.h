// The DEEP quotient, for up to POLES different points a launch.
//
// With z a point, (x - z) adjugate_z(x) = norm_z(x), both polynomials in x: norm_z of degree DEGREE over the base field, monic, and
// adjugate_z of degree DEGREE - 1. So only elements of the base field are inverted, and with every term's constant and the factor of
// its sum multiplied into the adjugate by the host, the quotient is
//     sum over z of constant_z(x)/norm_z(x)  +  sum over groups of (sum of weight * column(x)) (sum over z of factor_z(x)/norm_z(x)),
// a group being the terms whose weights differ by one factor, such as those of the rows of a trace's frame.

struct DeepParams {
    u64 shift;
    u64 count;
    // Threads of the launch: a thread takes DEEP_ROWS rows at this distance.
    u64 threads;
    u32 groups;
    // Added to what the result holds, instead of written.
    u32 accumulate;
};

#define DEEP_ROWS 4
// Rows whose sums are in registers at once.
#define DEEP_TOGETHER 2
#define DEEP_THREADS 128
// Blocks that should be resident on a multiprocessor: bounds the registers. With one more there would be spills.
#if POLES == 4 && COMPUTE_CAPABILITY > 0 && COMPUTE_CAPABILITY < 900
#define DEEP_RESIDENT 2
#elif POLES > 2 || (POLES == 2 && COMPUTE_CAPABILITY > 0 && COMPUTE_CAPABILITY != 900)
#define DEEP_RESIDENT 3
#else
#define DEEP_RESIDENT 4
#endif
// Words of a pole: the lower coefficients of the norm, constant_z; of a polynomial with DEGREE coefficients in the extension.
#define DEEP_POLE (DEGREE + DEEP_POLYNOMIAL)
#define DEEP_POLYNOMIAL (DEGREE * DEGREE)

// Row r of a thread. The last thread's later rows may not be there: it reads the first one's again.
#define DEEP_ROW(r) (number + (r) * p.threads < p.count ? number + (r) * p.threads : number)
#define DEEP_ZERO(sums)                                 \
    UNROLL for (u32 r = 0; r < DEEP_TOGETHER; r++) {    \
        sums[r] = ext_sum_zero();                       \
    }
// Adds the polynomial, of coefficients in the extension, lowest first, over the norm of pole z.
#define DEEP_ADD(sums, polynomial, z)                                           \
    UNROLL for (u32 r = 0; r < DEEP_TOGETHER; r++) {                            \
        u64 power = inverse[(first + r) * POLES + (z)];                         \
        UNROLL for (u32 k = 0; k < DEGREE; k++) {                               \
            sums[r] = ext_sum_mac(sums[r], ext_at((polynomial) + k * DEGREE), power); \
            if (k + 1 < DEGREE) {                                               \
                power = gl_mul_lazy(power, x[first + r]);                       \
            }                                                                   \
        }                                                                       \
    }

// `poles` has DEEP_POLE words for each. `groups` has for each group how many columns it has; a word whose bit z says that pole z has
// a factor; those factors; for every column the column and its weight. One inversion serves all norms of a thread; the inverse of
// zero is zero.
KERNEL_BOUNDED(deep, DEEP_THREADS, DEEP_RESIDENT,
               TABLES(0) IN(4, u64, poles) IN(5, u64, groups) IN(6, u64, twiddles) INOUT(7, u64, result), DeepParams) {
    u64 number = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (number >= p.threads) {
        return;
    }
    u64 x[DEEP_ROWS];
    u64 inverse[DEEP_ROWS * POLES];
    u64 prefix[DEEP_ROWS * POLES];
    u64 product = 1;
    UNROLL for (u32 r = 0; r < DEEP_ROWS; r++) {
        x[r] = gl_mul(point_at(twiddles, DEEP_ROW(r)), p.shift);
        UNROLL for (u32 z = 0; z < POLES; z++) {
            u64 norm = x[r];
            UNROLL for (u32 k = DEGREE; k > 0; k--) {
                norm = gl_add(k < DEGREE ? gl_mul(norm, x[r]) : norm, poles[z * DEEP_POLE + k - 1]);
            }
            inverse[r * POLES + z] = norm;
            // The product of the norms before this one, a zero replaced by one.
            prefix[r * POLES + z] = product;
            product = gl_mul(product, norm != 0 ? norm : 1);
        }
    }
    product = gl_inverse(product);
    UNROLL for (u32 n = DEEP_ROWS * POLES; n > 0; n--) {
        u64 norm = inverse[n - 1];
        inverse[n - 1] = norm != 0 ? gl_mul_lazy(product, prefix[n - 1]) : 0;
        product = gl_mul_lazy(product, norm != 0 ? norm : 1);
    }
    UNROLL for (u32 first = 0; first < DEEP_ROWS; first += DEEP_TOGETHER) {
        ExtSum sums[DEEP_TOGETHER];
        Ext total[DEEP_TOGETHER];
        DEEP_ZERO(sums)
        UNROLL for (u32 z = 0; z < POLES; z++) {
            DEEP_ADD(sums, poles + z * DEEP_POLE + DEGREE, z)
        }
        UNROLL for (u32 r = 0; r < DEEP_TOGETHER; r++) {
            total[r] = ext_sum_reduce(sums[r]);
        }
        GLOBAL const u64* at = groups;
        for (u32 g = 0; g < p.groups; g++) {
            u64 columns = at[0];
            u64 mask = at[1];
            at += 2;
            DEEP_ZERO(sums)
            UNROLL for (u32 z = 0; z < POLES; z++) {
                if (((mask >> z) & 1) != 0) {
                    DEEP_ADD(sums, at, z)
                    at += DEEP_POLYNOMIAL;
                }
            }
            Ext factor[DEEP_TOGETHER];
            UNROLL for (u32 r = 0; r < DEEP_TOGETHER; r++) {
                factor[r] = ext_sum_reduce(sums[r]);
            }
            DEEP_ZERO(sums)
            UNROLL_BY(4) for (u32 c = 0; c < (u32)columns; c++) {
                u64 column = at[0];
                Ext weight = ext_at(at + 1);
                at += 1 + DEGREE;
                UNROLL for (u32 r = 0; r < DEEP_TOGETHER; r++) {
                    sums[r] = ext_sum_mac(sums[r], weight, COLUMN_AT(column, DEEP_ROW(first + r)));
                }
            }
            UNROLL for (u32 r = 0; r < DEEP_TOGETHER; r++) {
                total[r] = ext_add(total[r], ext_mul(factor[r], ext_sum_reduce(sums[r])));
            }
        }
        UNROLL for (u32 r = 0; r < DEEP_TOGETHER; r++) {
            u64 row = number + (first + r) * p.threads;
            if (row < p.count) {
                if (p.accumulate != 0) {
                    total[r] = ext_add(total[r], ext_load(result, row, p.count));
                }
                ext_store(result, row, p.count, total[r]);
            }
        }
    }
}
