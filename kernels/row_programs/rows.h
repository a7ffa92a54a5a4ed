// Parts that the interpreter of row programs and kernels generated for them have in common: their buffers, and where a
// row's source entry is. After row_programs/machine.h and row_programs/fields.h.

#define LISTS 4
#define LIST_AT(column) list_of(COLUMN_SLOT(column), list0, list1, list2, list3)[COLUMN_START(column)]

FN GLOBAL Base* list_of(u32 slot, GLOBAL Base* l0, GLOBAL Base* l1, GLOBAL Base* l2, GLOBAL Base* l3) {
    return slot < 2 ? (slot == 0 ? l0 : l1) : (slot == 2 ? l2 : l3);
}

#define ROWS_BUFFERS                                                                                             \
    TABLES(0) IN(TABLE_SLOTS, u32, code) IN(TABLE_SLOTS + 1, u32, constants) IN(TABLE_SLOTS + 2, u64, places)    \
    INOUT(TABLE_SLOTS + 3, u32, scratch) INOUT(TABLE_SLOTS + 4, u32, tallies) INOUT(TABLE_SLOTS + 5, u32, faults) \
    OUT(TABLE_SLOTS + 6, Base, columns) OUT(TABLE_SLOTS + 7, Base, list0) OUT(TABLE_SLOTS + 8, Base, list1)      \
    OUT(TABLE_SLOTS + 9, Base, list2) OUT(TABLE_SLOTS + 10, Base, list3)

// The first value of a source entry, and log2 of the distance to the next one.
struct RowSource {
    u64 first;
    u32 log_rows;
};

FN RowSource source_of(GLOBAL const u64* places, u32 parts, u32 inputs, u32 entries, u32 period, u32 row) {
    RowSource r;
    r.first = 0;
    r.log_rows = 0;
    u32 entry = row < entries ? row : row % period;
    for (u32 part = 0; part < parts; part++) {
        u32 of_part = (u32)places[part * PART_PLACES + 2];
        if (entry < of_part) {
            r.log_rows = (u32)places[part * PART_PLACES + 1];
            u64 site = entry >> r.log_rows;
            r.first = places[part * PART_PLACES] + ((inputs * site) << r.log_rows) + (entry & ((1u << r.log_rows) - 1));
            break;
        }
        entry -= of_part;
    }
    return r;
}

// The parts of generated kernels. A fault sets `is_bad`.

// The word that an element is.
FN u32 word_from(Base element, LOCAL bool* is_bad) {
    *is_bad = *is_bad || (u64)element >> 32 != 0;
    return (u32)element;
}

// A row of a column of a table of 2^log_height rows.
FN u32 read_row(GLOBAL const Base* table, u32 log_height, u32 column, u32 index, LOCAL bool* is_bad) {
    if ((u64)index >> log_height != 0) {
        *is_bad = true;
        return 0;
    }
    return word_from(table[((u64)column << log_height) + index], is_bad);
}

FN void emit_word(GLOBAL Base* to, u32 word, LOCAL bool* is_bad) {
    if ((u64)word >= BASE_ORDER) {
        *is_bad = true;
    } else {
        *to = (Base)word;
    }
}

FN void count_place(GLOBAL u32* tallies, u64 places, u32 place, LOCAL bool* is_bad) {
    if (place >= places) {
        *is_bad = true;
    } else {
        ATOMIC_COUNT(tallies + place);
    }
}
