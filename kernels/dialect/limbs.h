// Numbers of 256 bits in words of 32, least significant first, with the carries of the chip. After integers.h.

struct Limbs {
    u32 w[8];
};

// A number of 512 bits.
struct LimbsPair {
    Limbs low;
    Limbs high;
};

// A sum, and its carry: 0 or 1.
struct LimbsCarry {
    Limbs sum;
    u32 carry;
};

#if defined(POLYSTARK_CUDA)

// a + b + carry; the carry is 0 or 1.
FN LimbsCarry limbs_sum(Limbs a, Limbs b, u32 carry) {
    LimbsCarry r;
    asm("{\n\t"
        ".reg .u32 c;\n\t"
        "add.cc.u32 c, %25, 0xffffffff;\n\t"
        "addc.cc.u32 %0, %9, %17;\n\t"
        "addc.cc.u32 %1, %10, %18;\n\t"
        "addc.cc.u32 %2, %11, %19;\n\t"
        "addc.cc.u32 %3, %12, %20;\n\t"
        "addc.cc.u32 %4, %13, %21;\n\t"
        "addc.cc.u32 %5, %14, %22;\n\t"
        "addc.cc.u32 %6, %15, %23;\n\t"
        "addc.cc.u32 %7, %16, %24;\n\t"
        "addc.u32 %8, 0, 0;\n\t"
        "}"
        : "=&r"(r.sum.w[0]), "=&r"(r.sum.w[1]), "=&r"(r.sum.w[2]), "=&r"(r.sum.w[3]), "=&r"(r.sum.w[4]),
          "=&r"(r.sum.w[5]), "=&r"(r.sum.w[6]), "=&r"(r.sum.w[7]), "=&r"(r.carry)
        : "r"(a.w[0]), "r"(a.w[1]), "r"(a.w[2]), "r"(a.w[3]), "r"(a.w[4]), "r"(a.w[5]), "r"(a.w[6]), "r"(a.w[7]),
          "r"(b.w[0]), "r"(b.w[1]), "r"(b.w[2]), "r"(b.w[3]), "r"(b.w[4]), "r"(b.w[5]), "r"(b.w[6]), "r"(b.w[7]),
          "r"(carry));
    return r;
}

// a + b mod 2^256.
FN Limbs limbs_add(Limbs a, Limbs b) {
    Limbs r;
    asm("{\n\t"
        "add.cc.u32 %0, %8, %16;\n\t"
        "addc.cc.u32 %1, %9, %17;\n\t"
        "addc.cc.u32 %2, %10, %18;\n\t"
        "addc.cc.u32 %3, %11, %19;\n\t"
        "addc.cc.u32 %4, %12, %20;\n\t"
        "addc.cc.u32 %5, %13, %21;\n\t"
        "addc.cc.u32 %6, %14, %22;\n\t"
        "addc.u32 %7, %15, %23;\n\t"
        "}"
        : "=&r"(r.w[0]), "=&r"(r.w[1]), "=&r"(r.w[2]), "=&r"(r.w[3]), "=&r"(r.w[4]), "=&r"(r.w[5]),
          "=&r"(r.w[6]), "=&r"(r.w[7])
        : "r"(a.w[0]), "r"(a.w[1]), "r"(a.w[2]), "r"(a.w[3]), "r"(a.w[4]), "r"(a.w[5]), "r"(a.w[6]), "r"(a.w[7]),
          "r"(b.w[0]), "r"(b.w[1]), "r"(b.w[2]), "r"(b.w[3]), "r"(b.w[4]), "r"(b.w[5]), "r"(b.w[6]), "r"(b.w[7]));
    return r;
}

// a - b mod 2^256.
FN Limbs limbs_sub(Limbs a, Limbs b) {
    Limbs r;
    asm("{\n\t"
        "sub.cc.u32 %0, %8, %16;\n\t"
        "subc.cc.u32 %1, %9, %17;\n\t"
        "subc.cc.u32 %2, %10, %18;\n\t"
        "subc.cc.u32 %3, %11, %19;\n\t"
        "subc.cc.u32 %4, %12, %20;\n\t"
        "subc.cc.u32 %5, %13, %21;\n\t"
        "subc.cc.u32 %6, %14, %22;\n\t"
        "subc.u32 %7, %15, %23;\n\t"
        "}"
        : "=&r"(r.w[0]), "=&r"(r.w[1]), "=&r"(r.w[2]), "=&r"(r.w[3]), "=&r"(r.w[4]), "=&r"(r.w[5]),
          "=&r"(r.w[6]), "=&r"(r.w[7])
        : "r"(a.w[0]), "r"(a.w[1]), "r"(a.w[2]), "r"(a.w[3]), "r"(a.w[4]), "r"(a.w[5]), "r"(a.w[6]), "r"(a.w[7]),
          "r"(b.w[0]), "r"(b.w[1]), "r"(b.w[2]), "r"(b.w[3]), "r"(b.w[4]), "r"(b.w[5]), "r"(b.w[6]), "r"(b.w[7]));
    return r;
}

// r[0..9] += b (a0 + 2^64 a1 + 2^128 a2 + 2^192 a3), which must not carry out of r[8]. Pairs of mad.lo and mad.hi
// become one wide instruction each.
FN void limbs_mac(LOCAL u32* r, u32 a0, u32 a1, u32 a2, u32 a3, u32 b) {
    u32 s0, s1, s2, s3, s4, s5, s6, s7, s8;
    asm("{\n\t"
        "mad.lo.cc.u32 %0, %18, %22, %9;\n\t"
        "madc.hi.cc.u32 %1, %18, %22, %10;\n\t"
        "madc.lo.cc.u32 %2, %19, %22, %11;\n\t"
        "madc.hi.cc.u32 %3, %19, %22, %12;\n\t"
        "madc.lo.cc.u32 %4, %20, %22, %13;\n\t"
        "madc.hi.cc.u32 %5, %20, %22, %14;\n\t"
        "madc.lo.cc.u32 %6, %21, %22, %15;\n\t"
        "madc.hi.cc.u32 %7, %21, %22, %16;\n\t"
        "addc.u32 %8, %17, 0;\n\t"
        "}"
        : "=&r"(s0), "=&r"(s1), "=&r"(s2), "=&r"(s3), "=&r"(s4), "=&r"(s5), "=&r"(s6), "=&r"(s7), "=&r"(s8)
        : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(r[8]),
          "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b));
    r[0] = s0;
    r[1] = s1;
    r[2] = s2;
    r[3] = s3;
    r[4] = s4;
    r[5] = s5;
    r[6] = s6;
    r[7] = s7;
    r[8] = s8;
}

// The same of fewer words: r[0..3], r[0..5], r[0..7].
FN void limbs_mac_1(LOCAL u32* r, u32 a0, u32 b) {
    u32 s0, s1, s2;
    asm("{\n\t"
        "mad.lo.cc.u32 %0, %6, %7, %3;\n\t"
        "madc.hi.cc.u32 %1, %6, %7, %4;\n\t"
        "addc.u32 %2, %5, 0;\n\t"
        "}"
        : "=&r"(s0), "=&r"(s1), "=&r"(s2)
        : "r"(r[0]), "r"(r[1]), "r"(r[2]),
          "r"(a0), "r"(b));
    r[0] = s0;
    r[1] = s1;
    r[2] = s2;
}

FN void limbs_mac_2(LOCAL u32* r, u32 a0, u32 a1, u32 b) {
    u32 s0, s1, s2, s3, s4;
    asm("{\n\t"
        "mad.lo.cc.u32 %0, %10, %12, %5;\n\t"
        "madc.hi.cc.u32 %1, %10, %12, %6;\n\t"
        "madc.lo.cc.u32 %2, %11, %12, %7;\n\t"
        "madc.hi.cc.u32 %3, %11, %12, %8;\n\t"
        "addc.u32 %4, %9, 0;\n\t"
        "}"
        : "=&r"(s0), "=&r"(s1), "=&r"(s2), "=&r"(s3), "=&r"(s4)
        : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]),
          "r"(a0), "r"(a1), "r"(b));
    r[0] = s0;
    r[1] = s1;
    r[2] = s2;
    r[3] = s3;
    r[4] = s4;
}

FN void limbs_mac_3(LOCAL u32* r, u32 a0, u32 a1, u32 a2, u32 b) {
    u32 s0, s1, s2, s3, s4, s5, s6;
    asm("{\n\t"
        "mad.lo.cc.u32 %0, %14, %17, %7;\n\t"
        "madc.hi.cc.u32 %1, %14, %17, %8;\n\t"
        "madc.lo.cc.u32 %2, %15, %17, %9;\n\t"
        "madc.hi.cc.u32 %3, %15, %17, %10;\n\t"
        "madc.lo.cc.u32 %4, %16, %17, %11;\n\t"
        "madc.hi.cc.u32 %5, %16, %17, %12;\n\t"
        "addc.u32 %6, %13, 0;\n\t"
        "}"
        : "=&r"(s0), "=&r"(s1), "=&r"(s2), "=&r"(s3), "=&r"(s4), "=&r"(s5), "=&r"(s6)
        : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]),
          "r"(a0), "r"(a1), "r"(a2), "r"(b));
    r[0] = s0;
    r[1] = s1;
    r[2] = s2;
    r[3] = s3;
    r[4] = s4;
    r[5] = s5;
    r[6] = s6;
}

// r += a0^2 + 2^64 a1^2 + 2^128 a2^2 + ..., which must not carry out of the sixteen words.
FN void limbs_add_squares(LOCAL LimbsPair* r, Limbs a) {
    u32 s[16];
    asm("{\n\t"
        "mad.lo.cc.u32 %0, %32, %32, %16;\n\t"
        "madc.hi.cc.u32 %1, %32, %32, %17;\n\t"
        "madc.lo.cc.u32 %2, %33, %33, %18;\n\t"
        "madc.hi.cc.u32 %3, %33, %33, %19;\n\t"
        "madc.lo.cc.u32 %4, %34, %34, %20;\n\t"
        "madc.hi.cc.u32 %5, %34, %34, %21;\n\t"
        "madc.lo.cc.u32 %6, %35, %35, %22;\n\t"
        "madc.hi.cc.u32 %7, %35, %35, %23;\n\t"
        "madc.lo.cc.u32 %8, %36, %36, %24;\n\t"
        "madc.hi.cc.u32 %9, %36, %36, %25;\n\t"
        "madc.lo.cc.u32 %10, %37, %37, %26;\n\t"
        "madc.hi.cc.u32 %11, %37, %37, %27;\n\t"
        "madc.lo.cc.u32 %12, %38, %38, %28;\n\t"
        "madc.hi.cc.u32 %13, %38, %38, %29;\n\t"
        "madc.lo.cc.u32 %14, %39, %39, %30;\n\t"
        "madc.hi.u32 %15, %39, %39, %31;\n\t"
        "}"
        : "=&r"(s[0]), "=&r"(s[1]), "=&r"(s[2]), "=&r"(s[3]), "=&r"(s[4]), "=&r"(s[5]), "=&r"(s[6]), "=&r"(s[7]),
          "=&r"(s[8]), "=&r"(s[9]), "=&r"(s[10]), "=&r"(s[11]), "=&r"(s[12]), "=&r"(s[13]), "=&r"(s[14]), "=&r"(s[15])
        : "r"(r->low.w[0]), "r"(r->low.w[1]), "r"(r->low.w[2]), "r"(r->low.w[3]), "r"(r->low.w[4]), "r"(r->low.w[5]), "r"(r->low.w[6]), "r"(r->low.w[7]),
          "r"(r->high.w[0]), "r"(r->high.w[1]), "r"(r->high.w[2]), "r"(r->high.w[3]), "r"(r->high.w[4]), "r"(r->high.w[5]), "r"(r->high.w[6]), "r"(r->high.w[7]),
          "r"(a.w[0]), "r"(a.w[1]), "r"(a.w[2]), "r"(a.w[3]), "r"(a.w[4]), "r"(a.w[5]), "r"(a.w[6]), "r"(a.w[7]));
    UNROLL for (u32 k = 0; k < 8; k++) {
        r->low.w[k] = s[k];
        r->high.w[k] = s[8 + k];
    }
}

// a[0..10] - b[0..10] without its first word.
FN void limbs_sub_10(LOCAL u32* r, LOCAL const u32* a, LOCAL const u32* b) {
    u32 s0, s1, s2, s3, s4, s5, s6, s7, s8;
    asm("{\n\t"
        ".reg .u32 d;\n\t"
        "sub.cc.u32 d, %9, %19;\n\t"
        "subc.cc.u32 %0, %10, %20;\n\t"
        "subc.cc.u32 %1, %11, %21;\n\t"
        "subc.cc.u32 %2, %12, %22;\n\t"
        "subc.cc.u32 %3, %13, %23;\n\t"
        "subc.cc.u32 %4, %14, %24;\n\t"
        "subc.cc.u32 %5, %15, %25;\n\t"
        "subc.cc.u32 %6, %16, %26;\n\t"
        "subc.cc.u32 %7, %17, %27;\n\t"
        "subc.u32 %8, %18, %28;\n\t"
        "}"
        : "=&r"(s0), "=&r"(s1), "=&r"(s2), "=&r"(s3), "=&r"(s4), "=&r"(s5), "=&r"(s6), "=&r"(s7), "=&r"(s8)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(a[8]),
          "r"(a[9]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]),
          "r"(b[8]), "r"(b[9]));
    r[0] = s0;
    r[1] = s1;
    r[2] = s2;
    r[3] = s3;
    r[4] = s4;
    r[5] = s5;
    r[6] = s6;
    r[7] = s7;
    r[8] = s8;
}

// a[0..9] - b[0..9] without its first word.
FN Limbs limbs_sub_9(LOCAL const u32* a, LOCAL const u32* b) {
    Limbs r;
    asm("{\n\t"
        ".reg .u32 d;\n\t"
        "sub.cc.u32 d, %8, %17;\n\t"
        "subc.cc.u32 %0, %9, %18;\n\t"
        "subc.cc.u32 %1, %10, %19;\n\t"
        "subc.cc.u32 %2, %11, %20;\n\t"
        "subc.cc.u32 %3, %12, %21;\n\t"
        "subc.cc.u32 %4, %13, %22;\n\t"
        "subc.cc.u32 %5, %14, %23;\n\t"
        "subc.cc.u32 %6, %15, %24;\n\t"
        "subc.u32 %7, %16, %25;\n\t"
        "}"
        : "=&r"(r.w[0]), "=&r"(r.w[1]), "=&r"(r.w[2]), "=&r"(r.w[3]), "=&r"(r.w[4]), "=&r"(r.w[5]),
          "=&r"(r.w[6]), "=&r"(r.w[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(a[8]),
          "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]), "r"(b[8]));
    return r;
}

#else

FN LimbsCarry limbs_sum(Limbs a, Limbs b, u32 carry) {
    LimbsCarry r;
    UNROLL for (u32 k = 0; k < 8; k++) {
        u64 sum = (u64)a.w[k] + b.w[k] + carry;
        r.sum.w[k] = (u32)sum;
        carry = (u32)(sum >> 32);
    }
    r.carry = carry;
    return r;
}

FN Limbs limbs_add(Limbs a, Limbs b) {
    return limbs_sum(a, b, 0).sum;
}

FN Limbs limbs_sub(Limbs a, Limbs b) {
    u32 borrow = 0;
    UNROLL for (u32 k = 0; k < 8; k++) {
        u64 difference = (u64)a.w[k] - b.w[k] - borrow;
        a.w[k] = (u32)difference;
        borrow = (u32)(difference >> 63);
    }
    return a;
}

// r[0..2 count + 1] += b (a0 + 2^64 a1 + ...).
FN void limbs_mac_of(LOCAL u32* r, LOCAL const u32* a, u32 count, u32 b) {
    u32 carry = 0;
    UNROLL for (u32 k = 0; k < count; k++) {
        u64 product = mul_32(a[k], b);
        u64 low = (u64)r[2 * k] + (u32)product + carry;
        u64 high = (u64)r[2 * k + 1] + (product >> 32) + (low >> 32);
        r[2 * k] = (u32)low;
        r[2 * k + 1] = (u32)high;
        carry = (u32)(high >> 32);
    }
    r[2 * count] += carry;
}

FN void limbs_mac(LOCAL u32* r, u32 a0, u32 a1, u32 a2, u32 a3, u32 b) {
    u32 a[4] = {a0, a1, a2, a3};
    limbs_mac_of(r, a, 4, b);
}

FN void limbs_mac_1(LOCAL u32* r, u32 a0, u32 b) {
    limbs_mac_of(r, &a0, 1, b);
}

FN void limbs_mac_2(LOCAL u32* r, u32 a0, u32 a1, u32 b) {
    u32 a[2] = {a0, a1};
    limbs_mac_of(r, a, 2, b);
}

FN void limbs_mac_3(LOCAL u32* r, u32 a0, u32 a1, u32 a2, u32 b) {
    u32 a[3] = {a0, a1, a2};
    limbs_mac_of(r, a, 3, b);
}

FN void limbs_add_squares(LOCAL LimbsPair* r, Limbs a) {
    u32 carry = 0;
    UNROLL for (u32 k = 0; k < 8; k++) {
        LOCAL u32* w = k < 4 ? r->low.w + 2 * k : r->high.w + 2 * k - 8;
        u64 square = mul_32(a.w[k], a.w[k]);
        u64 low = (u64)w[0] + (u32)square + carry;
        u64 high = (u64)w[1] + (square >> 32) + (low >> 32);
        w[0] = (u32)low;
        w[1] = (u32)high;
        carry = (u32)(high >> 32);
    }
}

FN void limbs_sub_10(LOCAL u32* r, LOCAL const u32* a, LOCAL const u32* b) {
    u32 borrow = a[0] < b[0] ? 1 : 0;
    UNROLL for (u32 k = 0; k < 9; k++) {
        u64 difference = (u64)a[k + 1] - b[k + 1] - borrow;
        r[k] = (u32)difference;
        borrow = (u32)(difference >> 63);
    }
}

FN Limbs limbs_sub_9(LOCAL const u32* a, LOCAL const u32* b) {
    Limbs r;
    u32 borrow = a[0] < b[0] ? 1 : 0;
    UNROLL for (u32 k = 0; k < 8; k++) {
        u64 difference = (u64)a[k + 1] - b[k + 1] - borrow;
        r.w[k] = (u32)difference;
        borrow = (u32)(difference >> 63);
    }
    return r;
}

#endif

// The number of two sums of words: the first begins at word 0, the second at word 1.
FN LimbsPair limbs_joined(LOCAL const u32* even, LOCAL const u32* odd) {
    Limbs x, y;
    x.w[0] = even[0];
    y.w[0] = 0;
    UNROLL for (u32 k = 1; k < 8; k++) {
        x.w[k] = even[k];
        y.w[k] = odd[k - 1];
    }
    LimbsCarry low = limbs_sum(x, y, 0);
    UNROLL for (u32 k = 0; k < 8; k++) {
        x.w[k] = even[8 + k];
        y.w[k] = odd[7 + k];
    }
    LimbsPair r;
    r.low = low.sum;
    r.high = limbs_sum(x, y, low.carry).sum;
    return r;
}

// 2 a mod 2^512.
FN LimbsPair limbs_doubled(LimbsPair a) {
    LimbsCarry low = limbs_sum(a.low, a.low, 0);
    LimbsPair r;
    r.low = low.sum;
    r.high = limbs_sum(a.high, a.high, low.carry).sum;
    return r;
}

// r[0..9] = a 2^bits, 0 < bits < 32.
FN void limbs_shifted(LOCAL u32* r, Limbs a, u32 bits) {
    r[0] = a.w[0] << bits;
    UNROLL for (u32 k = 1; k < 8; k++) {
        r[k] = (a.w[k] << bits) | (a.w[k - 1] >> (32 - bits));
    }
    r[8] = a.w[7] >> (32 - bits);
}
