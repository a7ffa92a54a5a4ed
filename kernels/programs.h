// Constraint programs on rows, by the interpreter.

#define STORE_NOTHING
#define STORE_ROW                                                                                                    \
    if (op == OP_STORE_BASE) {                                                                                       \
        ext_store(result + dst * DEGREE * p.count, i, p.count, ext_from_base(get_base(file, constants, a)));         \
    } else if (op == OP_STORE_WORD) {                                                                                \
        result[dst * p.count + i] = get_base(file, constants, a);                                                    \
    } else if (op == OP_STORE_EXT) {                                                                                 \
        ext_store(result + dst * DEGREE * p.count, i, p.count, get_ext(file, constants, a));                         \
    } else
#define STORE_NODE                                                                                                   \
    if (op == OP_STORE_WORD) {                                                                                       \
        result[dst * p.count + i] = get_base(file, constants, a);                                                    \
    } else if (op == OP_HAND_UP) {                                                                                   \
        children[CHILD_AT(i, dst)] = get_base(file, constants, a);                                                   \
    } else

// Adds group g, whose weighted outputs sum up to `value`, to the accumulator `sum`.
#define ADD_GROUP(sum, g, value)                                                              \
    {                                                                                         \
        u64 multiplier = groups[(g) * GROUP_WORDS + 1];                                       \
        u64 column = groups[(g) * GROUP_WORDS + 2];                                           \
        Base factor = 1;                                                                      \
        if (multiplier != NONE) {                                                             \
            factor = MULTIPLIER_AT(multiplier);                                               \
        }                                                                                     \
        if (column != NONE) {                                                                 \
            factor = base_mul(factor, COLUMN_AT(column, i >> groups[(g) * GROUP_WORDS + 3])); \
        }                                                                                     \
        sum = accumulate_base(sum, value, factor);                                            \
    }

// result = sum over groups of multiplier * sum of weight * output, one extension column.
KERNEL(evaluate_constraints, CONSTRAINT_BUFFERS, ProgramParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    Base file[REGISTERS];
    for (u32 g = 0; g < p.groups; g++) {
        set_ext(file, (u32)groups[g * GROUP_WORDS], ext_from_base(0));
    }
    RUN(STORAGE_AT(storage_index(i, (u32)(load >> 32), p.log_size, p.log_trace), load), STORE_NOTHING)
    Accumulator sum = accumulator_zero();
    for (u32 g = 0; g < p.groups; g++) {
        ADD_GROUP(sum, g, get_ext(file, constants, (u32)groups[g * GROUP_WORDS]));
    }
    ext_store(result, i, p.count, accumulator_reduce(sum));
}

// Runs a program on a table in row order; each OP_STORE writes a column.
KERNEL(evaluate_rows, ROW_BUFFERS, ProgramParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    Base file[REGISTERS];
    RUN(ROW_ON(i, load), STORE_ROW)
}

// Runs a program at the rows of a level of a binary tree; each OP_STORE_WORD writes a column, each OP_HAND_UP what the
// parent reads.
KERNEL(evaluate_nodes, NODE_BUFFERS, NodeParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.rows) {
        return;
    }
    i += p.first;
    Base file[REGISTERS];
    RUN(ROW_ON(i, load), STORE_NODE)
}
