// Leaves of trees over columns of M31 by Blake2s. blake2s.h and cursor.h come before, merkle.h after.

// The first words of s are the digest of the leaf, or a state for `below` where words of digests are those of states:
// of its rows one after the other, each with all columns of all tables. Elements are absorbed while they are read;
// threads with neighbouring leaves read neighbouring rows of a column.
#define HASH_LEAF(s, leaf)                                                                        \
    {                                                                                             \
        u32 h[8];                                                                                 \
        u64 row = (u64)(leaf) * p.rows_per_leaf;                                                  \
        u32 bytes = p.bytes;                                                                      \
        if (bytes == 0) {                                                                         \
            blake2s_start(h);                                                                     \
        } else {                                                                                  \
            u64 state = lifted(row, p.log_height - p.log_below) * 4;                              \
            UNROLL for (u32 w = 0; w < 4; w++) {                                                  \
                h[2 * w] = (u32)below[state + w];                                                 \
                h[2 * w + 1] = (u32)(below[state + w] >> 32);                                     \
            }                                                                                     \
        }                                                                                         \
        u32 left = p.elements;                                                                    \
        LEAF_START(row)                                                                           \
        for (u32 block = 0; block < p.blocks; block++) {                                          \
            u32 m[16];                                                                            \
            u32 count = left < 16 ? left : 16;                                                    \
            LEAF_TAKE(m, count, row)                                                              \
            bytes += 4 * count;                                                                   \
            blake2s_compress(h, m, bytes, left == 0);                                             \
        }                                                                                         \
        blake2s_digest(s, h, p.is_wide != 0);                                                     \
    }
