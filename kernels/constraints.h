// What runs a constraint program on a row: buffers, indices, and how a group of constraints ends. After it comes the interpreter or
// a kernel generated for one program; both have the same entry points and buffers.

// A load is two words of `loads`: the column, and log2 height | row offset << 32.
#define LOAD_WORDS 2
// A group is four words of `groups`: accumulator; first element of its multiplier | log2 of the rows that share one << 56, or
// NONE; multiplier column, or NONE; log2 of the rows that share an element of that column.
#define GROUP_WORDS 4
#define NONE (~(u64)0)

struct ProgramParams {
    // Rows to evaluate.
    u64 count;
    u32 instructions;
    u32 groups;
    // Storage order: log2 of the size of the domain and of the trace. Row order: log_size is log2 of the rows.
    u32 log_size;
    u32 log_trace;
};

// Tables, the program, values that are equal on all rows, loads.
#define PROGRAM_BUFFERS TABLES(0) IN(4, u32, code) IN(5, u64, constants) IN(6, u64, loads)
#define CONSTRAINT_BUFFERS PROGRAM_BUFFERS IN(7, u64, groups) IN(8, u64, multipliers) OUT(9, u64, result)
#define ROW_BUFFERS PROGRAM_BUFFERS OUT(7, u64, result)

// Storage order: the index that is `rows` rows on from index i; the natural index moves by 2^(log_size - log_trace) a row.
FN u64 storage_index(u64 i, u32 rows, u32 log_size, u32 log_trace) {
    u32 offset = rows & (u32)(((u64)1 << log_trace) - 1);
    // Modulo the size: what is above its bits falls out of the reversal.
    return offset == 0 ? i : reverse(reverse((u32)i, log_size) + (offset << (log_size - log_trace)), log_size);
}

// Where a load finds index `i`: in storage order a lower table stands for its lift, in row order it repeats.
#define STORAGE_AT(i, load) ((i) >> (p.log_size - (u32)((load) & 63)))
#define ROW_AT(i, load) ((i) & (((u64)1 << ((load) & 63)) - 1))

// Sets the extension value `target` from the columns of load number n.
#define LOAD_EXT(target, n, at)                                                                                       \
    {                                                                                                                 \
        u64 first = (at);                                                                                             \
        u64 height = (u64)1 << (loads[(n) * LOAD_WORDS + 1] & 63);                                                    \
        UNROLL for (u32 k = 0; k < DEGREE; k++) {                                                                     \
            (target).c[k] = COLUMN_AT(loads[(n) * LOAD_WORDS], k * height + first);                                   \
        }                                                                                                             \
    }

// Adds group g, whose weighted outputs sum up to `value`, to `sum`.
#define ADD_GROUP(sum, g, value)                                                                                      \
    {                                                                                                                 \
        u64 multiplier = groups[(g) * GROUP_WORDS + 1];                                                               \
        u64 column = groups[(g) * GROUP_WORDS + 2];                                                                   \
        u64 factor = 1;                                                                                               \
        if (multiplier != NONE) {                                                                                     \
            factor = multipliers[(multiplier & (((u64)1 << 56) - 1)) + (i >> (multiplier >> 56))];                    \
        }                                                                                                             \
        if (column != NONE) {                                                                                         \
            factor = gl_mul(factor, COLUMN_AT(column, i >> groups[(g) * GROUP_WORDS + 3]));                           \
        }                                                                                                             \
        sum = ext_add(sum, ext_mul_base(value, factor));                                                              \
    }
