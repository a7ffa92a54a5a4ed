// Constraint programs: an interpreter that runs one row a thread.
//
// The program is a list of instructions of four words: operation, destination, operand a, operand b. Registers are
// words of one file: a base register takes one, an extension register DEGREE. An operand with the top bit set is an
// index into `constants` instead. REGISTERS is the size of the file in words.

#define OP_LOAD_BASE 0
#define OP_LOAD_EXT 1
#define OP_ADD_BB 2
#define OP_ADD_EE 3
#define OP_ADD_EB 4
#define OP_SUB_BB 5
#define OP_SUB_EE 6
#define OP_SUB_EB 7
#define OP_SUB_BE 8
#define OP_MUL_BB 9
#define OP_MUL_EE 10
#define OP_MUL_EB 11
#define OP_NEG_BASE 12
#define OP_NEG_EXT 13
// Extension register dst += constant b times a.
#define OP_MAC_BASE 14
#define OP_MAC_EXT 15
// Extension column dst of the result = a.
#define OP_STORE_BASE 16
#define OP_STORE_EXT 17
// Base column dst of the result = a.
#define OP_STORE_WORD 18
// Value dst that a row hands up = a.
#define OP_HAND_UP 19

#define IS_CONSTANT 0x80000000u

FN Base get_base(LOCAL const Base* file, GLOBAL const Base* constants, u32 operand) {
    return (operand & IS_CONSTANT) != 0 ? constants[operand & ~IS_CONSTANT] : file[operand];
}

FN Ext get_ext(LOCAL const Base* file, GLOBAL const Base* constants, u32 operand) {
    Ext r;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        r.c[k] = get_base(file, constants, operand + k);
    }
    return r;
}

FN void set_ext(LOCAL Base* file, u32 at, Ext value) {
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        file[at + k] = value.c[k];
    }
}

// Operations on registers alone. An operand as an element of the base field and of the extension; what `op` makes.
#define BASE(operand) get_base(file, constants, operand)
#define EXT(operand) get_ext(file, constants, operand)
#define MAKE_BASE(op, value) \
    case op:                 \
        file[dst] = (value); \
        break;
#define MAKE_EXT(op, value)        \
    case op:                       \
        set_ext(file, dst, value); \
        break;

FN void execute(LOCAL Base* file, GLOBAL const Base* constants, u32 op, u32 dst, u32 a, u32 b) {
    switch (op) {
        MAKE_BASE(OP_ADD_BB, base_add(BASE(a), BASE(b)))
        MAKE_EXT(OP_ADD_EE, ext_add(EXT(a), EXT(b)))
        MAKE_EXT(OP_ADD_EB, ext_add_base(EXT(a), BASE(b)))
        MAKE_BASE(OP_SUB_BB, base_sub(BASE(a), BASE(b)))
        MAKE_EXT(OP_SUB_EE, ext_sub(EXT(a), EXT(b)))
        MAKE_EXT(OP_SUB_EB, ext_sub_base(EXT(a), BASE(b)))
        MAKE_EXT(OP_SUB_BE, ext_sub(ext_from_base(BASE(a)), EXT(b)))
        MAKE_BASE(OP_MUL_BB, base_mul(BASE(a), BASE(b)))
        MAKE_EXT(OP_MUL_EE, ext_mul(EXT(a), EXT(b)))
        MAKE_EXT(OP_MUL_EB, ext_mul_base(EXT(a), BASE(b)))
        MAKE_BASE(OP_NEG_BASE, base_neg(BASE(a)))
        MAKE_EXT(OP_NEG_EXT, ext_neg(EXT(a)))
        // The product first: what is added to stays where it is for as long.
        case OP_MAC_BASE: {
            Ext product = ext_mul_base(EXT(b), BASE(a));
            set_ext(file, dst, ext_add(EXT(dst), product));
            break;
        }
        case OP_MAC_EXT: {
            Ext product = ext_mul(EXT(b), EXT(a));
            set_ext(file, dst, ext_add(EXT(dst), product));
            break;
        }
        default:
            break;
    }
}

// A load instruction: column a at `index`, an expression of the load's second word.
#define LOAD(index)                                           \
    {                                                         \
        u64 load = loads[a * LOAD_WORDS + 1];                 \
        u64 at = index;                                       \
        if (op == OP_LOAD_BASE) {                             \
            file[dst] = COLUMN_AT(loads[a * LOAD_WORDS], at); \
        } else {                                              \
            Ext value;                                        \
            LOAD_EXT(value, a, at);                           \
            set_ext(file, dst, value);                        \
        }                                                     \
    }

// Where a load finds its element from row `i` in row order. The height divides the number of rows, so that one
// reduction does for the load's offset too.
#define ROW_ON(i, load) ROW_AT((i) + (u64)(i64)(i32)(u32)((load) >> 32), load)

// Runs the program; a load finds its element at `index`, an expression of the load's second word. STORE is what this
// kernel stores, as branches before the last `else`: op, dst and a are the instruction's.
#define RUN(index, STORE)                                          \
    for (u32 n = 0; n < p.instructions; n++) {                     \
        u32 op = code[4 * n];                                      \
        u32 dst = code[4 * n + 1];                                 \
        u32 a = code[4 * n + 2];                                   \
        if (op <= OP_LOAD_EXT) {                                   \
            LOAD(index)                                            \
        } else STORE {                                             \
            execute(file, constants, op, dst, a, code[4 * n + 3]); \
        }                                                          \
    }
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
