// The frame in which a constraint program runs on a row: buffers, indices, and how a group of constraints ends. After
// it comes the interpreter or a kernel generated for one program; both have the same entry points and buffers.

// A load is two words of `loads`: the column, and log2 height | row offset << 32.
#define LOAD_WORDS 2
// A group is four words of `groups`: accumulator; first element of its multiplier | log2 of the rows that share one <<
// 56, or NONE; multiplier column, or NONE; log2 of the rows that share an element of that column.
#define GROUP_WORDS 4
#define NONE (~(u64)0)

// Rows to evaluate. Storage order: log2 of the size of the domain and of the trace. Row order: log_size is log2 of the
// rows.
#define PROGRAM_FIELDS \
    u64 count;         \
    u32 instructions;  \
    u32 groups;        \
    u32 log_size;      \
    u32 log_trace;

struct ProgramParams {
    PROGRAM_FIELDS
};

// A level of a binary tree: rows of the table, of which `rows` are evaluated, from row `first` on; how many values a
// row hands up.
#define NODE_FIELDS    \
    u64 count;         \
    u64 first;         \
    u64 rows;          \
    u32 instructions;  \
    u32 values;

struct NodeParams {
    NODE_FIELDS
};

// The program. A kernel that is generated has it in its text: there several of one program hand values on, and redefine
// this.
#define CODE_BUFFER IN(TABLE_SLOTS, u32, code)
// Tables, the program, values that are equal on all rows, loads.
#define PROGRAM_BUFFERS \
    TABLES(0) CODE_BUFFER IN(TABLE_SLOTS + 1, Base, constants) IN(TABLE_SLOTS + 2, u64, loads)
#define CONSTRAINT_BUFFERS \
    PROGRAM_BUFFERS IN(TABLE_SLOTS + 3, u64, groups) IN(TABLE_SLOTS + 4, Base, multipliers) OUT(TABLE_SLOTS + 5, Base, result)
#define ROW_BUFFERS PROGRAM_BUFFERS OUT(TABLE_SLOTS + 3, Base, result)
// A launch reads `children` as one of its tables, and writes other rows of it.
#define NODE_BUFFERS ROW_BUFFERS INOUT(TABLE_SLOTS + 4, Base, children)

// Where row i of a tree hands a value up: row i / 2 has first what comes from the left child, then what comes from the
// right.
#define CHILD_AT(i, value) ((((i) & 1) * p.values + (value)) * (p.count >> 1) + ((i) >> 1))

// Where a load finds row `i` in row order: a lower table repeats.
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

// The same for generated kernels, which know the buffer and where the two words of a load are, of which the second may
// be another's.
#define LOAD_EXT_FROM(table, target, column, load, at)                                                                \
    {                                                                                                                 \
        u64 first = COLUMN_START(column) + (at);                                                                      \
        u64 height = (u64)1 << ((load) & 63);                                                                         \
        UNROLL for (u32 k = 0; k < DEGREE; k++) {                                                                     \
            (target).c[k] = (table)[first + k * height];                                                              \
        }                                                                                                             \
    }

// The multiplier of row i, from a group's word for it.
#define MULTIPLIER_AT(word) (multipliers[((word) & (((u64)1 << 56) - 1)) + (i >> ((word) >> 56))])
// The same if every row has its own.
#define MULTIPLIER_OF_ROW(word) (multipliers[(word) + i])
