// The Stark field, p = 2^251 + 17 2^192 + 1, in Montgomery form: x 2^256 mod p. After dialect/limbs.h.
//
// Numbers exceed p by small factors, which the comments say: a product of a < A p and b < B p is below (1 + A B / 32)
// p.

// The two highest words of p; below them are zeros and a 1.
#define FELT_SIX 17u
#define FELT_SEVEN 0x08000000u

// 2^512 mod p, which turns a number into its Montgomery form.
CONSTANT u32 FELT_SQUARE[8] = {
    0x7e000401u, 0xfffffd73u, 0x330fffffu, 0x00000001u, 0xff6f8000u, 0xffffffffu, 0x5e008810u, 0x07ffd4abu};

// t / 2^256 mod p, of t + p 2^256. The multiple q p that equals t mod 2^256 is subtracted: as the lowest word of p is 1
// and the next five are 0, the words of q are those of t, but for the highest two. The one p more keeps the result
// positive. 17 q and 2^27 q are made by shifts, beside which products of other threads are made.
FN Limbs felt_reduced(LimbsPair t) {
    u32 upper[10];
    upper[0] = t.low.w[6];
    upper[1] = t.low.w[7];
    UNROLL for (u32 k = 0; k < 8; k++) {
        upper[2 + k] = t.high.w[k];
    }
    Limbs q = t.low;
    u64 lowest = ((u64)q.w[1] << 32) | q.w[0];
    u64 highest = (((u64)q.w[7] << 32) | q.w[6]) - lowest * FELT_SIX - (lowest << 59);
    q.w[6] = (u32)highest;
    q.w[7] = (u32)(highest >> 32);
    // q times the two highest words of p, 17 and 2^27.
    u32 shifted[9];
    limbs_shifted(shifted, q, 4);
    Limbs sixteen;
    UNROLL for (u32 k = 0; k < 8; k++) {
        sixteen.w[k] = shifted[k];
    }
    LimbsCarry seventeen = limbs_sum(sixteen, q, 0);
    u32 times_six[10];
    UNROLL for (u32 k = 0; k < 8; k++) {
        times_six[k] = seventeen.sum.w[k];
    }
    times_six[8] = shifted[8] + seventeen.carry;
    times_six[9] = 0;
    u32 times_seven[9];
    limbs_shifted(times_seven, q, 27);
    u32 rest[9];
    limbs_sub_10(rest, upper, times_six);
    return limbs_sub_9(rest, times_seven);
}

// a b / 2^256 mod p. Words of products that begin at an even place have one sum, the others another, so that a product
// of two words is one instruction on an aligned pair.
FN Limbs felt_mul(Limbs a, Limbs b) {
    u32 even[17];
    u32 odd[15];
    UNROLL for (u32 k = 0; k < 17; k++) {
        even[k] = 0;
    }
    UNROLL for (u32 k = 0; k < 15; k++) {
        odd[k] = 0;
    }
    even[8] = 1;
    even[14] = FELT_SIX;
    even[15] = FELT_SEVEN;
    UNROLL for (u32 i = 0; i < 8; i += 2) {
        limbs_mac(even + i, a.w[0], a.w[2], a.w[4], a.w[6], b.w[i]);
        limbs_mac(odd + i, a.w[1], a.w[3], a.w[5], a.w[7], b.w[i]);
        limbs_mac(odd + i, a.w[0], a.w[2], a.w[4], a.w[6], b.w[i + 1]);
        limbs_mac(even + i + 2, a.w[1], a.w[3], a.w[5], a.w[7], b.w[i + 1]);
    }
    return felt_reduced(limbs_joined(even, odd));
}

// a^2 / 2^256 mod p, in 36 products of words where felt_mul takes 64: those of two different words are made once and
// doubled.
FN Limbs felt_square(Limbs a) {
    u32 even[17];
    u32 odd[17];
    UNROLL for (u32 k = 0; k < 17; k++) {
        even[k] = 0;
        odd[k] = 0;
    }
    // Half of p 2^256.
    odd[6] = 0x80000000u;
    odd[12] = (FELT_SIX & 1) << 31;
    odd[13] = FELT_SIX >> 1;
    odd[14] = FELT_SEVEN >> 1;
    limbs_mac(odd, a.w[1], a.w[3], a.w[5], a.w[7], a.w[0]);
    limbs_mac_3(even + 2, a.w[2], a.w[4], a.w[6], a.w[0]);
    limbs_mac_3(odd + 2, a.w[2], a.w[4], a.w[6], a.w[1]);
    limbs_mac_3(even + 4, a.w[3], a.w[5], a.w[7], a.w[1]);
    limbs_mac_3(odd + 4, a.w[3], a.w[5], a.w[7], a.w[2]);
    limbs_mac_2(even + 6, a.w[4], a.w[6], a.w[2]);
    limbs_mac_2(odd + 6, a.w[4], a.w[6], a.w[3]);
    limbs_mac_2(even + 8, a.w[5], a.w[7], a.w[3]);
    limbs_mac_2(odd + 8, a.w[5], a.w[7], a.w[4]);
    limbs_mac_1(even + 10, a.w[6], a.w[4]);
    limbs_mac_1(odd + 10, a.w[6], a.w[5]);
    limbs_mac_1(even + 12, a.w[7], a.w[5]);
    limbs_mac_1(odd + 12, a.w[7], a.w[6]);
    LimbsPair t = limbs_doubled(limbs_joined(even, odd));
    limbs_add_squares(&t, a);
    return felt_reduced(t);
}

// A number between -15p and 31p, where the negative ones are 2^256 more, to one from 2^251 to below 2.01p that is the
// same mod p. `is_signed`: it may be negative, and is below 15p.
FN Limbs felt_fold(Limbs a, bool is_signed) {
    // The highest bits, less one, times p.
    u32 times = (is_signed ? (u32)((i32)a.w[7] >> 27) : a.w[7] >> 27) - 1;
    u32 sign = (u32)((i32)times >> 31);
    Limbs multiple;
    multiple.w[0] = times;
    UNROLL for (u32 k = 1; k < 6; k++) {
        multiple.w[k] = sign;
    }
    multiple.w[6] = times * FELT_SIX + sign;
    multiple.w[7] = (times << 27) + sign;
    return limbs_sub(a, multiple);
}

// Below 2p to below p.
FN Limbs felt_canonical(Limbs a) {
    Limbs p;
    UNROLL for (u32 k = 0; k < 8; k++) {
        p.w[k] = 0;
    }
    p.w[0] = 1;
    p.w[6] = FELT_SIX;
    p.w[7] = FELT_SEVEN;
    Limbs less = limbs_sub(a, p);
    bool is_below = (i32)less.w[7] < 0;
    UNROLL for (u32 k = 0; k < 8; k++) {
        less.w[k] = is_below ? a.w[k] : less.w[k];
    }
    return less;
}

// A felt of a table of constants: eight words from `at` on.
#define FELT_CONSTANT(felt, table, at)             \
    Limbs felt;                                    \
    UNROLL for (u32 k = 0; k < 8; k++) {           \
        felt.w[k] = (table)[(at) + k];             \
    }

// The Montgomery form of any number of 256 bits; below 2p.
FN Limbs felt_of(Limbs number) {
    FELT_CONSTANT(square, FELT_SQUARE, 0)
    return felt_mul(number, square);
}

// The number below p that a felt is.
FN Limbs felt_number(Limbs a) {
    Limbs one;
    UNROLL for (u32 k = 0; k < 8; k++) {
        one.w[k] = k == 0 ? 1 : 0;
    }
    return felt_canonical(felt_mul(a, one));
}
