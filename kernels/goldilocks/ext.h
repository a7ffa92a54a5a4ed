// The field of the challenges, Ext, of degree DEGREE over the base field: the cubic extension, or the base field
// itself. Coordinates are canonical in and out of every function. In memory coordinate k of element i is at k * stride
// + i.

#if DEGREE == 3

typedef Fp3 Ext;
#define ext_add fp3_add
#define ext_sub fp3_sub
#define ext_neg fp3_neg
#define ext_mul fp3_mul
#define ext_mul_base fp3_mul_base
#define ext_inverse fp3_inverse

#elif DEGREE == 1

struct Ext {
    u64 c[1];
};

FN Ext ext_new(u64 c0) {
    Ext r;
    r.c[0] = c0;
    return r;
}
FN Ext ext_add(Ext a, Ext b) {
    return ext_new(gl_add(a.c[0], b.c[0]));
}
FN Ext ext_sub(Ext a, Ext b) {
    return ext_new(gl_sub(a.c[0], b.c[0]));
}
FN Ext ext_neg(Ext a) {
    return ext_new(gl_neg(a.c[0]));
}
FN Ext ext_mul(Ext a, Ext b) {
    return ext_new(gl_mul(a.c[0], b.c[0]));
}
FN Ext ext_mul_base(Ext a, u64 b) {
    return ext_new(gl_mul(a.c[0], b));
}
FN Ext ext_inverse(Ext a) {
    return ext_new(gl_inverse(a.c[0]));
}

#else
#error "DEGREE is 1 or 3"
#endif

FN Ext ext_from_base(u64 a) {
    Ext r;
    r.c[0] = a;
    UNROLL for (u32 k = 1; k < DEGREE; k++) {
        r.c[k] = 0;
    }
    return r;
}

FN Ext ext_add_base(Ext a, u64 b) {
    a.c[0] = gl_add(a.c[0], b);
    return a;
}

FN Ext ext_sub_base(Ext a, u64 b) {
    a.c[0] = gl_sub(a.c[0], b);
    return a;
}

FN bool ext_is_zero(Ext a) {
    u64 bits = 0;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        bits |= a.c[k];
    }
    return bits == 0;
}

FN Ext ext_load(GLOBAL const u64* p, u64 index, u64 stride) {
    Ext r;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        r.c[k] = p[k * stride + index];
    }
    return r;
}

// Coordinates one after the other.
FN Ext ext_at(GLOBAL const u64* words) {
    return ext_load(words, 0, 1);
}

// The same of an array of any address space.
#if DEGREE == 3
#define EXT_OF(words, n) fp3_new((words)[n], (words)[(n) + 1], (words)[(n) + 2])
#else
#define EXT_OF(words, n) ext_new((words)[n])
#endif

FN void ext_store(GLOBAL u64* p, u64 index, u64 stride, Ext a) {
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        p[k * stride + index] = a.c[k];
    }
}

// a^e; 0^0 = 1.
FN Ext ext_pow(Ext a, u64 e) {
    Ext result = ext_from_base(1);
    while (e != 0) {
        if ((e & 1) != 0) {
            result = ext_mul(result, a);
        }
        a = ext_mul(a, a);
        e >>= 1;
    }
    return result;
}

// An unreduced sum of products of an extension and a base element.
struct ExtSum {
    GlSum c[DEGREE];
};

FN ExtSum ext_sum_zero() {
    ExtSum s;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        s.c[k] = gl_sum_zero();
    }
    return s;
}

FN ExtSum ext_sum_mac(ExtSum s, Ext a, u64 b) {
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        s.c[k] = gl_sum_mac(s.c[k], a.c[k], b);
    }
    return s;
}

FN Ext ext_sum_reduce(ExtSum s) {
    Ext r;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        r.c[k] = gl_sum_reduce(s.c[k]);
    }
    return r;
}

// The same for many products, fewer than 2^30: cheaper ones, and more registers.
#define DOT_COLUMNS 2
#define ext_dot_fold(s) (s)
struct ExtDot {
    SplitSum c[DEGREE];
};

FN ExtDot ext_dot_zero() {
    ExtDot s;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        s.c[k] = split_zero();
    }
    return s;
}

FN ExtDot ext_dot_mac(ExtDot s, Ext a, u64 b) {
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        s.c[k] = split_mac(s.c[k], a.c[k], b);
    }
    return s;
}

FN Ext ext_dot_reduce(ExtDot s) {
    Ext r;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        r.c[k] = gl_sum_reduce(split_joined(s.c[k]));
    }
    return r;
}

// The same without the last step: coordinates are any u64.
FN Ext ext_dot_reduce_lazy(ExtDot s) {
    Ext r;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        r.c[k] = gl_sum_reduce_lazy(split_joined(s.c[k]));
    }
    return r;
}

// The same without the last step: coordinates are any u64.
FN Ext ext_sum_reduce_lazy(ExtSum s) {
    Ext r;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        r.c[k] = gl_sum_reduce_lazy(s.c[k]);
    }
    return r;
}

// s + a b, both in the extension; coordinates of b may be any u64.
FN ExtSum ext_sum_mac_ext(ExtSum s, Ext a, Ext b) {
#if DEGREE == 3
    u64 twice1 = gl_add(a.c[1], a.c[1]);
    u64 twice2 = gl_add(a.c[2], a.c[2]);
    s.c[0] = gl_sum_mac(gl_sum_mac(gl_sum_mac(s.c[0], a.c[0], b.c[0]), twice1, b.c[2]), twice2, b.c[1]);
    s.c[1] = gl_sum_mac(gl_sum_mac(gl_sum_mac(s.c[1], a.c[0], b.c[1]), a.c[1], b.c[0]), twice2, b.c[2]);
    s.c[2] = gl_sum_mac(gl_sum_mac(gl_sum_mac(s.c[2], a.c[0], b.c[2]), a.c[1], b.c[1]), a.c[2], b.c[0]);
#else
    s.c[0] = gl_sum_mac(s.c[0], a.c[0], b.c[0]);
#endif
    return s;
}

FN ExtSum ext_sum_from(Ext a) {
    ExtSum s = ext_sum_zero();
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        s.c[k].low = a.c[k];
    }
    return s;
}

// Products whose coordinates are any u64, as may be those of a.
FN Ext ext_mul_lazy(Ext a, Ext b) {
    return ext_sum_reduce_lazy(ext_sum_mac_ext(ext_sum_zero(), b, a));
}

FN Ext ext_mul_base_lazy(Ext a, u64 b) {
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        a.c[k] = gl_mul_lazy(a.c[k], b);
    }
    return a;
}

// The type of a sum of products; the first factor of a product in the extension is canonical, and with a minus sign the
// second is.
#define Accumulator ExtSum
#define accumulator_zero ext_sum_zero
#define accumulator_from ext_sum_from
#define accumulator_product_base(a, b) ext_sum_mac(ext_sum_zero(), a, b)
#define accumulator_product_ext(a, b) ext_sum_mac_ext(ext_sum_zero(), a, b)
#define accumulate_base ext_sum_mac
#define accumulate_ext ext_sum_mac_ext
#define accumulate_base_negative(sum, a, b) ext_sum_mac(sum, a, gl_neg(b))
#define accumulate_ext_negative(sum, a, b) ext_sum_mac_ext(sum, a, ext_neg(b))
#define accumulator_reduce ext_sum_reduce
#define accumulator_reduce_lazy ext_sum_reduce_lazy
