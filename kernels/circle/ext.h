// The extensions of M31: Complex = M31[i]/(i^2 + 1), and Ext = Complex[u]/(u^2 - 2 - i), the field of the challenges.
// Coordinates are canonical in and out of every function. In memory coordinate k of element n is at k * stride + n.

#define DEGREE 4

struct Complex {
    u32 re;
    u32 im;
};

FN Complex complex_new(u32 re, u32 im) {
    Complex r;
    r.re = re;
    r.im = im;
    return r;
}

FN Complex complex_sub(Complex a, Complex b) {
    return complex_new(m31_sub(a.re, b.re), m31_sub(a.im, b.im));
}

FN Complex complex_mul(Complex a, Complex b) {
    u64 re = (u64)a.re * b.re + (u64)a.im * (M31_P - b.im);
    u64 im = (u64)a.re * b.im + (u64)a.im * b.re;
    return complex_new(m31_reduce64(re), m31_reduce64(im));
}

FN bool complex_is_zero(Complex a) {
    return (a.re | a.im) == 0;
}

// 1/a, and 0 for 0: the conjugate over the norm.
FN Complex complex_inverse(Complex a) {
    u32 inverse = m31_inverse(m31_reduce64((u64)a.re * a.re + (u64)a.im * a.im));
    return complex_new(m31_mul(a.re, inverse), m31_mul(m31_neg(a.im), inverse));
}

// (2 + i) a.
FN Complex complex_times_two_plus_i(Complex a) {
    return complex_new(m31_sub(m31_add(a.re, a.re), a.im), m31_add(a.re, m31_add(a.im, a.im)));
}

struct Ext {
    u32 c[4];
};

FN Ext ext_new(u32 c0, u32 c1, u32 c2, u32 c3) {
    Ext r;
    r.c[0] = c0;
    r.c[1] = c1;
    r.c[2] = c2;
    r.c[3] = c3;
    return r;
}

FN Ext ext_from_base(u32 a) {
    return ext_new(a, 0, 0, 0);
}

FN Ext ext_from_complex(Complex z0, Complex z1) {
    return ext_new(z0.re, z0.im, z1.re, z1.im);
}

FN Ext ext_add(Ext a, Ext b) {
    return ext_new(m31_add(a.c[0], b.c[0]), m31_add(a.c[1], b.c[1]), m31_add(a.c[2], b.c[2]), m31_add(a.c[3], b.c[3]));
}

FN Ext ext_sub(Ext a, Ext b) {
    return ext_new(m31_sub(a.c[0], b.c[0]), m31_sub(a.c[1], b.c[1]), m31_sub(a.c[2], b.c[2]), m31_sub(a.c[3], b.c[3]));
}

FN Ext ext_neg(Ext a) {
    return ext_new(m31_neg(a.c[0]), m31_neg(a.c[1]), m31_neg(a.c[2]), m31_neg(a.c[3]));
}

FN Ext ext_add_base(Ext a, u32 b) {
    a.c[0] = m31_add(a.c[0], b);
    return a;
}

FN Ext ext_sub_base(Ext a, u32 b) {
    a.c[0] = m31_sub(a.c[0], b);
    return a;
}

FN Ext ext_mul_base(Ext a, u32 b) {
    u32 twice = b + b;
    return ext_new(m31_mul_twice(a.c[0], twice), m31_mul_twice(a.c[1], twice), m31_mul_twice(a.c[2], twice),
                   m31_mul_twice(a.c[3], twice));
}

FN Ext ext_mul_complex(Ext a, Complex b) {
    return ext_from_complex(complex_mul(complex_new(a.c[0], a.c[1]), b), complex_mul(complex_new(a.c[2], a.c[3]), b));
}

// z0 w0 + (2 + i) z1 w1 + (z0 w1 + z1 w0) u. Four products are at most 4 p^2 < 2^64.
FN Ext ext_mul(Ext a, Ext b) {
    u64 neg1 = M31_P - b.c[1];
    u64 neg3 = M31_P - b.c[3];
    u64 r = m31_reduce64((u64)a.c[2] * b.c[2] + a.c[3] * neg3);
    u64 s = m31_reduce64((u64)a.c[2] * b.c[3] + (u64)a.c[3] * b.c[2]);
    u64 c0 = (u64)a.c[0] * b.c[0] + a.c[1] * neg1 + 2 * r + (M31_P - s);
    u64 c1 = (u64)a.c[0] * b.c[1] + (u64)a.c[1] * b.c[0] + r + 2 * s;
    u64 c2 = (u64)a.c[0] * b.c[2] + a.c[1] * neg3 + (u64)a.c[2] * b.c[0] + a.c[3] * neg1;
    u64 c3 = (u64)a.c[0] * b.c[3] + (u64)a.c[1] * b.c[2] + (u64)a.c[2] * b.c[1] + (u64)a.c[3] * b.c[0];
    return ext_new(m31_reduce64(c0), m31_reduce64(c1), m31_reduce64(c2), m31_reduce64(c3));
}

// 1/a, and 0 for 0: the conjugate z0 - z1 u over the norm z0^2 - (2 + i) z1^2.
FN Ext ext_inverse(Ext a) {
    Complex z0 = complex_new(a.c[0], a.c[1]);
    Complex z1 = complex_new(a.c[2], a.c[3]);
    Complex norm = complex_sub(complex_mul(z0, z0), complex_times_two_plus_i(complex_mul(z1, z1)));
    Ext conjugate = ext_new(a.c[0], a.c[1], m31_neg(a.c[2]), m31_neg(a.c[3]));
    return ext_mul_complex(conjugate, complex_inverse(norm));
}

FN bool ext_is_zero(Ext a) {
    return (a.c[0] | a.c[1] | a.c[2] | a.c[3]) == 0;
}

FN Ext ext_load(GLOBAL const u32* p, u64 index, u64 stride) {
    return ext_new(p[index], p[stride + index], p[2 * stride + index], p[3 * stride + index]);
}

// Coordinates one after the other.
FN Ext ext_at(GLOBAL const u32* words) {
    return ext_load(words, 0, 1);
}

FN void ext_store(GLOBAL u32* p, u64 index, u64 stride, Ext a) {
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        p[k * stride + index] = a.c[k];
    }
}

// A sum of products of an extension and a base element. Between two calls of ext_sum_fold there is room for four
// products.
struct ExtSum {
    u64 c[DEGREE];
};

FN ExtSum ext_sum_zero() {
    ExtSum s;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        s.c[k] = 0;
    }
    return s;
}

FN ExtSum ext_sum_from(Ext a) {
    ExtSum s;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        s.c[k] = a.c[k];
    }
    return s;
}

// 4 (p - 1)^2 + 2^34 < 2^64.
FN ExtSum ext_sum_mac(ExtSum s, Ext a, u32 b) {
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        s.c[k] += (u64)a.c[k] * b;
    }
    return s;
}

// The same sum, below 2^34.
FN ExtSum ext_sum_fold(ExtSum s) {
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        s.c[k] = (s.c[k] & M31_P) + (s.c[k] >> 31);
    }
    return s;
}

FN Ext ext_sum_reduce(ExtSum s) {
    return ext_new(m31_reduce64(s.c[0]), m31_reduce64(s.c[1]), m31_reduce64(s.c[2]), m31_reduce64(s.c[3]));
}

// As kernels of both protocols name it, where there are many products.
#define DOT_COLUMNS 4
#define ExtDot ExtSum
#define ext_dot_zero ext_sum_zero
#define ext_dot_mac ext_sum_mac
#define ext_dot_fold ext_sum_fold
#define ext_dot_reduce ext_sum_reduce
