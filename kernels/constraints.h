// Constraint programs: an interpreter that runs one row a thread.
//
// The program is a list of instructions of four words: operation, destination, operand a, operand b. Registers are words of one
// file: a base register takes one, an extension register DEGREE. An operand with the top bit set is an index into `constants`
// instead, which are equal on all rows. REGISTERS is the size of the file in words.

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

#define IS_CONSTANT 0x80000000u

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

FN u64 get_base(LOCAL const u64* file, GLOBAL const u64* constants, u32 operand) {
    return (operand & IS_CONSTANT) != 0 ? constants[operand & ~IS_CONSTANT] : file[operand];
}

FN Ext get_ext(LOCAL const u64* file, GLOBAL const u64* constants, u32 operand) {
    Ext r;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        r.c[k] = get_base(file, constants, operand + k);
    }
    return r;
}

FN void set_ext(LOCAL u64* file, u32 at, Ext value) {
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        file[at + k] = value.c[k];
    }
}

// Operations on registers alone.
FN void execute(LOCAL u64* file, GLOBAL const u64* constants, u32 op, u32 dst, u32 a, u32 b) {
    switch (op) {
        case OP_ADD_BB:
            file[dst] = gl_add(get_base(file, constants, a), get_base(file, constants, b));
            break;
        case OP_ADD_EE:
            set_ext(file, dst, ext_add(get_ext(file, constants, a), get_ext(file, constants, b)));
            break;
        case OP_ADD_EB:
            set_ext(file, dst, ext_add_base(get_ext(file, constants, a), get_base(file, constants, b)));
            break;
        case OP_SUB_BB:
            file[dst] = gl_sub(get_base(file, constants, a), get_base(file, constants, b));
            break;
        case OP_SUB_EE:
            set_ext(file, dst, ext_sub(get_ext(file, constants, a), get_ext(file, constants, b)));
            break;
        case OP_SUB_EB:
            set_ext(file, dst, ext_sub_base(get_ext(file, constants, a), get_base(file, constants, b)));
            break;
        case OP_SUB_BE:
            set_ext(file, dst, ext_sub(ext_from_base(get_base(file, constants, a)), get_ext(file, constants, b)));
            break;
        case OP_MUL_BB:
            file[dst] = gl_mul(get_base(file, constants, a), get_base(file, constants, b));
            break;
        case OP_MUL_EE:
            set_ext(file, dst, ext_mul(get_ext(file, constants, a), get_ext(file, constants, b)));
            break;
        case OP_MUL_EB:
            set_ext(file, dst, ext_mul_base(get_ext(file, constants, a), get_base(file, constants, b)));
            break;
        case OP_NEG_BASE:
            file[dst] = gl_neg(get_base(file, constants, a));
            break;
        case OP_NEG_EXT:
            set_ext(file, dst, ext_neg(get_ext(file, constants, a)));
            break;
        case OP_MAC_BASE: {
            Ext product = ext_mul_base(get_ext(file, constants, b), get_base(file, constants, a));
            set_ext(file, dst, ext_add(get_ext(file, constants, dst), product));
            break;
        }
        case OP_MAC_EXT: {
            Ext product = ext_mul(get_ext(file, constants, b), get_ext(file, constants, a));
            set_ext(file, dst, ext_add(get_ext(file, constants, dst), product));
            break;
        }
        default:
            break;
    }
}

#define PROGRAM_BUFFERS                                                                                         \
    TABLES(0) IN(4, u32, code) IN(5, u64, constants) IN(6, u64, loads)

// Index into a table of 2^log_height rows, in storage order, of what it has for index i of the domain at a row offset: the natural
// index moves by 2^(log_size - log_trace) a row; a lower table stands for its lift.
FN u64 storage_index(u64 i, u64 load, u32 log_size, u32 log_trace) {
    u32 offset = (u32)(load >> 32) & (u32)(((u64)1 << log_trace) - 1);
    if (offset != 0) {
        u32 natural = reverse((u32)i, log_size) + (offset << (log_size - log_trace));
        // Modulo the size: what is above its bits falls out of the reversal.
        i = reverse(natural, log_size);
    }
    return i >> (log_size - (u32)(load & 63));
}

// result = sum over groups of multiplier * sum of weight * output, one extension column.
KERNEL(evaluate_constraints,
       PROGRAM_BUFFERS IN(7, u64, groups) IN(8, u64, multipliers) OUT(9, u64, result), ProgramParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    u64 file[REGISTERS];
    for (u32 g = 0; g < p.groups; g++) {
        set_ext(file, (u32)groups[g * GROUP_WORDS], ext_from_base(0));
    }
    for (u32 n = 0; n < p.instructions; n++) {
        u32 op = code[4 * n];
        u32 dst = code[4 * n + 1];
        u32 a = code[4 * n + 2];
        if (op <= OP_LOAD_EXT) {
            u64 column = loads[a * LOAD_WORDS];
            u64 load = loads[a * LOAD_WORDS + 1];
            u64 at = storage_index(i, load, p.log_size, p.log_trace);
            file[dst] = COLUMN_AT(column, at);
            if (op == OP_LOAD_EXT) {
                UNROLL for (u32 k = 1; k < DEGREE; k++) {
                    file[dst + k] = COLUMN_AT(column, ((u64)k << (load & 63)) + at);
                }
            }
        } else {
            execute(file, constants, op, dst, a, code[4 * n + 3]);
        }
    }
    Ext sum = ext_from_base(0);
    for (u32 g = 0; g < p.groups; g++) {
        u64 multiplier = groups[g * GROUP_WORDS + 1];
        u64 column = groups[g * GROUP_WORDS + 2];
        Ext value = get_ext(file, constants, (u32)groups[g * GROUP_WORDS]);
        u64 factor = 1;
        if (multiplier != NONE) {
            factor = multipliers[(multiplier & (((u64)1 << 56) - 1)) + (i >> (multiplier >> 56))];
        }
        if (column != NONE) {
            factor = gl_mul(factor, COLUMN_AT(column, i >> groups[g * GROUP_WORDS + 3]));
        }
        sum = ext_add(sum, ext_mul_base(value, factor));
    }
    ext_store(result, i, p.count, sum);
}

// Runs a program on a table in row order; each OP_STORE writes an extension column. A lower table repeats.
KERNEL(evaluate_rows, PROGRAM_BUFFERS OUT(7, u64, result), ProgramParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    u64 file[REGISTERS];
    for (u32 n = 0; n < p.instructions; n++) {
        u32 op = code[4 * n];
        u32 dst = code[4 * n + 1];
        u32 a = code[4 * n + 2];
        if (op <= OP_LOAD_EXT) {
            u64 column = loads[a * LOAD_WORDS];
            u64 load = loads[a * LOAD_WORDS + 1];
            // The height divides the number of rows, so that one reduction does for both.
            u64 at = (i + (u64)(i64)(i32)(u32)(load >> 32)) & (((u64)1 << (load & 63)) - 1);
            file[dst] = COLUMN_AT(column, at);
            if (op == OP_LOAD_EXT) {
                UNROLL for (u32 k = 1; k < DEGREE; k++) {
                    file[dst + k] = COLUMN_AT(column, ((u64)k << (load & 63)) + at);
                }
            }
        } else if (op == OP_STORE_BASE) {
            ext_store(result + dst * DEGREE * p.count, i, p.count, ext_from_base(get_base(file, constants, a)));
        } else if (op == OP_STORE_EXT) {
            ext_store(result + dst * DEGREE * p.count, i, p.count, get_ext(file, constants, a));
        } else {
            execute(file, constants, op, dst, a, code[4 * n + 3]);
        }
    }
}

struct MultiplierParams {
    // Of the domain of x^(2^log_base).
    u64 shift;
    u64 count;
    u64 threads;
    u64 first_target;
    u32 first_factor;
    u32 factors;
    u32 log_height;
    u32 log_base;
};

#define MULTIPLIER_ROWS 8
// A factor is two words: log2 of the power | inverse << 32, constant.
#define FACTOR_WORDS 2

// The product of (x^(2^log_power) - constant)^(+-1) over the factors of a group, the inverse of zero being zero, at the points of a
// coset in storage order. One inversion serves MULTIPLIER_ROWS.
KERNEL(make_multipliers, IN(0, u64, factors) IN(1, u64, twiddles) OUT(2, u64, multipliers), MultiplierParams) {
    u64 thread = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (thread >= p.threads) {
        return;
    }
    u64 numerator[MULTIPLIER_ROWS];
    u64 denominator[MULTIPLIER_ROWS];
    u64 prefix[MULTIPLIER_ROWS];
    u64 product = 1;
    UNROLL for (u32 r = 0; r < MULTIPLIER_ROWS; r++) {
        u64 i = thread + r * p.threads;
        numerator[r] = 1;
        denominator[r] = 1;
        if (i < p.count) {
            u64 point = p.log_height == 0 ? 1 : twiddles[i >> 1];
            u64 y = gl_mul((i & 1) != 0 ? gl_neg(point) : point, p.shift);
            for (u32 f = 0; f < p.factors; f++) {
                u64 head = factors[(p.first_factor + f) * FACTOR_WORDS];
                u64 constant = factors[(p.first_factor + f) * FACTOR_WORDS + 1];
                u64 value = gl_sub(gl_square_times(y, (u32)head - p.log_base), constant);
                if ((head >> 32) != 0) {
                    denominator[r] = gl_mul(denominator[r], value);
                } else {
                    numerator[r] = gl_mul(numerator[r], value);
                }
            }
        }
        prefix[r] = product;
        if (denominator[r] != 0) {
            product = gl_mul(product, denominator[r]);
        }
    }
    product = gl_inverse(product);
    UNROLL for (u32 k = MULTIPLIER_ROWS; k > 0; k--) {
        u32 r = k - 1;
        u64 inverse = 0;
        if (denominator[r] != 0) {
            inverse = gl_mul(product, prefix[r]);
            product = gl_mul(product, denominator[r]);
        }
        u64 i = thread + r * p.threads;
        if (i < p.count) {
            multipliers[p.first_target + i] = gl_mul(numerator[r], inverse);
        }
    }
}
