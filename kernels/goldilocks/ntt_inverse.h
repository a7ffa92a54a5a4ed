// Passes of an inverse transform: those of ntt_forward.h backwards, with inverse factors. Depth, stride and factors are
// named as there: a pass at depth d joins the R blocks b R + rev(k) to block b,
//     x[s + S i] = t_b^-i sum over k of y[s + S rev(k)] w_R^(-i k)   (R times the inverse; the last pass may scale).
// A forward register transform serves, its output k read as -k. Slots, grid and threads as in ntt_forward.h.

#if NTT_STEP_B > 0
// The later passes: S >= 2^log_s >= 16.
KERNEL_BOUNDED(ntt_inverse, NTT_THREADS, NTT_RESIDENT, INOUT(0, u64, source) INOUT(1, u64, target) IN(2, u64, roots), NttParams) {
    SHARED(u64, tile, NTT_TILE);
    NTT_FACTOR_MEMORY
    u64 x[NTT_PER_THREAD];
    Wide v[NTT_PER_THREAD];
    u32 lane = THREAD & (NTT_LANES - 1);
    NttLane at = NTT_LANE(lane);
    bool valid = at.column < p.columns;
    // A lane too many loads column 0 and stores nothing.
    u64 offset = at.s + ((u64)at.b << (p.log_stride + NTT_LEVELS)) + ((u64)(valid ? at.column : 0) << p.log_source);
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_B; u++) {
        GLOBAL const u64* from = source + offset + ((u64)((THREAD + NTT_THREADS * u) / NTT_LANES * NTT_RB) << p.log_stride);
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            x[u * NTT_RB + e] = *from;
            from += (u64)1 << p.log_stride;
        }
    }
    if ((p.flags & NTT_TWIST) != 0 && NTT_FACTORS_APART) {
        NTT_FACTORS(true)
    }
    GLOBAL const u64* inner = roots + NTT_ROOTS_TILE + NTT_ROOTS_INVERSE + NTT_R;
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_B; u++) {
        u32 row = (THREAD + NTT_THREADS * u) / NTT_LANES * NTT_RB;
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            v[ntt_reverse(e, NTT_STEP_B)] = wide(x[u * NTT_RB + e], 0);
        }
        ntt_dft<NTT_STEP_B>(v);
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            u32 j = NTT_NEGATED(e, NTT_STEP_B);
            u64 y = ntt_narrow(v[e]);
            if (j != 0) {
                y = gl_mul_lazy(y, inner[row + j]);
            }
            tile[(row + j) * NTT_LANES + lane] = y;
        }
    }
    BARRIER();
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_A; u++) {
        u32 j = (THREAD + NTT_THREADS * u) / NTT_LANES;
        UNROLL
        for (u32 e = 0; e < NTT_RA; e++) {
            v[u * NTT_RA + ntt_reverse(e, NTT_STEP_A)] = wide(tile[(e * NTT_RB + j) * NTT_LANES + lane], 0);
        }
        ntt_dft<NTT_STEP_A>(v + u * NTT_RA);
    }
    UNROLL
    for (u32 e = 0; e < NTT_PER_THREAD; e++) {
        x[e] = ntt_narrow(v[e]);
    }
    if ((p.flags & NTT_TWIST) != 0) {
        if (!NTT_FACTORS_APART) {
            // Word n was read by thread n mod NTT_THREADS alone, which also writes it here: no barrier before.
            NTT_FACTORS(true)
            BARRIER();
        }
        NTT_APPLY(at.b_local, NTT_STRIDED_J(e) + NTT_INVERSE_I(e))
    }
    if (valid) {
        offset = at.s + ((u64)at.b << (p.log_stride + NTT_LEVELS)) + ((u64)at.column << p.log_target);
        UNROLL
        for (u32 u = 0; u < NTT_REPEAT_A; u++) {
            GLOBAL u64* to = target + offset + ((u64)NTT_STRIDED_J(u * NTT_RA) << p.log_stride);
            UNROLL
            for (u32 k = 0; k < NTT_RA; k++) {
                // Output k, where the register transform left output -k.
                u64 y = x[u * NTT_RA + ntt_reverse((NTT_RA - k) & (NTT_RA - 1), NTT_STEP_A)];
                *to = (p.flags & NTT_CANONICAL) != 0 ? gl_canonical(y) : y;
                to += (u64)NTT_RB << p.log_stride;
            }
        }
    }
}
#endif

// The first pass, S = 1 (log_s = 0). If it is the only one (n = NTT_LEVELS), NTT_ROW_ORDER: the source is in row order.
KERNEL_BOUNDED(ntt_inverse_first, NTT_THREADS, NTT_RESIDENT_LAST, INOUT(0, u64, source) INOUT(1, u64, target) IN(2, u64, roots),
               NttParams) {
    SHARED(u64, tile, NTT_TILE);
    NTT_FACTOR_MEMORY
    u64 x[NTT_PER_THREAD];
    Wide v[NTT_PER_THREAD];
    GLOBAL const u64* from = source + (((u64)NTT_FIRST_B << NTT_LEVELS) + ((u64)NTT_FIRST_COLUMN << p.log_source));
    NTT_EACH(p.log_source, { x[e] = there ? from[offset] : 0; })
    if ((p.flags & NTT_TWIST) != 0 && NTT_FACTORS_APART) {
        NTT_FACTORS(true)
    }
    UNROLL
    for (u32 e = 0; e < NTT_PER_THREAD; e++) {
        u32 number = THREAD + NTT_THREADS * e;
        u32 position = number & (NTT_R - 1);
#if NTT_LEVELS > 0
        if ((p.flags & NTT_ROW_ORDER) != 0) {
            position = REVERSE_BITS(position) >> (32 - NTT_LEVELS);
        }
#endif
        tile[NTT_SQUARE(number >> NTT_LEVELS, position >> NTT_STEP_B, position & (NTT_RB - 1))] = x[e];
    }
    BARRIER();
#if NTT_STEP_B > 0
    GLOBAL const u64* inner = roots + NTT_ROOTS_TILE + NTT_ROOTS_INVERSE + NTT_R;
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_B; u++) {
        u32 pair = THREAD + NTT_THREADS * u;
        u32 row = pair & (NTT_RA - 1);
        u32 lane = pair >> NTT_STEP_A;
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            v[ntt_reverse(e, NTT_STEP_B)] = wide(tile[NTT_SQUARE(lane, row, e)], 0);
        }
        ntt_dft<NTT_STEP_B>(v);
        // The row is this thread's alone, so it goes back where it was.
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            tile[NTT_SQUARE(lane, row, NTT_NEGATED(e, NTT_STEP_B))] = ntt_narrow(v[e]);
        }
    }
    NTT_EXCHANGE();
#endif
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_A; u++) {
        u32 pair = THREAD + NTT_THREADS * u;
        u32 j = pair & (NTT_RB - 1);
        UNROLL
        for (u32 e = 0; e < NTT_RA; e++) {
            u64 y = tile[NTT_SQUARE(pair >> NTT_STEP_B, e, j)];
#if NTT_STEP_B > 0
            // The factor of the exchange comes here: neighbouring threads have neighbouring j.
            if (e != 0) {
                y = gl_mul_lazy(y, inner[e * NTT_RB + j]);
            }
#endif
            v[u * NTT_RA + ntt_reverse(e, NTT_STEP_A)] = wide(y, 0);
        }
        ntt_dft<NTT_STEP_A>(v + u * NTT_RA);
    }
    UNROLL
    for (u32 e = 0; e < NTT_PER_THREAD; e++) {
        x[e] = ntt_narrow(v[e]);
    }
    if ((p.flags & NTT_TWIST) != 0) {
        if (!NTT_FACTORS_APART) {
            BARRIER();
            NTT_FACTORS(true)
            BARRIER();
        }
        NTT_APPLY(NTT_LAST_B(e), NTT_LAST_J(e) + NTT_INVERSE_I(e))
    }
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_A; u++) {
        u32 pair = THREAD + NTT_THREADS * u;
        u32 j = pair & (NTT_RB - 1);
        NttLane at = NTT_LANE(pair >> NTT_STEP_B);
        u64 offset = ((u64)at.b << NTT_LEVELS) + ((u64)at.column << p.log_target);
        UNROLL
        for (u32 e = 0; e < NTT_RA; e++) {
            u32 i = j + (NTT_NEGATED(e, NTT_STEP_A) << NTT_STEP_B);
            u64 y = x[u * NTT_RA + e];
            if (at.column < p.columns) {
                target[offset + i] = (p.flags & NTT_CANONICAL) != 0 ? gl_canonical(y) : y;
            }
        }
    }
}
