// Operations on integers whose best form differs from chip to chip. After dialect.h.

// A number low + 2^64 high, high in two's complement where it is signed.
struct Wide {
    u64 low;
    u32 high;
};

// A number low + 2^64 high, and low + 2^64 high + 2^128 top.
struct Wide128 {
    u64 low;
    u64 high;
};

struct Wide160 {
    u64 low;
    u64 high;
    u32 top;
};

// low + 2^32 middle + 2^64 high, each with what it carried beside it: no carry of a sum of products goes further, so
// that a product costs eight instructions.
struct SplitSum {
    u64 low;
    u64 middle;
    u64 high;
    u32 low_carry;
    u32 middle_carry;
    u32 high_carry;
};

// The halves of a product of two u32.
struct Halves {
    u32 low;
    u32 high;
};

FN Wide wide(u64 low, u32 high) {
    Wide r;
    r.low = low;
    r.high = high;
    return r;
}

FN SplitSum split_zero() {
    SplitSum s;
    s.low = 0;
    s.middle = 0;
    s.high = 0;
    s.low_carry = 0;
    s.middle_carry = 0;
    s.high_carry = 0;
    return s;
}

// The sum of fewer than 2^30 products.
FN Wide160 split_joined(SplitSum s) {
    Wide160 r;
    r.low = s.low + (s.middle << 32);
    // Below 2^64, as there are fewer than 2^31 carries.
    u64 above = ((u64)s.middle_carry << 32) + (s.middle >> 32) + s.low_carry + (r.low < s.low ? 1 : 0);
    r.high = s.high + above;
    r.top = s.high_carry + (r.high < above ? 1 : 0);
    return r;
}

#if defined(POLYSTARK_CUDA)

// a rotated to the right, n in 1..31.
#define ROTATE_RIGHT(a, n) __funnelshift_r((a), (a), (n))
// Makes the compiler forget what it knows of a u32.
#define OPAQUE(x) asm volatile("" : "+r"(x))

// min(a + b, c), as unsigned numbers; one instruction on Hopper.
FN u32 add_min(u32 a, u32 b, u32 c) {
    return __viaddmin_u32(a, b, c);
}

// a b. From a product of two u64 with upper halves of zero the compiler keeps a sum with such a half.
FN Halves mul_halves(u32 a, u32 b) {
    Halves r;
    asm("{\n\t"
        ".reg .u64 w;\n\t"
        "mul.wide.u32 w, %2, %3;\n\t"
        "mov.b64 {%0, %1}, w;\n\t"
        "}"
        : "=r"(r.low), "=r"(r.high)
        : "r"(a), "r"(b));
    return r;
}

// a ^ b ^ c, two instructions; written out, since a shared b ^ c would cost two more.
FN u64 xor3(u64 a, u64 b, u64 c) {
    u32 low, high;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(low) : "r"((u32)a), "r"((u32)b), "r"((u32)c));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(high) : "r"((u32)(a >> 32)), "r"((u32)(b >> 32)), "r"((u32)(c >> 32)));
    return ((u64)high << 32) | low;
}

// a ^ (~b & c), two instructions.
FN u64 xor_and_not(u64 a, u64 b, u64 c) {
    u32 low, high;
    asm("lop3.b32 %0, %1, %2, %3, 0xd2;" : "=r"(low) : "r"((u32)a), "r"((u32)b), "r"((u32)c));
    asm("lop3.b32 %0, %1, %2, %3, 0xd2;" : "=r"(high) : "r"((u32)(a >> 32)), "r"((u32)(b >> 32)), "r"((u32)(c >> 32)));
    return ((u64)high << 32) | low;
}

// a rotated to the left, n in 1..63 but not 32: two funnel shifts.
FN u64 rotate_left(u64 a, u32 n) {
    u32 low = (u32)a, high = (u32)(a >> 32);
    u32 new_low = n < 32 ? __funnelshift_l(high, low, n) : __funnelshift_l(low, high, n - 32);
    u32 new_high = n < 32 ? __funnelshift_l(low, high, n) : __funnelshift_l(high, low, n - 32);
    return ((u64)new_high << 32) | new_low;
}

// The eight bytes of a in the opposite order.
FN u64 swap_bytes(u64 a) {
    return ((u64)__byte_perm((u32)a, 0, 0x0123) << 32) | __byte_perm((u32)(a >> 32), 0, 0x0123);
}

FN Wide wide_add(Wide a, Wide b) {
    Wide r;
    asm("add.cc.u64 %0, %2, %3;\n\taddc.u32 %1, %4, %5;"
        : "=&l"(r.low), "=r"(r.high)
        : "l"(a.low), "l"(b.low), "r"(a.high), "r"(b.high));
    return r;
}

FN Wide wide_sub(Wide a, Wide b) {
    Wide r;
    asm("sub.cc.u64 %0, %2, %3;\n\tsubc.u32 %1, %4, %5;"
        : "=&l"(r.low), "=r"(r.high)
        : "l"(a.low), "l"(b.low), "r"(a.high), "r"(b.high));
    return r;
}

// The upper word of a 2^k, k in 1..31.
FN u32 wide_shifted_high(Wide a, u32 k) {
    return __funnelshift_l((u32)(a.low >> 32), a.high, k);
}

// The lower words of a >> k, k in 1..31.
FN u64 wide_shifted_low(Wide a, u32 k) {
    u32 middle = (u32)(a.low >> 32);
    return ((u64)__funnelshift_r(middle, a.high, k) << 32) | __funnelshift_r((u32)a.low, middle, k);
}

// a b. Pairs of mad.lo and mad.hi become one wide instruction each.
FN Wide128 mul_wide(u64 a, u64 b) {
    Wide128 r;
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
        : "=l"(r.low), "=l"(r.high)
        : "l"(a), "l"(b));
    return r;
}

// s + a b. The cross products have a sum of their own, so that each of the four products is one wide instruction on an
// aligned pair.
FN Wide160 wide160_mac(Wide160 s, u64 a, u64 b) {
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
    return s;
}

// s + a b. Pairs of mad.lo and mad.hi become one wide instruction each.
FN SplitSum split_mac(SplitSum s, u64 a, u64 b) {
    asm("{\n\t"
        ".reg .u32 a0, a1, b0, b1, s0, s1;\n\t"
        "mov.b64 {a0, a1}, %6;\n\t"
        "mov.b64 {b0, b1}, %7;\n\t"
        "mov.b64 {s0, s1}, %0;\n\t"
        "mad.lo.cc.u32 s0, a0, b0, s0;\n\t"
        "madc.hi.cc.u32 s1, a0, b0, s1;\n\t"
        "addc.u32 %3, %3, 0;\n\t"
        "mov.b64 %0, {s0, s1};\n\t"
        "mov.b64 {s0, s1}, %1;\n\t"
        "mad.lo.cc.u32 s0, a0, b1, s0;\n\t"
        "madc.hi.cc.u32 s1, a0, b1, s1;\n\t"
        "addc.u32 %4, %4, 0;\n\t"
        "mad.lo.cc.u32 s0, a1, b0, s0;\n\t"
        "madc.hi.cc.u32 s1, a1, b0, s1;\n\t"
        "addc.u32 %4, %4, 0;\n\t"
        "mov.b64 %1, {s0, s1};\n\t"
        "mov.b64 {s0, s1}, %2;\n\t"
        "mad.lo.cc.u32 s0, a1, b1, s0;\n\t"
        "madc.hi.cc.u32 s1, a1, b1, s1;\n\t"
        "addc.u32 %5, %5, 0;\n\t"
        "mov.b64 %2, {s0, s1};\n\t"
        "}"
        : "+l"(s.low), "+l"(s.middle), "+l"(s.high), "+r"(s.low_carry), "+r"(s.middle_carry), "+r"(s.high_carry)
        : "l"(a), "l"(b));
    return s;
}

#else

#if defined(POLYSTARK_METAL)
#define ROTATE_RIGHT(a, n) rotate((u32)(a), 32u - (n))
#else
#define ROTATE_RIGHT(a, n) (((a) >> (n)) | ((a) << (32 - (n))))
#endif
#define OPAQUE(x)

FN u32 add_min(u32 a, u32 b, u32 c) {
    u32 sum = a + b;
    return sum < c ? sum : c;
}

// a b.
#if WIDE_BY_LIMBS
FN u64 mul_32(u32 a, u32 b) {
    return ((u64)MUL_HI_32(a, b) << 32) | a * b;
}
#else
FN u64 mul_32(u32 a, u32 b) {
    return (u64)a * b;
}
#endif

FN Halves mul_halves(u32 a, u32 b) {
    u64 product = mul_32(a, b);
    Halves r;
    r.low = (u32)product;
    r.high = (u32)(product >> 32);
    return r;
}

FN u64 xor3(u64 a, u64 b, u64 c) {
    return a ^ b ^ c;
}

FN u64 xor_and_not(u64 a, u64 b, u64 c) {
    return a ^ (~b & c);
}

FN u64 rotate_left(u64 a, u32 n) {
    return (a << n) | (a >> (64 - n));
}

FN u64 swap_bytes(u64 a) {
    a = (a >> 32) | (a << 32);
    a = ((a >> 16) & 0x0000ffff0000ffff) | ((a & 0x0000ffff0000ffff) << 16);
    return ((a >> 8) & 0x00ff00ff00ff00ff) | ((a & 0x00ff00ff00ff00ff) << 8);
}

FN Wide wide_add(Wide a, Wide b) {
    u64 low = a.low + b.low;
    return wide(low, a.high + b.high + (low < b.low ? 1 : 0));
}

FN Wide wide_sub(Wide a, Wide b) {
    return wide(a.low - b.low, a.high - b.high - (a.low < b.low ? 1 : 0));
}

FN u32 wide_shifted_high(Wide a, u32 k) {
    return (a.high << k) | (u32)(a.low >> (64 - k));
}

FN u64 wide_shifted_low(Wide a, u32 k) {
    return (a.low >> k) | ((u64)a.high << (64 - k));
}

#if WIDE_BY_LIMBS
FN Wide128 mul_wide(u64 a, u64 b) {
    u32 a0 = (u32)a, a1 = (u32)(a >> 32), b0 = (u32)b, b1 = (u32)(b >> 32);
    u64 low = mul_32(a0, b0);
    u64 middle = mul_32(a1, b0) + (low >> 32);
    // At most (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1 as the sum before, so neither carries.
    u64 other = mul_32(a0, b1) + (u32)middle;
    Wide128 r;
    r.low = (other << 32) | (u32)low;
    r.high = mul_32(a1, b1) + (middle >> 32) + (other >> 32);
    return r;
}
#else
FN Wide128 mul_wide(u64 a, u64 b) {
    Wide128 r;
    r.low = a * b;
    r.high = MUL_HI(a, b);
    return r;
}
#endif

FN Wide160 wide160_mac(Wide160 s, u64 a, u64 b) {
    Wide128 product = mul_wide(a, b);
    s.low += product.low;
    // The upper half is at most 2^64 - 2, so the carry fits.
    u64 high = product.high + (s.low < product.low ? 1 : 0);
    s.high += high;
    s.top += s.high < high ? 1 : 0;
    return s;
}

FN SplitSum split_mac(SplitSum s, u64 a, u64 b) {
    u32 a0 = (u32)a, a1 = (u32)(a >> 32), b0 = (u32)b, b1 = (u32)(b >> 32);
    u64 low = mul_32(a0, b0), first = mul_32(a0, b1), second = mul_32(a1, b0), high = mul_32(a1, b1);
    s.low += low;
    s.low_carry += s.low < low ? 1 : 0;
    s.middle += first;
    s.middle_carry += s.middle < first ? 1 : 0;
    s.middle += second;
    s.middle_carry += s.middle < second ? 1 : 0;
    s.high += high;
    s.high_carry += s.high < high ? 1 : 0;
    return s;
}

#endif
