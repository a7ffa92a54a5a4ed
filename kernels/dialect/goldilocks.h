// Folds of wide integers modulo p = 2^64 - 2^32 + 1, by 2^64 = 2^32 - 1 and 2^96 = -1. After integers.h.

#define GL_P ((u64)0xffffffff00000001)
#define GL_EPSILON ((u64)0xffffffff)

#if defined(POLYSTARK_CUDA)

// Canonical in and out. A lazy value, any u64, may be what is subtracted from: the difference is lazy then. A borrow
// left 2^64 too much: take 2^32 - 1 off, which is its mask as 32 bits.
FN u64 gl_sub(u64 a, u64 b) {
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
}

// r = low + 2^64 high + 2^128 top, of %0 = r, %1 = low, %2 = high and the operand `top`, which is a literal where it
// can be: the compiler keeps a register for a zero that it is given as a value.
//
// With high = upper 2^32 + middle and 2^128 = -2^32 that is low + (2^32 - 1) middle - (top 2^32 + upper), a number r +
// 2^64 m with m in {-1, 0, 1}, hence r + (2^32 - 1) m, which is r + m 2^32 less m and stays in range.
#define GL_REDUCE160(top)                                \
    "{\n\t"                                              \
    ".reg .u32 middle, upper, m, sign, r0, r1;\n\t"      \
    ".reg .u64 w;\n\t"                                   \
    "mov.b64 {middle, upper}, %2;\n\t"                   \
    "mul.wide.u32 w, middle, 0xffffffff;\n\t"            \
    "add.cc.u64 w, w, %1;\n\t"                           \
    "addc.u32 m, 0, 0;\n\t"                              \
    "mov.b64 {r0, r1}, w;\n\t"                           \
    "sub.cc.u32 r0, r0, upper;\n\t"                      \
    "subc.cc.u32 r1, r1, " top ";\n\t"                   \
    "subc.u32 m, m, 0;\n\t"                              \
    "shr.s32 sign, m, 31;\n\t"                           \
    "add.u32 r1, r1, m;\n\t"                             \
    "sub.cc.u32 r0, r0, m;\n\t"                          \
    "subc.u32 r1, r1, sign;\n\t"                         \
    "mov.b64 %0, {r0, r1};\n\t"                          \
    "}"

// low + 2^64 high + 2^128 top with top < 2^31, any u64 out.
FN u64 gl_reduce160_lazy(u64 low, u64 high, u32 top) {
    u64 r;
    asm(GL_REDUCE160("%3") : "=l"(r) : "l"(low), "l"(high), "r"(top));
    return r;
}

// low + 2^64 high, any values, any u64 out.
FN u64 gl_reduce128_lazy(u64 low, u64 high) {
    u64 r;
    asm(GL_REDUCE160("0") : "=l"(r) : "l"(low), "l"(high));
    return r;
}

// a + b, any u64 out, for a sum that is below 2^64 + 2^63 where it carries.
FN u64 gl_add_lazy(u64 a, u64 b) {
    u64 r;
    asm("{\n\t"
        ".reg .u32 m;\n\t"
        ".reg .u64 w;\n\t"
        "add.cc.u64 %0, %1, %2;\n\t"
        "addc.u32 m, 0, 0;\n\t"
        "mul.wide.u32 w, m, 0xffffffff;\n\t"
        "add.u64 %0, %0, w;\n\t"
        "}"
        : "=&l"(r)
        : "l"(a), "l"(b));
    return r;
}

// Numbers of three words that a shift made, the top one signed, `sign` being -1 or 0: low + 2^64 word2. More of it than
// in the portable form is in multiply-add instructions: those have a pipe of their own.
FN Wide gl_fold64(u64 low, u32 word2, u32 sign) {
    Wide r;
    asm("{\n\t"
        ".reg .u64 t;\n\t"
        "mov.b64 t, {0, %3};\n\t"
        "mad.wide.s32 t, %3, -1, t;\n\t"
        "add.cc.u64 %0, %2, t;\n\t"
        "addc.u32 %1, %4, 0;\n\t"
        "}"
        : "=l"(r.low), "=r"(r.high)
        : "l"(low), "r"(word2), "r"(sign));
    return r;
}

// The same for 2^32 word0 + 2^64 word1 + 2^96 word2.
FN Wide gl_fold96(u32 word0, u32 word1, u32 word2, u32 sign) {
    Wide r;
    asm("{\n\t"
        ".reg .u32 r0, r1, r2;\n\t"
        "mad.lo.cc.u32 r0, %3, 0xffffffff, 0;\n\t"
        "madc.hi.cc.u32 r1, %3, 0xffffffff, %2;\n\t"
        "addc.u32 r2, 0, 0;\n\t"
        "sub.cc.u32 r0, r0, %4;\n\t"
        "subc.cc.u32 r1, r1, %5;\n\t"
        "subc.u32 %1, r2, %5;\n\t"
        "mov.b64 %0, {r0, r1};\n\t"
        "}"
        : "=l"(r.low), "=r"(r.high)
        : "r"(word0), "r"(word1), "r"(word2), "r"(sign));
    return r;
}

// low + (2^32 - 1) high, with the carry; high counts as unsigned.
FN Wide gl_fold_once(Wide a) {
    Wide r;
    asm("{\n\t"
        ".reg .u64 w;\n\t"
        "mul.wide.u32 w, %3, 0xffffffff;\n\t"
        "add.cc.u64 %0, w, %2;\n\t"
        "addc.u32 %1, 0, 0;\n\t"
        "}"
        : "=l"(r.low), "=r"(r.high)
        : "l"(a.low), "r"(a.high));
    return r;
}

// a b, a number above -2^32 and at most 2^65 - 2^33.
//
// a b = w + 2^32 m + 2^64 h, the middle products m with a carry c. h takes the upper word of m and c as its addend.
// With h0, h1 the words of that, the value is w + 2^32 m0 + (2^32 - 1) h0 - h1.
FN Wide gl_product_wide(u64 a, u64 b) {
    Wide r;
    asm("{\n\t"
        ".reg .u32 a0, a1, b0, b1, w0, w1, h0, h1, m0, m1, c, n;\n\t"
        ".reg .u64 w, m, k, t;\n\t"
        "mov.b64 {a0, a1}, %2;\n\t"
        "mov.b64 {b0, b1}, %3;\n\t"
        "mul.wide.u32 w, a0, b0;\n\t"
        "mul.wide.u32 m, a0, b1;\n\t"
        "mul.wide.u32 k, a1, b0;\n\t"
        "add.cc.u64 m, m, k;\n\t"
        "addc.u32 c, 0, 0;\n\t"
        "mov.b64 {w0, w1}, w;\n\t"
        "mov.b64 {m0, m1}, m;\n\t"
        "add.cc.u32 w1, w1, m0;\n\t"
        "madc.lo.cc.u32 h0, a1, b1, m1;\n\t"
        "madc.hi.u32 h1, a1, b1, c;\n\t"
        "mov.b64 w, {w0, w1};\n\t"
        "cvt.u64.u32 k, h1;\n\t"
        "sub.cc.u64 w, w, k;\n\t"
        "subc.u32 n, 0, 0;\n\t"
        "mul.wide.u32 t, h0, 0xffffffff;\n\t"
        "add.cc.u64 %0, t, w;\n\t"
        "addc.u32 %1, n, 0;\n\t"
        "}"
        : "=l"(r.low), "=r"(r.high)
        : "l"(a), "l"(b));
    return r;
}

// The result of gl_product_wide as a u64: low + (2^32 - 1) high, which neither borrows nor carries.
FN u64 gl_narrow(Wide a) {
    u64 r;
    asm("{\n\t"
        ".reg .u32 t0, t1, sign;\n\t"
        "mov.b64 {t0, t1}, %1;\n\t"
        "shr.s32 sign, %2, 31;\n\t"
        "add.u32 t1, t1, %2;\n\t"
        "sub.cc.u32 t0, t0, %2;\n\t"
        "subc.u32 t1, t1, sign;\n\t"
        "mov.b64 %0, {t0, t1};\n\t"
        "}"
        : "=l"(r)
        : "l"(a.low), "r"(a.high));
    return r;
}

#else

FN u64 gl_sub(u64 a, u64 b) {
    return a < b ? a - b + GL_P : a - b;
}

FN u64 gl_reduce160_lazy(u64 low, u64 high, u32 top) {
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
}

FN u64 gl_reduce128_lazy(u64 low, u64 high) {
    return gl_reduce160_lazy(low, high, 0);
}

FN u64 gl_add_lazy(u64 a, u64 b) {
    u64 r = a + b;
    return r < b ? r + GL_EPSILON : r;
}

FN Wide gl_fold64(u64 low, u32 word2, u32 sign) {
    // word2 2^64 = word2 2^32 - word2, a signed number of 64 bits.
    u64 extended = ((u64)sign << 32) | word2;
    return wide_add(wide(low, 0), wide(((u64)word2 << 32) - extended, sign));
}

FN Wide gl_fold96(u32 word0, u32 word1, u32 word2, u32 sign) {
    // word0 2^32 + word1 (2^32 - 1) - word2.
    Wide sum = wide_add(wide((u64)word1 * 0xffffffffu, 0), wide((u64)word0 << 32, 0));
    return wide_sub(sum, wide(((u64)sign << 32) | word2, sign));
}

FN Wide gl_fold_once(Wide a) {
    return wide_add(wide(a.low, 0), wide(a.high * GL_EPSILON, 0));
}

FN Wide gl_product_wide(u64 a, u64 b) {
    // With h0, h1 the words of the product's upper half, low + (2^32 - 1) h0 - h1.
    Wide128 product = mul_wide(a, b);
    Wide difference = wide_sub(wide(product.low, 0), wide(product.high >> 32, 0));
    return wide_add(difference, wide((product.high & GL_EPSILON) * GL_EPSILON, 0));
}

FN u64 gl_narrow(Wide a) {
    u64 high = (u64)(i64)(i32)a.high;
    return a.low + (high << 32) - high;
}

#endif
