// Leaves of trees over columns of u64: a hash function and slots.h come before, merkle.h after.

#define LEAF_BUFFERS TABLES(0)
#define LEAF_SLOTS TABLE_SLOTS
// Columns of each buffer, buffers in use, log2 of the height of all columns, rows of a leaf.
#define LEAF_FIELDS \
    u32 widths[4];  \
    u32 tables;     \
    u32 log_height; \
    u32 rows_per_leaf;

// An index into the parameters would put them into slow memory.
FN u32 leaf_width(u32 table, u32 w0, u32 w1, u32 w2, u32 w3) {
    return table < 2 ? (table == 0 ? w0 : w1) : (table == 2 ? w2 : w3);
}

// The state whose first words are the digest of the rows leaf * rows_per_leaf .. one after the other, each with all
// columns of all tables. Threads with neighbouring leaves read neighbouring rows of a column.
FN void hash_leaf(LOCAL u64* s, u64 leaf, u32 w0, u32 w1, u32 w2, u32 w3, u32 tables, u32 log_height, u32 rows_per_leaf,
                  GLOBAL const u64* table0, GLOBAL const u64* table1, GLOBAL const u64* table2,
                  GLOBAL const u64* table3) {
    UNROLL for (u32 i = 0; i < HASH_STATE; i++) {
        s[i] = 0;
    }
    u32 left = rows_per_leaf * (w0 + w1 + w2 + w3);
    u32 table = 0;
    u32 column = 0;
    u64 row = leaf * rows_per_leaf;
    bool more = HASH_PADS || left > 0;
    while (more) {
        u32 count = left < HASH_RATE ? left : HASH_RATE;
        // All loads of a block are under way before the first is used.
        u64 block[HASH_RATE];
        UNROLL for (u32 k = 0; k < HASH_RATE; k++) {
            if (k < count) {
                block[k] = table_of(table, table0, table1, table2, table3)[((u64)column << log_height) + row];
                column++;
                if (column == leaf_width(table, w0, w1, w2, w3)) {
                    column = 0;
                    table++;
                    if (table == tables) {
                        table = 0;
                        row++;
                    }
                }
            }
        }
        UNROLL for (u32 k = 0; k < HASH_RATE; k++) {
            if (k < count) {
                hash_absorb(s, k, block[k]);
            }
        }
        left -= count;
        more = HASH_PADS ? count == HASH_RATE : left > 0;
        if (HASH_PADS && !more) {
            UNROLL for (u32 k = 0; k < HASH_RATE; k++) {
                if (k == count) {
                    hash_pad(s, k);
                }
            }
            hash_pad_end(s);
        }
        hash_permute(s);
    }
}

// hash_leaf with the parameters and tables of the kernel that it stands in.
#define HASH_LEAF(s, leaf)                                                                                            \
    hash_leaf(s, leaf, p.widths[0], p.widths[1], p.widths[2], p.widths[3], p.tables, p.log_height, p.rows_per_leaf,   \
              table0, table1, table2, table3)
