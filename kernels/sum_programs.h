// Sums of constraint programs over corners, by the interpreter.

// A load of a column that is bound; the upper half of its second word says where it goes.
#define LOAD_BOUND                                               \
    {                                                            \
        Ext low_value;                                           \
        Ext high_value;                                          \
        Ext value;                                               \
        LOAD_EXT(low_value, a, i)                                \
        LOAD_EXT(high_value, a, i + 2 * p.count)                 \
        BIND(value, low_value, high_value, loads[a * LOAD_WORDS + 1] >> 32) \
        set_ext(file, dst, value);                               \
    }

#define STORE_SUM                                                                          \
    if (op == OP_STORE_BASE || op == OP_STORE_EXT) {                                       \
        Ext value = ext_from_base(0);                                                      \
        if (op == OP_STORE_BASE) {                                                         \
            value = ext_from_base(get_base(file, constants, a));                           \
        } else {                                                                           \
            value = get_ext(file, constants, a);                                           \
        }                                                                                  \
        u32 at = p.first_sum + dst * DEGREE;                                               \
        set_ext(file, at, ext_add(get_ext(file, constants, at), ext_mul(weight, value)));  \
    } else

#define NO_SUMS                                                \
    for (u32 s = 0; s < p.sums; s++) {                         \
        set_ext(file, p.first_sum + s * DEGREE, ext_from_base(0)); \
    }
#define ALL_SUMS                                                                       \
    for (u32 s = 0; s < p.sums; s++) {                                                 \
        SUM_OF_BLOCK(s, s, get_ext(file, constants, p.first_sum + s * DEGREE))            \
    }

// Weighted sums of outputs over all corners; each OP_STORE_EXT and OP_STORE_BASE is a summand.
KERNEL(evaluate_sums, SUM_BUFFERS, SumRowsParams) {
    SUM_BEGIN
    Base file[REGISTERS];
    NO_SUMS
    for (u64 i = sum_first; i < p.count; i += sum_step) {
        SUM_WEIGHT(weight)
        RUN(i, STORE_SUM)
    }
    ALL_SUMS
}

// The same of columns whose first variable is bound first.
KERNEL(evaluate_bound_sums, BOUND_SUM_BUFFERS, SumRowsParams) {
    SUM_BEGIN
    SUM_CHALLENGE
    Base file[REGISTERS];
    NO_SUMS
    for (u64 i = sum_first; i < p.count; i += sum_step) {
        SUM_WEIGHT(weight)
        RUN_WITH(LOAD_BOUND, STORE_SUM)
    }
    ALL_SUMS
}
