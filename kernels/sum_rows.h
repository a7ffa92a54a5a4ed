// The frame in which a constraint program runs on the corners of a hypercube, whose outputs are summed up in registers:
// constraints.h, group_sum.h and sumchecks.h come before, the interpreter or a kernel that is generated after.

// Corners; both parts of their weights: the first row, and the elements from a coordinate to the next; the challenge,
// where there is one. The low weights are of the last log_low variables. Whether a thread has one low weight for all
// its corners. For the interpreter, the first register of the sums, and how many there are.
#define SUM_FIELDS         \
    u64 count;             \
    u64 high_first;        \
    u64 high_stride;       \
    u64 low_first;         \
    u64 low_stride;        \
    u64 challenge[DEGREE]; \
    u32 log_low;           \
    u32 has_one_low;       \
    u32 instructions;      \
    u32 first_sum;         \
    u32 sums;              \
    u32 pad;

struct SumRowsParams {
    SUM_FIELDS
};

// partial: of every sum the sum of each block, its coordinates beside each other.
#define SUM_BUFFERS                                                                                                \
    PROGRAM_BUFFERS IN(TABLE_SLOTS + 3, Base, high) IN(TABLE_SLOTS + 4, Base, low) OUT(TABLE_SLOTS + 5, Base, partial)
// bound: the columns with the first variable bound, of twice as many rows as there are corners.
#define BOUND_SUM_BUFFERS SUM_BUFFERS OUT(TABLE_SLOTS + 6, Base, bound)

// A launch has no more threads a block.
#define SUM_THREADS 256

// The corners of a thread: `sum_step` from one to the next. All threads of a block go on to the end.
#define SUM_BEGIN                                                               \
    SHARED(Base, of_groups, 2 * SUM_THREADS / 32 * DEGREE);                     \
    u64 sum_step = (u64)GRID_X * BLOCK_THREADS;                                 \
    u64 sum_first = (u64)BLOCK_X * BLOCK_THREADS + THREAD;                      \
    u64 low_mask = ((u64)1 << p.log_low) - 1;                                   \
    Ext low_weight = ext_from_base(1);                                          \
    if (p.has_one_low != 0) {                                                   \
        low_weight = ext_load(low, p.low_first + (sum_first & low_mask), p.low_stride); \
    }

// The weight of corner i, without the low one if a thread has only one.
#define SUM_WEIGHT(weight)                                                                          \
    Ext weight = ext_load(high, p.high_first + (i >> p.log_low), p.high_stride);                    \
    if (p.has_one_low == 0) {                                                                       \
        weight = ext_mul(weight, ext_load(low, p.low_first + (i & low_mask), p.low_stride));        \
    }

// The challenge as an element.
#define SUM_CHALLENGE                         \
    Ext challenge;                            \
    UNROLL for (u32 k = 0; k < DEGREE; k++) { \
        challenge.c[k] = (Base)p.challenge[k]; \
    }

// Adds up the sums that the threads of a block have of an output. `turn` counts these from 0: two in turn have memory
// of their own, so that nobody writes what another still reads.
#define SUM_OF_BLOCK(output, turn, sum)                                                 \
    {                                                                                   \
        Ext own = ext_mul(sum, low_weight);                                             \
        u32 part = ((turn)&1) * (SUM_THREADS / 32 * DEGREE);                            \
        UNROLL for (u32 k = 0; k < DEGREE; k++) {                                       \
            Base total = base_group_sum(own.c[k]);                                      \
            if ((THREAD & 31) == 0) {                                                   \
                of_groups[part + THREAD / 32 * DEGREE + k] = total;                     \
            }                                                                           \
        }                                                                               \
        BARRIER();                                                                      \
        if (THREAD < DEGREE) {                                                          \
            Base total = 0;                                                             \
            for (u32 g = 0; g < BLOCK_THREADS / 32; g++) {                              \
                total = base_add(total, of_groups[part + g * DEGREE + THREAD]);         \
            }                                                                           \
            partial[((u64)(output)*GRID_X + BLOCK_X) * DEGREE + THREAD] = total;        \
        }                                                                               \
    }

// Where a column of `bound` begins, at the corners where its first variable is 0 or 1: `place` is twice the number of
// the extension column, plus that.
#define BOUND_PLACE(place) ((((place) >> 1) * 2 * DEGREE + ((place) & 1)) * p.count)

// Sets `target` to what is between two values of a column, which goes to `bound`, too.
#define BIND(target, low_value, high_value, place)                           \
    (target) = ext_between(low_value, high_value, challenge);                \
    ext_store(bound + BOUND_PLACE((u64)(place)), i, 2 * p.count, (target));

// The same for generated kernels, which know the buffer and where the words of a load are.
#define BIND_FROM(table, target, column, load, place)                        \
    {                                                                        \
        Ext low_value;                                                       \
        Ext high_value;                                                      \
        LOAD_EXT_FROM(table, low_value, column, load, i)                     \
        LOAD_EXT_FROM(table, high_value, column, load, i + 2 * p.count)      \
        BIND(target, low_value, high_value, place)                           \
    }
