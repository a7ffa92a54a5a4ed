// Passes of a forward transform. After ntt.h. Slots: source, target (the same memory for a pass in place), roots.
// Grid: x = 2^(log_stride - log_s + depth - log_b), y = groups of 2^log_c columns; 256 threads.

#if NTT_STEP_B > 0
// The first passes: S >= 2^log_s >= 16, neighbouring threads on neighbouring s.
KERNEL_BOUNDED(ntt_forward, NTT_THREADS, NTT_RESIDENT, INOUT(0, u64, source) INOUT(1, u64, target) IN(2, u64, roots), NttParams) {
    SHARED(u64, tile, NTT_TILE);
    NTT_FACTOR_MEMORY
    u64 x[NTT_PER_THREAD];
    Wide v[NTT_PER_THREAD];
    u32 lane = THREAD & (NTT_LANES - 1);
    NttLane at = NTT_LANE(lane);
    bool valid = at.column < p.columns;
    // A lane too many loads column 0 and stores nothing.
    u64 offset = at.s + ((u64)(at.b * p.source_blocks) << (p.log_stride + NTT_LEVELS)) +
                 ((u64)(valid ? at.column : 0) << p.log_source);
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_A; u++) {
        GLOBAL const u64* from = source + offset + ((u64)NTT_STRIDED_J(u * NTT_RA) << p.log_stride);
        UNROLL
        for (u32 e = 0; e < NTT_RA; e++) {
            x[u * NTT_RA + e] = *from;
            from += (u64)NTT_RB << p.log_stride;
        }
    }
    if ((p.flags & NTT_TWIST) != 0) {
        NTT_FACTORS(false)
        BARRIER();
        NTT_APPLY(at.b_local, NTT_STRIDED_J(e) + NTT_FORWARD_I(e))
        if (!NTT_FACTORS_APART) {
            BARRIER();
        }
    }
    UNROLL
    for (u32 e = 0; e < NTT_PER_THREAD; e++) {
        v[e] = wide(x[e], 0);
    }
    GLOBAL const u64* inner = roots + NTT_ROOTS_TILE + NTT_R;
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_A; u++) {
        u32 j = (THREAD + NTT_THREADS * u) / NTT_LANES;
        ntt_dft<NTT_STEP_A>(v + u * NTT_RA);
        UNROLL
        for (u32 e = 0; e < NTT_RA; e++) {
            u64 y = ntt_narrow(v[u * NTT_RA + e]);
            u32 row = e * NTT_RB + j;
            if (e != 0) {
                y = gl_mul_lazy(y, inner[row]);
            }
            tile[row * NTT_LANES + lane] = y;
        }
    }
    BARRIER();
    offset = at.s + ((u64)at.b << (p.log_stride + NTT_LEVELS)) + ((u64)at.column << p.log_target);
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_B; u++) {
        u32 row = (THREAD + NTT_THREADS * u) / NTT_LANES * NTT_RB;
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            v[e] = wide(tile[(row + e) * NTT_LANES + lane], 0);
        }
        ntt_dft<NTT_STEP_B>(v);
        if (valid) {
            GLOBAL u64* to = target + offset + ((u64)row << p.log_stride);
            UNROLL
            for (u32 e = 0; e < NTT_RB; e++) {
                *to = ntt_narrow(v[e]);
                to += (u64)1 << p.log_stride;
            }
        }
    }
}
#endif

// The last pass, S = 1 (log_s = 0): neighbouring threads on neighbouring elements of a lane.
KERNEL_BOUNDED(ntt_forward_last, NTT_THREADS, NTT_RESIDENT_LAST, INOUT(0, u64, source) INOUT(1, u64, target) IN(2, u64, roots),
               NttParams) {
    SHARED(u64, tile, NTT_TILE);
    NTT_FACTOR_MEMORY
    u64 x[NTT_PER_THREAD];
    Wide v[NTT_PER_THREAD];
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_A; u++) {
        u32 pair = THREAD + NTT_THREADS * u;
        u32 j = pair & (NTT_RB - 1);
        NttLane at = NTT_LANE(pair >> NTT_STEP_B);
        // A lane too many loads column 0 and stores nothing.
        u32 column = at.column < p.columns ? at.column : 0;
        GLOBAL const u64* from = source + (((u64)(at.b * p.source_blocks) << NTT_LEVELS) + ((u64)column << p.log_source) + j);
        UNROLL
        for (u32 e = 0; e < NTT_RA; e++) {
            x[u * NTT_RA + e] = from[e << NTT_STEP_B];
        }
    }
    if ((p.flags & NTT_TWIST) != 0) {
        NTT_FACTORS(false)
        BARRIER();
        NTT_APPLY(NTT_LAST_B(e), NTT_LAST_J(e) + NTT_FORWARD_I(e))
        if (!NTT_FACTORS_APART) {
            BARRIER();
        }
    }
    UNROLL
    for (u32 e = 0; e < NTT_PER_THREAD; e++) {
        v[e] = wide(x[e], 0);
    }
#if NTT_STEP_B > 0
    GLOBAL const u64* inner = roots + NTT_ROOTS_TILE + NTT_R;
#endif
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_A; u++) {
        u32 pair = THREAD + NTT_THREADS * u;
        u32 j = pair & (NTT_RB - 1);
        ntt_dft<NTT_STEP_A>(v + u * NTT_RA);
        UNROLL
        for (u32 e = 0; e < NTT_RA; e++) {
            u64 y = ntt_narrow(v[u * NTT_RA + e]);
#if NTT_STEP_B > 0
            if (e != 0) {
                y = gl_mul_lazy(y, inner[e * NTT_RB + j]);
            }
#endif
            tile[NTT_SQUARE(pair >> NTT_STEP_B, e, j)] = y;
        }
    }
#if NTT_STEP_B > 0
    NTT_EXCHANGE();
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_B; u++) {
        u32 pair = THREAD + NTT_THREADS * u;
        u32 row = pair & (NTT_RA - 1);
        u32 lane = pair >> NTT_STEP_A;
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            v[u * NTT_RB + e] = wide(tile[NTT_SQUARE(lane, row, e)], 0);
        }
        ntt_dft<NTT_STEP_B>(v + u * NTT_RB);
        // The row is this thread's alone, so it goes back where it was.
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            tile[NTT_SQUARE(lane, row, e)] = ntt_narrow(v[u * NTT_RB + e]);
        }
    }
#endif
    BARRIER();
    GLOBAL u64* to = target + (((u64)NTT_FIRST_B << NTT_LEVELS) + ((u64)NTT_FIRST_COLUMN << p.log_target));
    NTT_EACH(p.log_target, {
        u32 position = number & (NTT_R - 1);
        u64 y = tile[NTT_SQUARE(number >> NTT_LEVELS, position >> NTT_STEP_B, position & (NTT_RB - 1))];
        if (there) {
            to[offset] = (p.flags & NTT_CANONICAL) != 0 ? gl_canonical(y) : y;
        }
    })
}
