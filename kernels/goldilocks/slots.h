// Tables of columns in up to four buffers.

// A column: its slot in the top bits, its first element in the others.
#define COLUMN_SLOT(column) ((u32)((column) >> 60))
#define COLUMN_START(column) ((column) & (((u64)1 << 60) - 1))

#define TABLE_SLOTS 4
#define TABLES(first) IN(first, u64, table0) IN(first + 1, u64, table1) IN(first + 2, u64, table2) IN(first + 3, u64, table3)
// Where a column starts; only inside a kernel with TABLES.
#define COLUMN(column) (table_of(COLUMN_SLOT(column), table0, table1, table2, table3) + COLUMN_START(column))
#define COLUMN_AT(column, i) (COLUMN(column)[i])

FN GLOBAL const u64* table_of(u32 slot, GLOBAL const u64* t0, GLOBAL const u64* t1, GLOBAL const u64* t2,
                              GLOBAL const u64* t3) {
    return slot < 2 ? (slot == 0 ? t0 : t1) : (slot == 2 ? t2 : t3);
}
