// Leaves of trees over columns of M31 by Poseidon252: poseidon252.h and cursor.h come before, merkle.h after.

// `count` elements, at most eight, as a felt: the first one highest. Of fewer there is the number at bit 248.
FN Limbs leaf_felt(LOCAL const u32* m, u32 count) {
    Limbs r;
    UNROLL for (u32 k = 0; k < 8; k++) {
        r.w[k] = 0;
    }
    UNROLL for (u32 i = 0; i < 8; i++) {
        if (i < count) {
            UNROLL for (u32 k = 7; k > 0; k--) {
                r.w[k] = (r.w[k] << 31) | (r.w[k - 1] >> 1);
            }
            r.w[0] = (r.w[0] << 31) | m[i];
        }
    }
    r.w[7] |= (count & 7) << 24;
    return felt_of(r);
}

// 1 in Montgomery form.
CONSTANT u32 HADES_ONE[8] = {
    0xffffffe1u, 0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu, 0xfffffdf0u, 0x07ffffffu};

// A state as it is kept, and back.
FN Limbs state_felt(GLOBAL const u64* words) {
    Limbs r;
    UNROLL for (u32 k = 0; k < 4; k++) {
        r.w[2 * k] = (u32)words[k];
        r.w[2 * k + 1] = (u32)(words[k] >> 32);
    }
    return r;
}

FN void keep_felt(GLOBAL u64* words, Limbs a) {
    UNROLL for (u32 k = 0; k < 4; k++) {
        words[k] = a.w[2 * k] | ((u64)a.w[2 * k + 1] << 32);
    }
}

// The state x after blocks of a leaf. The last block of a leaf ends with 1 after its felts: in a permutation of its own
// if they are two.
#define LEAF_STATE(x, leaf)                                                                       \
    {                                                                                             \
        u64 row = (u64)(leaf) * p.rows_per_leaf;                                                  \
        UNROLL for (u32 k = 0; k < 8; k++) {                                                      \
            x.a.w[k] = 0;                                                                         \
        }                                                                                         \
        x.b = x.a;                                                                                \
        x.c = x.a;                                                                                \
        if (p.bytes != 0) {                                                                       \
            u64 state = lifted(row, p.log_height - p.log_below) * 12;                             \
            x.a = state_felt(below + state);                                                      \
            x.b = state_felt(below + state + 4);                                                  \
            x.c = state_felt(below + state + 8);                                                  \
        }                                                                                         \
        u32 left = p.elements;                                                                    \
        u32 full = 16 * p.blocks;                                                                 \
        u32 steps = p.blocks + (p.blocks > 0 && left <= full && left + 8 > full ? 1 : 0);         \
        LEAF_START(row)                                                                           \
        UNROLL_BY(1)                                                                              \
        for (u32 step = 0; step < steps; step++) {                                                \
            u32 count = 0;                                                                        \
            if (step < p.blocks) {                                                                \
                u32 m[16];                                                                        \
                count = left < 16 ? left : 16;                                                    \
                LEAF_TAKE(m, count, row)                                                          \
                if (count > 0) {                                                                  \
                    x.a = limbs_add(x.a, leaf_felt(m, count < 8 ? count : 8));                    \
                }                                                                                 \
                if (count > 8) {                                                                  \
                    x.b = limbs_add(x.b, leaf_felt(m + 8, count - 8));                            \
                }                                                                                 \
            }                                                                                     \
            FELT_CONSTANT(one, HADES_ONE, 0)                                                      \
            if (count == 0) {                                                                     \
                x.a = limbs_add(x.a, one);                                                        \
            } else if (count <= 8) {                                                              \
                x.b = limbs_add(x.b, one);                                                        \
            }                                                                                     \
            hades(&x);                                                                            \
        }                                                                                         \
    }

// The first words of s are the digest of the leaf: of its rows one after the other, each with all columns of all
// tables.
#define HASH_LEAF(s, leaf)                                                                        \
    {                                                                                             \
        Hades x;                                                                                  \
        LEAF_STATE(x, leaf)                                                                       \
        hades_digest(s, x.a);                                                                     \
    }

#define STATE_THREADS 256

struct StateParams {
    u64 rows;
    u64 first;
    u32 is_wide;
    LEAF_FIELDS
};

// States for `below`, one for each row, twelve words each.
KERNEL_BOUNDED(hash_states, STATE_THREADS, HASH_LEAF_BLOCKS, LEAF_BUFFERS OUT(LEAF_SLOTS, u64, states), StateParams) {
    u64 row_of_state = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (row_of_state >= p.rows) {
        return;
    }
    Hades x;
    LEAF_STATE(x, row_of_state)
    GLOBAL u64* kept = states + (p.first + row_of_state) * 12;
    keep_felt(kept, x.a);
    keep_felt(kept + 4, x.b);
    keep_felt(kept + 8, x.c);
}
