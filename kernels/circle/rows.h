// Rows of a circle in storage order, for constraint programs: reverse.h comes before, constraints.h after.

// The index that is `rows` rows on from index i of a prefix of 2^log_size points, log_size > log_trace: on the half
// coset, whose points have the even indices, the position moves by 2^(log_size - log_trace - 1) a row, on the
// conjugates by as much back.
FN u64 storage_index(u64 i, u32 rows, u32 log_size, u32 log_trace) {
    u32 offset = rows & ((1u << log_trace) - 1);
    u32 steps = offset << (log_size - log_trace - 1);
    u32 position = reverse((u32)i >> 1, log_size - 1);
    position = (i & 1) == 0 ? position + steps : position - steps;
    // Modulo the half coset: what is above its bits falls out of the reversal.
    return ((u64)reverse(position, log_size - 1) << 1) | (i & 1);
}

// Where a load finds index `i`: all tables have the height of the domain.
#define STORAGE_AT(i, load) (i)

// The type of a sum of products.
#define Accumulator Ext
#define accumulator_zero() ext_from_base(0)
#define accumulator_from(value) (value)
#define accumulator_product_base(a, b) ext_mul_base(a, b)
#define accumulator_product_ext(a, b) ext_mul(a, b)
#define accumulate_base(sum, weight, value) ext_add(sum, ext_mul_base(weight, value))
#define accumulate_ext(sum, weight, value) ext_add(sum, ext_mul(weight, value))
#define accumulate_base_negative(sum, a, b) ext_sub(sum, ext_mul_base(a, b))
#define accumulate_ext_negative(sum, a, b) ext_sub(sum, ext_mul(a, b))
#define accumulator_reduce(sum) (sum)
#define accumulator_reduce_lazy(sum) (sum)

// There is no form that is cheaper to make than the canonical one.
#define base_mul_lazy base_mul
#define ext_mul_lazy ext_mul
#define ext_mul_base_lazy ext_mul_base

// Coordinates one after the other, of an array of any address space.
#define EXT_OF(words, n) ext_new((words)[n], (words)[(n) + 1], (words)[(n) + 2], (words)[(n) + 3])
