// Leaves of trees over columns of M31, lower tables lifted. blake2s.h and slots.h come before, merkle.h after.

// A table is two words of `list`: its first column, and its width | log2 of its height << 32. No width is zero. `below` has the states
// after earlier blocks, four words each as a digest.
#define LEAF_BUFFERS TABLES(0) IN(8, u64, list) IN(9, u64, below)
#define LEAF_SLOTS (TABLE_SLOTS + 2)
// Blocks to absorb, and bytes that are absorbed before, if any: then `below` has a state for each of 2^log_below rows. Elements of a leaf
// from there on, tables, log2 of the rows of the highest one or of more that all are lifted to, rows of a leaf.
#define LEAF_FIELDS \
    u32 blocks;     \
    u32 bytes;      \
    u32 log_below;  \
    u32 elements;   \
    u32 tables;     \
    u32 log_height; \
    u32 rows_per_leaf;

// Where the columns of a table have a row's element, and how many columns follow.
struct LeafCursor {
    GLOBAL const u32* at;
    u64 stride;
    u32 columns;
};

#define LEAF_CURSOR(cursor, table, row)                                                            \
    {                                                                                              \
        u64 shape = list[2 * (table) + 1];                                                         \
        u32 log = (u32)(shape >> 32);                                                              \
        (cursor).at = COLUMN(list[2 * (table)]) + lifted(row, p.log_height - log);                 \
        (cursor).stride = (u64)1 << log;                                                           \
        (cursor).columns = (u32)shape;                                                             \
    }

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
        u32 table = 0;                                                                            \
        u32 left = p.elements;                                                                    \
        LeafCursor cursor;                                                                        \
        cursor.columns = 0;                                                                       \
        if (left > 0) {                                                                           \
            LEAF_CURSOR(cursor, 0, row)                                                           \
        }                                                                                         \
        for (u32 block = 0; block < p.blocks; block++) {                                          \
            u32 m[16];                                                                            \
            u32 count = left < 16 ? left : 16;                                                    \
            if (cursor.columns > 16) {                                                            \
                UNROLL for (u32 k = 0; k < 16; k++) {                                             \
                    m[k] = cursor.at[k * cursor.stride];                                          \
                }                                                                                 \
                cursor.at += 16 * cursor.stride;                                                  \
                cursor.columns -= 16;                                                             \
            } else {                                                                              \
                UNROLL for (u32 k = 0; k < 16; k++) {                                             \
                    m[k] = 0;                                                                     \
                    if (k < count) {                                                              \
                        m[k] = *cursor.at;                                                        \
                        cursor.at += cursor.stride;                                               \
                        cursor.columns--;                                                         \
                        if (cursor.columns == 0 && k + 1 < left) {                                \
                            table++;                                                              \
                            if (table == p.tables) {                                              \
                                table = 0;                                                        \
                                row++;                                                            \
                            }                                                                     \
                            LEAF_CURSOR(cursor, table, row)                                       \
                        }                                                                         \
                    }                                                                             \
                }                                                                                 \
            }                                                                                     \
            left -= count;                                                                        \
            bytes += 4 * count;                                                                   \
            blake2s_compress(h, m, bytes, left == 0);                                             \
        }                                                                                         \
        blake2s_digest(s, h);                                                                     \
    }
