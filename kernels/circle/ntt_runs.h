// Passes over bits 0 .. r - 1: tiles are runs. See ntt.h.

// The thread's item number u of the upper step: row and lane; of the lower one: group and lane.
#define NTT_RUN_ROW(u) ((THREAD + NTT_THREADS * (u)) & (NTT_LOW_SIZE - 1))
#define NTT_RUN_ROW_LANE(u) ((THREAD + NTT_THREADS * (u)) >> NTT_LOW)
#define NTT_RUN_GROUP(u) ((THREAD + NTT_THREADS * (u)) & (NTT_UP_SIZE - 1))
#define NTT_RUN_GROUP_LANE(u) ((THREAD + NTT_THREADS * (u)) >> NTT_UP)

// The high bits of a lane, and whether it is there; one too many stands for lane 0.
#define NTT_RUN_NUMBER(lane) (BLOCK_X * NTT_LANES + (lane))
#define NTT_RUN_VALID(lane) (NTT_RUN_NUMBER(lane) < (1u << (p.log_size - NTT_LEVELS)))
#define NTT_RUN_HIGH(lane) (NTT_RUN_VALID(lane) ? NTT_RUN_NUMBER(lane) : 0)
// The domain's block, as it is added to the high bits for factors.
#define NTT_RUN_BLOCK (p.first >> NTT_LEVELS)

// The block's elements in the order of the column, the e-th of a thread: its index, whether it is there, where it is in
// shared memory. A tile is a divisor of NTT_THREADS.
#define NTT_RUN_LINEAR(e) ((BLOCK_X << NTT_LOG_TILE) + THREAD + NTT_THREADS * (e))
#define NTT_RUN_THERE(e) (p.log_size >= NTT_LOG_TILE || NTT_RUN_LINEAR(e) < (1u << p.log_size))
#define NTT_AT_LINEAR(e)                                                                                  \
    NTT_AT_RUN((THREAD & ((1 << NTT_LEVELS) - 1)) >> 4, THREAD & ((1 << NTT_LEVELS) - 1) & 15,            \
               ((e) << (8 - NTT_LEVELS)) + (THREAD >> NTT_LEVELS))

KERNEL_BOUNDED(circle_forward_last, NTT_THREADS, NTT_RUN_RESIDENT,
               INOUT(0, u32, source) INOUT(1, u32, target) IN(2, u32, table), CircleNttParams) {
    SHARED(u32, tile, NTT_SHARED);
    u32 low[NTT_LOW_REPEAT * (NTT_LOW_SIZE - 1)];
    UNROLL for (u32 u = 0; u < NTT_LOW_REPEAT; u++) {
        NTT_LOW_FACTORS(low + u * (NTT_LOW_SIZE - 1),
                        ((NTT_RUN_BLOCK + NTT_RUN_HIGH(NTT_RUN_GROUP_LANE(u))) << NTT_UP) + NTT_RUN_GROUP(u))
    }
#if NTT_UP > 0
    u32 up[NTT_UP_REPEAT * (NTT_UP_SIZE - 1)];
    UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
        ntt_factors<NTT_UP>(up + u * (NTT_UP_SIZE - 1), table, p.log_domain - 1 - NTT_LOW,
                            NTT_RUN_BLOCK + NTT_RUN_HIGH(NTT_RUN_ROW_LANE(u)));
    }
#endif
    u32 mask = (u32)(((u64)1 << p.log_source) - 1);
    NTT_COLUMNS(column) {
        GLOBAL const u32* in = source + ((u64)column << p.log_source);
        GLOBAL u32* out = target + ((u64)column << p.log_target);
        u32 v[16];
#if NTT_UP > 0
        UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
            GLOBAL const u32* from = in + ((NTT_RUN_HIGH(NTT_RUN_ROW_LANE(u)) << NTT_LEVELS) & mask) + NTT_RUN_ROW(u);
            UNROLL for (u32 e = 0; e < NTT_UP_SIZE; e++) {
                v[u * NTT_UP_SIZE + e] = from[e * NTT_LOW_SIZE];
            }
        }
        UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
            ntt_forward_step<NTT_UP>(v + u * NTT_UP_SIZE, up + u * (NTT_UP_SIZE - 1));
            UNROLL for (u32 e = 0; e < NTT_UP_SIZE; e++) {
                tile[NTT_AT_RUN(e, NTT_RUN_ROW(u), NTT_RUN_ROW_LANE(u))] = v[u * NTT_UP_SIZE + e];
            }
        }
        BARRIER();
        UNROLL for (u32 e = 0; e < NTT_LOW_SIZE; e++) {
            v[e] = tile[NTT_AT_RUN(NTT_RUN_GROUP(0), e, NTT_RUN_GROUP_LANE(0))];
        }
#else
        UNROLL for (u32 u = 0; u < NTT_LOW_REPEAT; u++) {
            u32 start = (NTT_RUN_HIGH(NTT_RUN_GROUP_LANE(u)) << NTT_LEVELS) & mask;
            UNROLL for (u32 e = 0; e < NTT_LOW_SIZE; e++) {
                v[u * NTT_LOW_SIZE + e] = in[start + e];
            }
        }
#endif
        UNROLL for (u32 u = 0; u < NTT_LOW_REPEAT; u++) {
            ntt_forward_step<NTT_LOW>(v + u * NTT_LOW_SIZE, low + u * (NTT_LOW_SIZE - 1));
        }
#if NTT_UP > 0
        // To where they came from, then out in the order of the target.
        UNROLL for (u32 e = 0; e < NTT_LOW_SIZE; e++) {
            tile[NTT_AT_RUN(NTT_RUN_GROUP(0), e, NTT_RUN_GROUP_LANE(0))] = v[e];
        }
        BARRIER();
        GLOBAL u32* to = out + NTT_RUN_LINEAR(0);
        UNROLL for (u32 e = 0; e < 16; e++) {
            if (NTT_RUN_THERE(e)) {
                to[NTT_THREADS * e] = tile[NTT_AT_LINEAR(e)];
            }
        }
        // The next column goes there.
        BARRIER();
#else
        UNROLL for (u32 u = 0; u < NTT_LOW_REPEAT; u++) {
            u32 lane = NTT_RUN_GROUP_LANE(u);
            UNROLL for (u32 e = 0; e < NTT_LOW_SIZE; e++) {
                if (NTT_RUN_VALID(lane)) {
                    out[((u64)NTT_RUN_NUMBER(lane) << NTT_LEVELS) + e] = v[u * NTT_LOW_SIZE + e];
                }
            }
        }
#endif
    }
}

// Lanes of a pass from row order are such that their rows are neighbours. Storage index i is at natural position j =
// rev(i), whose low bits are the lane's high bits H reversed: lanes with neighbouring rev(H) have neighbouring j. On a
// circle position j < 2^(n-1) is row 2j, and the others are the rows in between from the other end: position j +
// 2^(n-1) is row 2^n - 1 - 2j. So half of a block's lanes are the complements of the other half, and together their
// rows are two runs.
FN u32 ntt_rows_high(u32 number, u32 bits, bool is_circle) {
    u32 position = number;
    if (is_circle && NTT_LOG_LANES > 0 && bits >= NTT_LOG_LANES) {
        u32 middle = NTT_LANES / 2;
        u32 lane = number & (NTT_LANES - 1);
        position = (number >> NTT_LOG_LANES) * middle + (lane & (middle - 1));
        position = lane < middle ? position : (1u << bits) - 1 - position;
    }
    return reverse(position, bits);
}

// The four bits of e reversed.
FN u32 ntt_reverse4(u32 e) {
    return ((e & 1) << 3) | ((e & 2) << 1) | ((e & 4) >> 1) | ((e & 8) >> 3);
}

// The high bits of a lane of the first pass of an inverse transform.
#define NTT_FIRST_HIGH(lane)                                                                                       \
    ((p.flags & NTT_ROWS) != 0                                                                                     \
         ? ntt_rows_high(NTT_RUN_HIGH(lane), p.log_size - NTT_LEVELS, (p.flags & NTT_CIRCLE) != 0)                 \
         : NTT_RUN_HIGH(lane))

KERNEL_BOUNDED(circle_inverse_first, NTT_THREADS, NTT_RUN_RESIDENT,
               INOUT(0, u32, source) INOUT(1, u32, target) IN(2, u32, table), CircleNttParams) {
    SHARED(u32, tile, NTT_SHARED);
    u32 low[NTT_LOW_REPEAT * (NTT_LOW_SIZE - 1)];
    UNROLL for (u32 u = 0; u < NTT_LOW_REPEAT; u++) {
        NTT_LOW_FACTORS(low + u * (NTT_LOW_SIZE - 1),
                        ((NTT_RUN_BLOCK + NTT_FIRST_HIGH(NTT_RUN_GROUP_LANE(u))) << NTT_UP) + NTT_RUN_GROUP(u))
    }
    u32 starts[NTT_UP_REPEAT];
    UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
        starts[u] = NTT_FIRST_HIGH(NTT_RUN_ROW_LANE(u)) << NTT_LEVELS;
    }
#if NTT_UP > 0
    u32 up[NTT_UP_REPEAT * (NTT_UP_SIZE - 1)];
    UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
        ntt_factors<NTT_UP>(up + u * (NTT_UP_SIZE - 1), table, p.log_domain - 1 - NTT_LOW,
                            NTT_RUN_BLOCK + (starts[u] >> NTT_LEVELS));
    }
#endif
    bool is_circle = (p.flags & NTT_CIRCLE) != 0;
    bool is_rows = (p.flags & NTT_ROWS) != 0;
#if NTT_LEVELS > 4
    // In row order neighbouring threads are neighbouring lanes, all of one element of their tiles. A thread's elements
    // differ in the four highest bits of the tile, so that their rows are reversed numbers of steps away from the
    // first.
    u32 row_t = THREAD >> NTT_LOG_LANES;
    u32 row = circle_row((NTT_FIRST_HIGH(THREAD & (NTT_LANES - 1)) << NTT_LEVELS) + row_t, p.log_size, is_circle);
    u32 row_step = 1u << (p.log_size - NTT_LEVELS);
    // Rows of conjugates run the other way.
    row_step = !is_circle ? row_step : (row_t & 1) == 0 ? 2 * row_step : 0 - 2 * row_step;
#endif
    NTT_COLUMNS(column) {
        GLOBAL const u32* in = source + ((u64)column << p.log_source);
        GLOBAL u32* out = target + ((u64)column << p.log_target);
        u32 v[16];
        if (is_rows) {
#if NTT_LEVELS > 4
            u32 first_row = row;
            OPAQUE(first_row);
            UNROLL for (u32 e = 0; e < 16; e++) {
                u32 at = first_row + ntt_reverse4(e) * row_step;
                tile[NTT_AT_RUN((row_t + (e << (NTT_LEVELS - 4))) >> 4, (row_t + (e << (NTT_LEVELS - 4))) & 15, THREAD & (NTT_LANES - 1))] = in[at];
            }
#else
            for (u32 e = 0; e < 16; e++) {
                u32 number = THREAD + NTT_THREADS * e;
                u32 lane = number & (NTT_LANES - 1);
                u32 t = number >> NTT_LOG_LANES;
                tile[NTT_AT_RUN(t >> 4, t & 15, lane)] = in[circle_row((NTT_FIRST_HIGH(lane) << NTT_LEVELS) + t, p.log_size, is_circle)];
            }
#endif
        } else {
            GLOBAL const u32* from = in + NTT_RUN_LINEAR(0);
            UNROLL for (u32 e = 0; e < 16; e++) {
                tile[NTT_AT_LINEAR(e)] = NTT_RUN_THERE(e) ? from[NTT_THREADS * e] : 0;
            }
        }
        BARRIER();
        UNROLL for (u32 u = 0; u < NTT_LOW_REPEAT; u++) {
            UNROLL for (u32 e = 0; e < NTT_LOW_SIZE; e++) {
                v[u * NTT_LOW_SIZE + e] = tile[NTT_AT_RUN(NTT_RUN_GROUP(u), e, NTT_RUN_GROUP_LANE(u))];
            }
            ntt_inverse_step<NTT_LOW>(v + u * NTT_LOW_SIZE, low + u * (NTT_LOW_SIZE - 1));
        }
#if NTT_UP > 0
        UNROLL for (u32 e = 0; e < NTT_LOW_SIZE; e++) {
            tile[NTT_AT_RUN(NTT_RUN_GROUP(0), e, NTT_RUN_GROUP_LANE(0))] = v[e];
        }
        BARRIER();
        UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
            UNROLL for (u32 e = 0; e < NTT_UP_SIZE; e++) {
                v[u * NTT_UP_SIZE + e] = tile[NTT_AT_RUN(e, NTT_RUN_ROW(u), NTT_RUN_ROW_LANE(u))];
            }
            ntt_inverse_step<NTT_UP>(v + u * NTT_UP_SIZE, up + u * (NTT_UP_SIZE - 1));
        }
#endif
        if (p.scale != 0) {
            UNROLL for (u32 e = 0; e < 16; e++) {
                v[e] = m31_mul_twice(v[e], p.scale);
            }
        }
        UNROLL for (u32 u = 0; u < NTT_UP_REPEAT; u++) {
#if NTT_UP > 0
            u32 lane = NTT_RUN_ROW_LANE(u);
            u32 row = NTT_RUN_ROW(u);
            u32 start = starts[u];
#else
            // Without an upper step the elements are the lower step's.
            u32 lane = NTT_RUN_GROUP_LANE(u / NTT_LOW_SIZE);
            u32 row = u % NTT_LOW_SIZE;
            u32 start = NTT_FIRST_HIGH(lane) << NTT_LEVELS;
#endif
            if (NTT_RUN_VALID(lane)) {
                GLOBAL u32* to = out + start + row;
                UNROLL for (u32 e = 0; e < NTT_UP_SIZE; e++) {
                    to[e * NTT_LOW_SIZE] = v[u * NTT_UP_SIZE + e];
                }
            }
        }
        // The next column goes there.
        BARRIER();
    }
}
