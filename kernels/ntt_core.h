// Discrete Fourier transforms of up to 16 points in registers, over the field modulo p = 2^64 - 2^32 + 1.
//
// 2 has order 192 = 12 * 16 and the fixed root of order 16 is 2^156, so every factor inside is a power of 2. Values are kept as
// signed numbers of 96 bits, of absolute value far below 2^95, and sums need no reduction. A product by 2^s is a shift by
// s mod 32 to 96 bits, then by words, folded with 2^64 = 2^32 - 1 and 2^96 = -1 to less than 2^65 + 2^33.
//
// Sizes: inputs are below 2^64. A level at most doubles, a fold is below 2^65 + 2^33, so after four levels the absolute value is
// below 2^68 + 2^36. 32 p = 2^69 - 2^37 + 32 is added to input 0, which reaches each output with factor 1 and is never shifted:
// so outputs are not negative, and below 2^70.

struct NttWide {
    u64 low;
    // Two's complement.
    u32 high;
};

FN NttWide ntt_wide(u64 a) {
    NttWide r;
    r.low = a;
    r.high = 0;
    return r;
}

FN NttWide ntt_add(NttWide a, NttWide b) {
    NttWide r;
#if defined(POLYSTARK_CUDA)
    asm("add.cc.u64 %0, %2, %4;\n\t"
        "addc.u32 %1, %3, %5;"
        : "=l"(r.low), "=r"(r.high)
        : "l"(a.low), "r"(a.high), "l"(b.low), "r"(b.high));
#else
    r.low = a.low + b.low;
    r.high = a.high + b.high + (r.low < a.low ? 1 : 0);
#endif
    return r;
}

FN NttWide ntt_sub(NttWide a, NttWide b) {
    NttWide r;
#if defined(POLYSTARK_CUDA)
    asm("sub.cc.u64 %0, %2, %4;\n\t"
        "subc.u32 %1, %3, %5;"
        : "=l"(r.low), "=r"(r.high)
        : "l"(a.low), "r"(a.high), "l"(b.low), "r"(b.high));
#else
    r.low = a.low - b.low;
    r.high = a.high - b.high - (a.low < b.low ? 1 : 0);
#endif
    return r;
}

// a 2^shift for 0 <= shift < 96, a constant once loops are unrolled. a 2^(shift mod 32) must fit 96 signed bits.
FN NttWide ntt_shift(NttWide a, u32 shift) {
    if (shift == 0) {
        return a;
    }
    u32 bits = shift & 31;
    u64 upper = ((u64)a.high << 32) | (a.low >> 32);
    // The words of a 2^bits; the top one is signed.
    u64 shifted = a.low << bits;
    u32 word0 = (u32)shifted;
    u32 word1 = (u32)(shifted >> 32);
    u32 word2 = (u32)((upper << bits) >> 32);
    u32 sign = (u32)((i32)word2 >> 31);
    NttWide r;
#if defined(POLYSTARK_CUDA)
    // As below, with more of it in multiply-add instructions: those have a pipe of their own.
    if (shift < 32) {
        asm("{\n\t"
            ".reg .u64 t;\n\t"
            "mov.b64 t, {0, %3};\n\t"
            "mad.wide.s32 t, %3, -1, t;\n\t"
            "add.cc.u64 %0, %2, t;\n\t"
            "addc.u32 %1, %4, 0;\n\t"
            "}"
            : "=l"(r.low), "=r"(r.high)
            : "l"(shifted), "r"(word2), "r"(sign));
        return r;
    }
    if (shift < 64) {
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
#endif
    if (shift < 32) {
        // word2 2^64 = word2 2^32 - word2, a signed number of 64 bits.
        u64 extended = ((u64)sign << 32) | word2;
        NttWide q;
        q.low = ((u64)word2 << 32) - extended;
        q.high = sign;
        r = ntt_add(ntt_wide(shifted), q);
    } else if (shift < 64) {
        // word0 2^32 + word1 (2^32 - 1) - word2.
        NttWide q;
        q.low = ((u64)sign << 32) | word2;
        q.high = sign;
        r = ntt_sub(ntt_add(ntt_wide((u64)word1 * 0xffffffffu), ntt_wide((u64)word0 << 32)), q);
    } else {
        // word0 (2^32 - 1) - word1 - word2 2^32.
        NttWide q;
        q.low = ((u64)word2 << 32) | word1;
        q.high = sign;
        r = ntt_sub(ntt_wide((u64)word0 * 0xffffffffu), q);
    }
    return r;
}

// (a - b) 2^shift for 0 <= shift < 192: 2^96 = -1.
FN NttWide ntt_sub_shift(NttWide a, NttWide b, u32 shift) {
    return shift < 96 ? ntt_shift(ntt_sub(a, b), shift) : ntt_shift(ntt_sub(b, a), shift - 96);
}

// Any u64 out. Not negative, below 2^95.
FN u64 ntt_narrow(NttWide a) {
    u64 middle = (u64)a.high * 0xffffffffu;
#if defined(POLYSTARK_CUDA)
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
        : "l"(a.low), "l"(middle));
    return r;
#else
    u64 r = a.low + middle;
    // The sum was below 2^64 + 2^63, so this does not carry again.
    return r < middle ? r + GL_EPSILON : r;
#endif
}

FN u32 ntt_reverse(u32 i, u32 bits) {
    return ((i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3) >> (4 - bits);
}

// x[k] for k in natural order becomes x[reverse(k)] = sum over i of x[i] w^(i k), w the root of order 2^LOG. LOG <= 4.
template <u32 LOG>
FN void ntt_dft(LOCAL NttWide* x) {
    NttWide bias;
    bias.low = (u64)0 - ((u64)1 << 37) + 32;
    bias.high = 31;
    x[0] = ntt_add(x[0], bias);
    UNROLL
    for (u32 level = LOG; level > 0; level--) {
        u32 half = 1u << (level - 1);
        UNROLL
        for (u32 i = 0; i < (1u << LOG) / 2; i++) {
            u32 t = i & (half - 1);
            u32 at = 2 * i - t;
            NttWide a = x[at];
            NttWide b = x[at + half];
            x[at] = ntt_add(a, b);
            // The root of order 2^level is 2^(13 * 192 / 2^level).
            x[at + half] = ntt_sub_shift(a, b, (13 * (192 >> level) * t) % 192);
        }
    }
}
