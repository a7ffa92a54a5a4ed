// Passes over bits s >= 4, so r >= 4; a block takes one column. With several one after the other neighbouring blocks
// would no longer be in one column, which is slower. See ntt.h.
#if NTT_LEVELS >= 4

// The thread's item number u of a step: its lane is the same for all.
#define NTT_STRIDED_LANE (THREAD & (NTT_LANES - 1))
#define NTT_STRIDED_ROW(u) ((THREAD + NTT_THREADS * (u)) >> NTT_LOG_LANES)

// The bits of the lane in the forward pass: blocks that read the same elements follow each other.
#define NTT_STRIDED_START                                                                                  \
    u32 s = p.log_stride;                                                                                  \
    u32 block = BLOCK_X;                                                                                   \
    if (p.log_repeat > 0) {                                                                                \
        block = (block >> p.log_repeat) +                                                                  \
                ((block & ((1u << p.log_repeat) - 1)) << (p.log_size - NTT_LOG_TILE - p.log_repeat));       \
    }                                                                                                      \
    u32 number = block * NTT_LANES + NTT_STRIDED_LANE;                                                     \
    u32 high = number >> s;                                                                                \
    bool valid = high < (1u << (p.log_size - NTT_LEVELS - s));                                             \
    u32 of_block = p.first >> (s + NTT_LEVELS);                                                            \
    u32 start = (high << (s + NTT_LEVELS)) + (number & ((1u << s) - 1));                                   \
    u32 lane = NTT_STRIDED_LANE;                                                                           \
    /* A lane too many reads lane 0 and writes nothing. */                                                 \
    high = valid ? high : 0;                                                                               \
    start = valid ? start : 0;

KERNEL_BOUNDED(circle_forward, NTT_THREADS, NTT_STRIDED_RESIDENT, INOUT(0, u32, source) INOUT(1, u32, target) IN(2, u32, table),
               CircleNttParams) {
    SHARED(u32, tile, NTT_SHARED);
    NTT_STRIDED_START
    u32 low[NTT_LOW_REPEAT * (NTT_LOW_SIZE - 1)];
    UNROLL for (u32 u = 0; u < NTT_LOW_REPEAT; u++) {
        ntt_factors<NTT_LOW>(low + u * (NTT_LOW_SIZE - 1), table, p.log_domain - 1 - s,
                             ((of_block + high) << NTT_UP) + NTT_STRIDED_ROW(u));
    }
#if NTT_UP > 0
    u32 up[NTT_UP_SIZE - 1];
    ntt_factors<NTT_UP>(up, table, p.log_domain - 1 - s - NTT_LOW, of_block + high);
#endif
    u32 from = start & ((1u << p.log_source) - 1);
    u32 column = p.first_column + BLOCK_Y;
    GLOBAL const u32* in = source + ((u64)column << p.log_source);
    GLOBAL u32* out = target + ((u64)column << p.log_target);
    u32 v[16];
#if NTT_UP > 0
    UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
        u32 at = from + (NTT_STRIDED_ROW(u) << s);
        GLOBAL const u32* element = in + at;
        UNROLL for (u32 e = 0; e < NTT_UP_SIZE; e++) {
            v[u * NTT_UP_SIZE + e] = *element;
            element += (u64)NTT_LOW_SIZE << s;
        }
    }
    UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
        ntt_forward_step<NTT_UP>(v + u * NTT_UP_SIZE, up);
        UNROLL for (u32 e = 0; e < NTT_UP_SIZE; e++) {
            tile[NTT_AT_STRIDED(e, NTT_STRIDED_ROW(u), lane)] = v[u * NTT_UP_SIZE + e];
        }
    }
    BARRIER();
    UNROLL for (u32 e = 0; e < NTT_LOW_SIZE; e++) {
        v[e] = tile[NTT_AT_STRIDED(NTT_STRIDED_ROW(0), e, lane)];
    }
#else
    UNROLL for (u32 e = 0; e < NTT_LOW_SIZE; e++) {
        v[e] = in[from + (e << s)];
    }
#endif
    ntt_forward_step<NTT_LOW>(v, low);
    if (valid) {
        u32 at = start + ((NTT_STRIDED_ROW(0) * NTT_LOW_SIZE) << s);
        GLOBAL u32* element = out + at;
        UNROLL for (u32 e = 0; e < NTT_LOW_SIZE; e++) {
            *element = v[e];
            element += (u64)1 << s;
        }
    }
}

KERNEL_BOUNDED(circle_inverse, NTT_THREADS, NTT_STRIDED_RESIDENT, INOUT(0, u32, source) INOUT(1, u32, target) IN(2, u32, table),
               CircleNttParams) {
    SHARED(u32, tile, NTT_SHARED);
    NTT_STRIDED_START
    u32 low[NTT_LOW_SIZE - 1];
    ntt_factors<NTT_LOW>(low, table, p.log_domain - 1 - s, ((of_block + high) << NTT_UP) + NTT_STRIDED_ROW(0));
#if NTT_UP > 0
    u32 up[NTT_UP_SIZE - 1];
    ntt_factors<NTT_UP>(up, table, p.log_domain - 1 - s - NTT_LOW, of_block + high);
#endif
    u32 column = p.first_column + BLOCK_Y;
    GLOBAL const u32* in = source + ((u64)column << p.log_source);
    GLOBAL u32* out = target + ((u64)column << p.log_target);
    u32 v[16];
    u32 at = start + ((NTT_STRIDED_ROW(0) * NTT_LOW_SIZE) << s);
    GLOBAL const u32* element = in + at;
    UNROLL for (u32 e = 0; e < NTT_LOW_SIZE; e++) {
        v[e] = *element;
        element += (u64)1 << s;
    }
    ntt_inverse_step<NTT_LOW>(v, low);
#if NTT_UP > 0
    UNROLL for (u32 e = 0; e < NTT_LOW_SIZE; e++) {
        tile[NTT_AT_STRIDED(NTT_STRIDED_ROW(0), e, lane)] = v[e];
    }
    BARRIER();
    UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
        UNROLL for (u32 e = 0; e < NTT_UP_SIZE; e++) {
            v[u * NTT_UP_SIZE + e] = tile[NTT_AT_STRIDED(e, NTT_STRIDED_ROW(u), lane)];
        }
    }
    UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
        ntt_inverse_step<NTT_UP>(v + u * NTT_UP_SIZE, up);
    }
#endif
    if (p.scale != 0) {
        UNROLL for (u32 e = 0; e < 16; e++) {
            v[e] = m31_mul_twice(v[e], p.scale);
        }
    }
    if (valid) {
        UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
            // Without an upper step the rows are the lower step's elements.
            u32 at = start + ((NTT_UP > 0 ? NTT_STRIDED_ROW(u) : u) << s);
            GLOBAL u32* element = out + at;
            UNROLL for (u32 e = 0; e < NTT_UP_SIZE; e++) {
                *element = v[u * NTT_UP_SIZE + e];
                element += (u64)NTT_LOW_SIZE << s;
            }
        }
    }
}
#endif
