// Passes of a forward transform. After ntt.h. Slots: source, target (the same memory for a pass in place), roots.
// Grid: x = 2^(log_stride - log_s + depth - log_b), y = groups of 2^log_c columns; 256 threads.

#if NTT_STEP_B > 0
// The first passes: S >= 2^log_s >= 16, neighbouring threads on neighbouring s.
KERNEL_BOUNDED(ntt_forward, NTT_THREADS, NTT_RESIDENT, INOUT(0, u64, source) INOUT(1, u64, target) IN(2, u64, roots), NttParams) {
    SHARED(u64, tile, NTT_TILE);
    NTT_FACTOR_MEMORY
    u64 x[NTT_PER_THREAD];
    NttWide v[NTT_PER_THREAD];
    u32 lane = THREAD & (NTT_LANES - 1);
    NttLane at = NTT_LANE(lane);
    bool valid = at.column < p.columns;
    u64 offset = at.s + ((u64)(at.b * p.source_blocks) << (p.log_stride + NTT_LEVELS)) + ((u64)at.column << p.log_source);
    UNROLL
    for (u32 e = 0; e < NTT_PER_THREAD; e++) {
        u32 j = (THREAD + NTT_THREADS * (e >> NTT_STEP_A)) / NTT_LANES;
        u32 i = j + ((e & (NTT_RA - 1)) << NTT_STEP_B);
        x[e] = valid ? source[offset + ((u64)i << p.log_stride)] : 0;
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
        v[e] = ntt_wide(x[e]);
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
            v[e] = ntt_wide(tile[(row + e) * NTT_LANES + lane]);
        }
        ntt_dft<NTT_STEP_B>(v);
        UNROLL
        for (u32 e = 0; e < NTT_RB; e++) {
            if (valid) {
                target[offset + ((u64)(row + e) << p.log_stride)] = ntt_narrow(v[e]);
            }
        }
    }
}
#endif

// The last pass, S = 1 (log_s = 0): neighbouring threads on neighbouring elements of a lane.
KERNEL_BOUNDED(ntt_forward_last, NTT_THREADS, NTT_RESIDENT, INOUT(0, u64, source) INOUT(1, u64, target) IN(2, u64, roots),
               NttParams) {
    SHARED(u64, tile, NTT_TILE);
    NTT_FACTOR_MEMORY
    u64 x[NTT_PER_THREAD];
    NttWide v[NTT_PER_THREAD];
    UNROLL
    for (u32 u = 0; u < NTT_REPEAT_A; u++) {
        u32 pair = THREAD + NTT_THREADS * u;
        u32 j = pair & (NTT_RB - 1);
        NttLane at = NTT_LANE(pair >> NTT_STEP_B);
        bool valid = at.column < p.columns;
        u64 offset = ((u64)(at.b * p.source_blocks) << NTT_LEVELS) + ((u64)at.column << p.log_source) + j;
        UNROLL
        for (u32 e = 0; e < NTT_RA; e++) {
            x[u * NTT_RA + e] = valid ? source[offset + (e << NTT_STEP_B)] : 0;
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
        v[e] = ntt_wide(x[e]);
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
            v[u * NTT_RB + e] = ntt_wide(tile[NTT_SQUARE(lane, row, e)]);
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
    UNROLL
    for (u32 e = 0; e < NTT_PER_THREAD; e++) {
        u32 number = THREAD + NTT_THREADS * e;
        u32 position = number & (NTT_R - 1);
        u32 lane = number >> NTT_LEVELS;
        NttLane at = NTT_LANE(lane);
        u64 y = tile[NTT_SQUARE(lane, position >> NTT_STEP_B, position & (NTT_RB - 1))];
        if (at.column < p.columns) {
            target[((u64)at.b << NTT_LEVELS) + ((u64)at.column << p.log_target) + position] =
                (p.flags & NTT_CANONICAL) != 0 ? gl_canonical(y) : y;
        }
    }
}
