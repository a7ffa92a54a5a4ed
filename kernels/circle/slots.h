// Tables of columns in up to eight buffers, and the lift of a column to a larger domain.

// A column: its slot in the top bits, its first element in the others.
#define COLUMN_SLOT(column) ((u32)((column) >> 60))
#define COLUMN_START(column) ((column) & (((u64)1 << 60) - 1))

#define TABLE_SLOTS 8
#define TABLES(first)                                                                                     \
    IN(first, u32, table0) IN(first + 1, u32, table1) IN(first + 2, u32, table2) IN(first + 3, u32, table3) \
    IN(first + 4, u32, table4) IN(first + 5, u32, table5) IN(first + 6, u32, table6) IN(first + 7, u32, table7)
// Where a column starts; only inside a kernel with TABLES.
#define COLUMN(column)                                                                                             \
    (table_of(COLUMN_SLOT(column), table0, table1, table2, table3, table4, table5, table6, table7) + \
     COLUMN_START(column))
#define COLUMN_AT(column, i) (COLUMN(column)[i])

FN GLOBAL const u32* table_of(u32 slot, GLOBAL const u32* t0, GLOBAL const u32* t1, GLOBAL const u32* t2,
                              GLOBAL const u32* t3, GLOBAL const u32* t4, GLOBAL const u32* t5, GLOBAL const u32* t6,
                              GLOBAL const u32* t7) {
    return slot < 4 ? (slot < 2 ? (slot == 0 ? t0 : t1) : (slot == 2 ? t2 : t3))
                    : (slot < 6 ? (slot == 4 ? t4 : t5) : (slot == 6 ? t6 : t7));
}

// Where a column of 2^(log - shift) rows has the element that its lift to 2^log rows has at index i.
FN u64 lifted(u64 i, u32 shift) {
    return shift == 0 ? i : ((i >> (shift + 1)) << 1) | (i & 1);
}
