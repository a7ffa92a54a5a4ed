// Where the elements of a leaf are, over columns of M31, lower tables lifted. slots.h comes before, what absorbs the
// elements after.

// A table is two words of `list`: its first column, and its width | log2 of its height << 32. No width is zero. `below`
// has the states after earlier blocks, four words each as a digest.
#define LEAF_BUFFERS TABLES(0) IN(8, u64, list) IN(9, u64, below)
#define LEAF_SLOTS (TABLE_SLOTS + 2)
// Blocks to absorb, and bytes that are absorbed before, if any: then `below` has a state for each of 2^log_below rows.
// Elements of a leaf from there on, tables, log2 of the rows of the highest one or of more that all are lifted to, rows
// of a leaf.
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

// Before the first element of a leaf whose elements begin at a row; `left` counts elements.
#define LEAF_START(row)             \
    u32 table = 0;                  \
    LeafCursor cursor;              \
    cursor.columns = 0;             \
    if (left > 0) {                 \
        LEAF_CURSOR(cursor, 0, row) \
    }

// The next `count` elements, at most 16, to m, and zeros after them. They are read as they lie: threads with
// neighbouring leaves read neighbouring rows of a column. After LEAF_START; `left` is how many there are yet.
#define LEAF_TAKE(m, count, row)                               \
    {                                                          \
        if (cursor.columns > 16) {                             \
            UNROLL for (u32 k = 0; k < 16; k++) {              \
                m[k] = cursor.at[k * cursor.stride];           \
            }                                                  \
            cursor.at += 16 * cursor.stride;                   \
            cursor.columns -= 16;                              \
        } else {                                               \
            UNROLL for (u32 k = 0; k < 16; k++) {              \
                m[k] = 0;                                      \
                if (k < count) {                               \
                    m[k] = *cursor.at;                         \
                    cursor.at += cursor.stride;                \
                    cursor.columns--;                          \
                    if (cursor.columns == 0 && k + 1 < left) { \
                        table++;                               \
                        if (table == p.tables) {               \
                            table = 0;                         \
                            row++;                             \
                        }                                      \
                        LEAF_CURSOR(cursor, table, row)        \
                    }                                          \
                }                                              \
            }                                                  \
        }                                                      \
        left -= count;                                         \
    }
