// The field of integers modulo p = 2^64 - 2^32 + 1.
//
// Canonical means in [0, p). dialect/goldilocks.h, which comes before, has p, differences and folds.

// An element as kernels of both protocols name it.
typedef u64 Base;
#define base_add gl_add
#define base_sub gl_sub
#define base_neg gl_neg
#define base_mul gl_mul
#define base_mul_lazy gl_mul_lazy

// Any u64 to its canonical form: 2^64 < 2p, so one subtraction is enough.
FN u64 gl_canonical(u64 a) {
    return a >= GL_P ? a - GL_P : a;
}

// Canonical in and out. a + b = a - (p - b), of which p - b may be p; so a may be lazy, as in a difference.
FN u64 gl_add(u64 a, u64 b) {
    return gl_sub(a, GL_P - b);
}

// Canonical in and out.
FN u64 gl_neg(u64 a) {
    return a == 0 ? a : GL_P - a;
}

// Any u64 in, any u64 out.
FN u64 gl_mul_lazy(u64 a, u64 b) {
    Wide128 product = mul_wide(a, b);
    return gl_reduce128_lazy(product.low, product.high);
}

// Any u64 in, canonical out.
FN u64 gl_mul(u64 a, u64 b) {
    return gl_canonical(gl_mul_lazy(a, b));
}

// Any u64 in, canonical out.
FN u64 gl_square(u64 a) {
    return gl_mul(a, a);
}

// a^(2^k) b, any u64 in and out.
FN u64 gl_square_times_mul_lazy(u64 a, u32 k, u64 b) {
    for (u32 i = 0; i < k; i++) {
        a = gl_mul_lazy(a, a);
    }
    return gl_mul_lazy(a, b);
}

// 1/a, and 0 for 0: a^(p-2) with p - 2 = (2^31 - 1) 2^33 + (2^32 - 1); run_k = a^(2^k - 1). Any u64 in, canonical out.
FN u64 gl_inverse(u64 a) {
    u64 run2 = gl_square_times_mul_lazy(a, 1, a);
    u64 run3 = gl_square_times_mul_lazy(run2, 1, a);
    u64 run6 = gl_square_times_mul_lazy(run3, 3, run3);
    u64 run12 = gl_square_times_mul_lazy(run6, 6, run6);
    u64 run24 = gl_square_times_mul_lazy(run12, 12, run12);
    u64 run30 = gl_square_times_mul_lazy(run24, 6, run6);
    u64 run31 = gl_square_times_mul_lazy(run30, 1, a);
    u64 run32 = gl_square_times_mul_lazy(run31, 1, a);
    return gl_canonical(gl_square_times_mul_lazy(run31, 33, run32));
}

// The value of the thread whose number in its group of 32 differs by `mask`; all of the group take part.
FN u64 base_shuffle_xor(u64 a, u32 mask) {
    u32 low = SHUFFLE_XOR((u32)a, mask);
    u32 high = SHUFFLE_XOR((u32)(a >> 32), mask);
    return ((u64)high << 32) | low;
}

// An unreduced sum of up to 2^31 products of any u64.
#define GlSum Wide160
#define gl_sum_mac wide160_mac
#define BaseSum GlSum
#define base_sum_zero gl_sum_zero
#define base_sum_mac gl_sum_mac
#define base_sum_reduce gl_sum_reduce

FN GlSum gl_sum_zero() {
    GlSum s;
    s.low = 0;
    s.high = 0;
    s.top = 0;
    return s;
}

// Any u64 out.
FN u64 gl_sum_reduce_lazy(GlSum s) {
    return gl_reduce160_lazy(s.low, s.high, s.top);
}

// Canonical.
FN u64 gl_sum_reduce(GlSum s) {
    return gl_canonical(gl_sum_reduce_lazy(s));
}
