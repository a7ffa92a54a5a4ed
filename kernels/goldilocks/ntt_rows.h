// Passes of an inverse transform from row order to coefficients in natural order, from one memory to another. After
// ntt_inverse.h.
//
// Columns of 2^n rows, L = 2^depth the product of the R of the passes before (depth 0: the first), M = 2^n / L. A pass
// takes the elements c + (2^n / R) i (i < R) for each c = q + L m (q < L, m < M / R) and stores, for each k < R, at q +
// L (R m + k)
//     g_M^(-m k) sum over i of x[c + (2^n / R) i] w_R^(-i k),   g_M the root of order M.
// After all passes: 2^n times the coefficients. With NTT_SCALE the last pass multiplies by coset_low[0]. log_stride is
// n - NTT_LEVELS, a lane's s is c; log_b is 0. Slots: source, target, roots. Grid: x = 2^(log_stride - log_s), y =
// groups of 2^log_c columns; 256 threads.

// Shares the bit of NTT_TWIST, which has no meaning here.
#define NTT_SCALE 1

// g^e for the factor of output k of number m.
#define NTT_ROW_FACTOR(m, k) ntt_root(roots, 0u - (((u32)(m) * (u32)(k)) << (32 - p.log_size + p.depth)))

#if NTT_STEP_B > 0
#define NTT_ROWS_LOAD_AND_FIRST_STEP                                                                     \
    u32 lane = THREAD & (NTT_LANES - 1);                                                                 \
    NttLane at = NTT_LANE(lane);                                                                         \
    bool valid = at.column < p.columns;                                                                  \
    /* A lane too many loads column 0 and stores nothing. */                                            \
    u64 offset = at.s + ((u64)(valid ? at.column : 0) << p.log_source);                                 \
    UNROLL                                                                                              \
    for (u32 u = 0; u < NTT_REPEAT_A; u++) {                                                            \
        GLOBAL const u64* from = source + offset + ((u64)NTT_STRIDED_J(u * NTT_RA) << p.log_stride);    \
        UNROLL                                                                                          \
        for (u32 e = 0; e < NTT_RA; e++) {                                                              \
            v[u * NTT_RA + e] = wide(*from, 0);                                                        \
            from += (u64)NTT_RB << p.log_stride;                                                        \
        }                                                                                               \
    }                                                                                                   \
    GLOBAL const u64* inner = roots + NTT_ROOTS_TILE + NTT_ROOTS_INVERSE + NTT_R;                        \
    UNROLL                                                                                               \
    for (u32 u = 0; u < NTT_REPEAT_A; u++) {                                                             \
        u32 j = (THREAD + NTT_THREADS * u) / NTT_LANES;                                                  \
        ntt_dft<NTT_STEP_A>(v + u * NTT_RA);                                                             \
        UNROLL                                                                                           \
        for (u32 e = 0; e < NTT_RA; e++) {                                                               \
            /* Row P holds output rev(P). */                                                             \
            u32 row = ntt_reverse(NTT_NEGATED(e, NTT_STEP_A), NTT_STEP_A) * NTT_RB + j;                  \
            u64 y = ntt_narrow(v[u * NTT_RA + e]);                                                       \
            if (e != 0) {                                                                                \
                y = gl_mul_lazy(y, inner[row]);                                                          \
            }                                                                                            \
            tile[row * NTT_LANES + lane] = y;                                                            \
        }                                                                                                \
    }                                                                                                    \
    BARRIER();

// Not the first pass: L >= 2^log_s >= 16.
KERNEL_BOUNDED(ntt_rows, NTT_THREADS, NTT_RESIDENT, INOUT(0, u64, source) INOUT(1, u64, target) IN(2, u64, roots), NttParams) {
    SHARED(u64, tile, NTT_TILE);
    Wide v[NTT_PER_THREAD];
    NTT_ROWS_LOAD_AND_FIRST_STEP
    u32 m = at.s >> p.depth;
    u64 start = (at.s & ((1u << p.depth) - 1)) + ((u64)m << (p.depth + NTT_LEVELS)) + ((u64)at.column << p.log_target);
    bool last = p.depth + NTT_LEVELS == p.log_size;
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_B; u++) {
        u32 row = (THREAD + NTT_THREADS * u) / NTT_LANES;
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            v[e] = wide(tile[(row * NTT_RB + e) * NTT_LANES + lane], 0);
        }
        ntt_dft<NTT_STEP_B>(v);
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            u32 k = ntt_reverse(row, NTT_STEP_A) + (NTT_NEGATED(e, NTT_STEP_B) << NTT_STEP_A);
            u64 y = ntt_narrow(v[e]);
            if (!last) {
                y = gl_mul_lazy(y, NTT_ROW_FACTOR(m, k));
            } else if ((p.flags & NTT_SCALE) != 0) {
                y = gl_mul_lazy(y, p.coset_low[0]);
            }
            if (valid) {
                target[start + ((u64)k << p.depth)] = (p.flags & NTT_CANONICAL) != 0 ? gl_canonical(y) : y;
            }
        }
    }
}

// The first pass of several (depth 0).
KERNEL_BOUNDED(ntt_rows_first, NTT_THREADS, NTT_RESIDENT_ROWS, INOUT(0, u64, source) INOUT(1, u64, target)
               IN(2, u64, roots), NttParams) {
    SHARED(u64, tile, NTT_TILE);
    Wide v[NTT_PER_THREAD];
    NTT_ROWS_LOAD_AND_FIRST_STEP
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_B; u++) {
        u32 row = (THREAD + NTT_THREADS * u) / NTT_LANES;
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            v[u * NTT_RB + e] = wide(tile[(row * NTT_RB + e) * NTT_LANES + lane], 0);
        }
        ntt_dft<NTT_STEP_B>(v + u * NTT_RB);
    }
    BARRIER();
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_B; u++) {
        u32 row = (THREAD + NTT_THREADS * u) / NTT_LANES;
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            u32 k = ntt_reverse(row, NTT_STEP_A) + (NTT_NEGATED(e, NTT_STEP_B) << NTT_STEP_A);
            tile[lane * NTT_R + (k ^ (lane & 15))] = gl_mul_lazy(ntt_narrow(v[u * NTT_RB + e]), NTT_ROW_FACTOR(at.s, k));
        }
    }
    BARRIER();
    UNROLL
    for (u32 e = 0; e < NTT_PER_THREAD; e++) {
        u32 number = THREAD + NTT_THREADS * e;
        u32 k = number & (NTT_R - 1);
        u32 from = number >> NTT_LEVELS;
        NttLane to = NTT_LANE(from);
        if (to.column < p.columns) {
            target[((u64)to.s << NTT_LEVELS) + ((u64)to.column << p.log_target) + k] = tile[from * NTT_R + (k ^ (from & 15))];
        }
    }
}
#endif
