// The cubic extension c0 + c1 w + c2 w^2, w^3 = 2. Coordinates are canonical in and out of every function.

struct Fp3 {
    u64 c[3];
};

FN Fp3 fp3_new(u64 c0, u64 c1, u64 c2) {
    Fp3 r;
    r.c[0] = c0;
    r.c[1] = c1;
    r.c[2] = c2;
    return r;
}

FN Fp3 fp3_add(Fp3 a, Fp3 b) {
    return fp3_new(gl_add(a.c[0], b.c[0]), gl_add(a.c[1], b.c[1]), gl_add(a.c[2], b.c[2]));
}

FN Fp3 fp3_sub(Fp3 a, Fp3 b) {
    return fp3_new(gl_sub(a.c[0], b.c[0]), gl_sub(a.c[1], b.c[1]), gl_sub(a.c[2], b.c[2]));
}

FN Fp3 fp3_neg(Fp3 a) {
    return fp3_new(gl_neg(a.c[0]), gl_neg(a.c[1]), gl_neg(a.c[2]));
}

FN Fp3 fp3_mul_base(Fp3 a, u64 b) {
    return fp3_new(gl_mul(a.c[0], b), gl_mul(a.c[1], b), gl_mul(a.c[2], b));
}

// (a0 b0 + 2 (a1 b2 + a2 b1), a0 b1 + a1 b0 + 2 a2 b2, a0 b2 + a1 b1 + a2 b0): sums of three products, reduced once
// each.
FN Fp3 fp3_mul(Fp3 a, Fp3 b) {
    u64 twice1 = gl_add(b.c[1], b.c[1]);
    u64 twice2 = gl_add(b.c[2], b.c[2]);
    GlSum s0 = gl_sum_mac(gl_sum_zero(), a.c[0], b.c[0]);
    s0 = gl_sum_mac(s0, a.c[1], twice2);
    s0 = gl_sum_mac(s0, a.c[2], twice1);
    GlSum s1 = gl_sum_mac(gl_sum_zero(), a.c[0], b.c[1]);
    s1 = gl_sum_mac(s1, a.c[1], b.c[0]);
    s1 = gl_sum_mac(s1, a.c[2], twice2);
    GlSum s2 = gl_sum_mac(gl_sum_zero(), a.c[0], b.c[2]);
    s2 = gl_sum_mac(s2, a.c[1], b.c[1]);
    s2 = gl_sum_mac(s2, a.c[2], b.c[0]);
    return fp3_new(gl_sum_reduce(s0), gl_sum_reduce(s1), gl_sum_reduce(s2));
}

// 1/a, and 0 for 0: the adjugate over the norm,
// (c0^2 - 2 c1 c2, 2 c2^2 - c0 c1, c1^2 - c0 c2) / (c0 a0 + 2 (c2 a1 + c1 a2)).
FN Fp3 fp3_inverse(Fp3 a) {
    u64 c12 = gl_mul(a.c[1], a.c[2]);
    u64 c22 = gl_square(a.c[2]);
    u64 a0 = gl_sub(gl_square(a.c[0]), gl_add(c12, c12));
    u64 a1 = gl_sub(gl_add(c22, c22), gl_mul(a.c[0], a.c[1]));
    u64 a2 = gl_sub(gl_square(a.c[1]), gl_mul(a.c[0], a.c[2]));
    u64 cross = gl_add(gl_mul(a.c[2], a1), gl_mul(a.c[1], a2));
    u64 norm = gl_add(gl_mul(a.c[0], a0), gl_add(cross, cross));
    return fp3_mul_base(fp3_new(a0, a1, a2), gl_inverse(norm));
}
