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

// Runs the program. LOADED is what this kernel does for a load, STORE what it stores, as branches before the last
// `else`: op, dst and a are the instruction's.
#define RUN_WITH(LOADED, STORE)                                    \
    for (u32 n = 0; n < p.instructions; n++) {                     \
        u32 op = code[4 * n];                                      \
        u32 dst = code[4 * n + 1];                                 \
        u32 a = code[4 * n + 2];                                   \
        if (op <= OP_LOAD_EXT) {                                   \
            LOADED                                                 \
        } else STORE {                                             \
            execute(file, constants, op, dst, a, code[4 * n + 3]); \
        }                                                          \
    }
// A load finds its element at `index`, an expression of the load's second word.
#define RUN(index, STORE) RUN_WITH(LOAD(index), STORE)
