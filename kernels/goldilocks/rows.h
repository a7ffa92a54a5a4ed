// Rows of a coset in storage order, for constraint programs: constraints.h comes after, reverse.h before.

// Storage order: the index that is `rows` rows on from index i; the natural index moves by 2^(log_size - log_trace) a
// row.
FN u64 storage_index(u64 i, u32 rows, u32 log_size, u32 log_trace) {
    u32 offset = rows & (u32)(((u64)1 << log_trace) - 1);
    // Modulo the size: what is above its bits falls out of the reversal.
    return offset == 0 ? i : reverse(reverse((u32)i, log_size) + (offset << (log_size - log_trace)), log_size);
}

// Where a load finds index `i`: a lower table stands for its lift.
#define STORAGE_AT(i, load) ((u64)((u32)(i) >> (p.log_size - (u32)((load) & 63))))
