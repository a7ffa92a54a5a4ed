// Discrete Fourier transforms of up to 16 points in registers, over the field modulo p = 2^64 - 2^32 + 1. After
// field.h.
//
// 2 has order 192 = 12 * 16 and the fixed root of order 16 is 2^156, so every factor inside is a power of 2. Values are
// kept as signed numbers of 96 bits, of absolute value far below 2^95, and sums need no reduction. A product by 2^s is
// a shift by s mod 32 to 96 bits, then by words, folded with 2^64 = 2^32 - 1 and 2^96 = -1 to less than 2^65 + 2^33.
//
// Sizes: inputs are below 2^64. A level at most doubles, a fold is below 2^65 + 2^33, so after four levels the absolute
// value is below 2^68 + 2^36. 32 p = 2^69 - 2^37 + 32 is added to input 0, which reaches each output with factor 1 and
// is never shifted: so outputs are not negative, and below 2^70.

// a 2^shift for 0 <= shift < 96, a constant once loops are unrolled. a 2^(shift mod 32) must fit 96 signed bits.
FN Wide ntt_shift(Wide a, u32 shift) {
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
    if (shift < 32) {
        return gl_fold64(shifted, word2, sign);
    }
    if (shift < 64) {
        return gl_fold96(word0, word1, word2, sign);
    }
    // word0 (2^32 - 1) - word1 - word2 2^32.
    return wide_sub(wide((u64)word0 * 0xffffffffu, 0), wide(((u64)word2 << 32) | word1, sign));
}

// (a - b) 2^shift for 0 <= shift < 192: 2^96 = -1.
FN Wide ntt_sub_shift(Wide a, Wide b, u32 shift) {
    return shift < 96 ? ntt_shift(wide_sub(a, b), shift) : ntt_shift(wide_sub(b, a), shift - 96);
}

// Any u64 out. Not negative, below 2^95.
FN u64 ntt_narrow(Wide a) {
    return gl_add_lazy(a.low, (u64)a.high * 0xffffffffu);
}

FN u32 ntt_reverse(u32 i, u32 bits) {
    return ((i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3) >> (4 - bits);
}

// x[k] for k in natural order becomes x[reverse(k)] = sum over i of x[i] w^(i k), w the root of order 2^LOG. LOG <= 4.
template <u32 LOG>
FN void ntt_dft(LOCAL Wide* x) {
    x[0] = wide_add(x[0], wide((u64)0 - ((u64)1 << 37) + 32, 31));
    UNROLL
    for (u32 level = LOG; level > 0; level--) {
        u32 distance = 1u << (level - 1);
        UNROLL
        for (u32 i = 0; i < (1u << LOG) / 2; i++) {
            u32 t = i & (distance - 1);
            u32 at = 2 * i - t;
            Wide a = x[at];
            Wide b = x[at + distance];
            x[at] = wide_add(a, b);
            // The root of order 2^level is 2^(13 * 192 / 2^level).
            x[at + distance] = ntt_sub_shift(a, b, (13 * (192 >> level) * t) % 192);
        }
    }
}
