// The field of integers modulo p = 2^64 - 2^32 + 1.
//
// Canonical means in [0, p). 2^64 = 2^32 - 1 and 2^96 = -1 (mod p).

#define GL_P ((u64)0xffffffff00000001)
#define GL_EPSILON ((u64)0xffffffff)

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

// Canonical in and out. A lazy value, any u64, may be what is subtracted from: the difference is lazy then.
FN u64 gl_sub(u64 a, u64 b) {
#if defined(POLYSTARK_CUDA)
    // A borrow left 2^64 too much: take 2^32 - 1 off, which is its mask as 32 bits.
    u64 r;
    asm("{\n\t"
        ".reg .u32 r0, r1, mask;\n\t"
        "sub.cc.u64 %0, %1, %2;\n\t"
        "subc.u32 mask, 0, 0;\n\t"
        "mov.b64 {r0, r1}, %0;\n\t"
        "sub.cc.u32 r0, r0, mask;\n\t"
        "subc.u32 r1, r1, 0;\n\t"
        "mov.b64 %0, {r0, r1};\n\t"
        "}"
        : "=&l"(r)
        : "l"(a), "l"(b));
    return r;
#else
    return a < b ? a - b + GL_P : a - b;
#endif
}

// Canonical in and out. a + b = a - (p - b), of which p - b may be p; so a may be lazy, as in a difference.
FN u64 gl_add(u64 a, u64 b) {
    return gl_sub(a, GL_P - b);
}

// Canonical in and out.
FN u64 gl_neg(u64 a) {
    return a == 0 ? a : GL_P - a;
}

// low + 2^64 high + 2^128 top with top < 2^31, any u64 out.
FN u64 gl_reduce160_lazy(u64 low, u64 high, u32 top) {
#if defined(POLYSTARK_CUDA)
    // With high = upper 2^32 + middle and 2^128 = -2^32 the value is low + (2^32 - 1) middle - (top 2^32 + upper), a number r + 2^64 m
    // with m in {-1, 0, 1}, hence r + (2^32 - 1) m, which is r + m 2^32 less m and stays in range.
    u64 r;
    asm("{\n\t"
        ".reg .u32 middle, upper, m, sign, r0, r1;\n\t"
        ".reg .u64 w;\n\t"
        "mov.b64 {middle, upper}, %2;\n\t"
        "mul.wide.u32 w, middle, 0xffffffff;\n\t"
        "add.cc.u64 w, w, %1;\n\t"
        "addc.u32 m, 0, 0;\n\t"
        "mov.b64 {r0, r1}, w;\n\t"
        "sub.cc.u32 r0, r0, upper;\n\t"
        "subc.cc.u32 r1, r1, %3;\n\t"
        "subc.u32 m, m, 0;\n\t"
        "shr.s32 sign, m, 31;\n\t"
        "add.u32 r1, r1, m;\n\t"
        "sub.cc.u32 r0, r0, m;\n\t"
        "subc.u32 r1, r1, sign;\n\t"
        "mov.b64 %0, {r0, r1};\n\t"
        "}"
        : "=l"(r)
        : "l"(low), "l"(high), "r"(top));
    return r;
#else
    u64 middle = high & GL_EPSILON;
    u64 less = (u64)top << 32 | high >> 32;
    // low - less + (2^32 - 1) middle. A borrow left 2^64 too much: take 2^32 - 1 off, which cannot borrow again.
    u64 a = low - less;
    if (low < less) {
        a -= GL_EPSILON;
    }
    u64 b = (middle << 32) - middle;
    u64 sum = a + b;
    if (sum < b) {
        sum += GL_EPSILON;
    }
    return sum;
#endif
}

// low + 2^64 high, any values, any u64 out.
FN u64 gl_reduce128_lazy(u64 low, u64 high) {
    return gl_reduce160_lazy(low, high, 0);
}

// low + 2^64 high, any values; canonical out.
FN u64 gl_reduce128(u64 low, u64 high) {
    return gl_canonical(gl_reduce128_lazy(low, high));
}

// Any u64 in, any u64 out.
FN u64 gl_mul_lazy(u64 a, u64 b) {
#if defined(POLYSTARK_CUDA)
    // Pairs of mad.lo and mad.hi become one wide instruction each.
    u64 low, high;
    asm("{\n\t"
        ".reg .u32 a0, a1, b0, b1, r0, r1, r2, r3, m0, m1, m2;\n\t"
        ".reg .u64 w;\n\t"
        "mov.b64 {a0, a1}, %2;\n\t"
        "mov.b64 {b0, b1}, %3;\n\t"
        "mul.wide.u32 w, a0, b0;\n\t"
        "mov.b64 {r0, r1}, w;\n\t"
        "mul.wide.u32 w, a1, b1;\n\t"
        "mov.b64 {r2, r3}, w;\n\t"
        "mul.wide.u32 w, a0, b1;\n\t"
        "mov.b64 {m0, m1}, w;\n\t"
        "mad.lo.cc.u32 m0, a1, b0, m0;\n\t"
        "madc.hi.cc.u32 m1, a1, b0, m1;\n\t"
        "addc.u32 m2, 0, 0;\n\t"
        "add.cc.u32 r1, r1, m0;\n\t"
        "addc.cc.u32 r2, r2, m1;\n\t"
        "addc.u32 r3, r3, m2;\n\t"
        "mov.b64 %0, {r0, r1};\n\t"
        "mov.b64 %1, {r2, r3};\n\t"
        "}"
        : "=l"(low), "=l"(high)
        : "l"(a), "l"(b));
    return gl_reduce128_lazy(low, high);
#else
    return gl_reduce128_lazy(a * b, MUL_HI(a, b));
#endif
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

// a^e. Canonical in and out; 0^0 = 1.
FN u64 gl_pow(u64 a, u64 e) {
    u64 result = 1;
    while (e != 0) {
        if ((e & 1) != 0) {
            result = gl_mul(result, a);
        }
        a = gl_square(a);
        e >>= 1;
    }
    return result;
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

// An unreduced sum of up to 2^31 products: low + 2^64 high + 2^128 top.
struct GlSum {
    u64 low;
    u64 high;
    u32 top;
};

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

// s + a b, any u64 in.
FN GlSum gl_sum_mac(GlSum s, u64 a, u64 b) {
#if defined(POLYSTARK_CUDA)
    // The cross products have a sum of their own, so that each of the four products is one wide instruction on an aligned pair.
    asm("{\n\t"
        ".reg .u32 a0, a1, b0, b1, s0, s1, s2, s3, m0, m1, m2;\n\t"
        ".reg .u64 w;\n\t"
        "mov.b64 {a0, a1}, %3;\n\t"
        "mov.b64 {b0, b1}, %4;\n\t"
        "mov.b64 {s0, s1}, %0;\n\t"
        "mov.b64 {s2, s3}, %1;\n\t"
        "mul.wide.u32 w, a0, b1;\n\t"
        "mov.b64 {m0, m1}, w;\n\t"
        "mad.lo.cc.u32 m0, a1, b0, m0;\n\t"
        "madc.hi.cc.u32 m1, a1, b0, m1;\n\t"
        "addc.u32 m2, 0, 0;\n\t"
        "mad.lo.cc.u32 s0, a0, b0, s0;\n\t"
        "madc.hi.cc.u32 s1, a0, b0, s1;\n\t"
        "madc.lo.cc.u32 s2, a1, b1, s2;\n\t"
        "madc.hi.cc.u32 s3, a1, b1, s3;\n\t"
        "addc.u32 %2, %2, 0;\n\t"
        "add.cc.u32 s1, s1, m0;\n\t"
        "addc.cc.u32 s2, s2, m1;\n\t"
        "addc.cc.u32 s3, s3, m2;\n\t"
        "addc.u32 %2, %2, 0;\n\t"
        "mov.b64 %0, {s0, s1};\n\t"
        "mov.b64 %1, {s2, s3};\n\t"
        "}"
        : "+l"(s.low), "+l"(s.high), "+r"(s.top)
        : "l"(a), "l"(b));
#else
    u64 low = a * b;
    u64 high = MUL_HI(a, b);
    s.low += low;
    // high is at most 2^64 - 2, so the carry fits.
    high += s.low < low ? 1 : 0;
    s.high += high;
    s.top += s.high < high ? 1 : 0;
#endif
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
