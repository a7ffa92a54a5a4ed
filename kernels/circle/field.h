// The field of integers modulo p = 2^31 - 1.
//
// Canonical means in [0, p). 2^31 = 1 (mod p), so the 31-bit digits of a number add up.

#define M31_P 0x7fffffffu

// An element as kernels of both protocols name it.
typedef u32 Base;
#define base_add m31_add
#define base_sub m31_sub
#define base_neg m31_neg
#define base_mul m31_mul
#define base_shuffle_xor(a, mask) SHUFFLE_XOR(a, mask)

// A number of [0, 2p) to its canonical form: below p the subtraction wraps to a larger number.
FN u32 m31_reduce(u32 a) {
    return add_min(a, 0u - M31_P, a);
}

// Canonical in and out.
FN u32 m31_add(u32 a, u32 b) {
    return m31_reduce(a + b);
}

// Canonical in and out: where the difference is negative it has wrapped to a larger number.
FN u32 m31_sub(u32 a, u32 b) {
    u32 difference = a - b;
    return add_min(difference, M31_P, difference);
}

// Canonical in and out.
FN u32 m31_neg(u32 a) {
    return a == 0 ? a : M31_P - a;
}

// a b, canonical, for canonical a and twice_b twice a canonical b. With a b = 2^31 high + low the upper half of 2 a b
// is high and the lower one 2 low. (p - 1)^2 = (p - 3) 2^31 + 4, so that high <= p - 3 and high + low < 2p.
FN u32 m31_mul_twice(u32 a, u32 twice_b) {
    Halves product = mul_halves(a, twice_b);
    return m31_reduce(product.high + (product.low >> 1));
}

// Canonical in and out.
FN u32 m31_mul(u32 a, u32 b) {
    return m31_mul_twice(a, b + b);
}

// Any u64 to its canonical form.
FN u32 m31_reduce64(u64 a) {
    // The two lower digits add up to at most 2p, which becomes at most p; the upper one is at most 3.
    u32 low = m31_reduce(((u32)a & M31_P) + ((u32)(a >> 31) & M31_P));
    return m31_reduce(low + (u32)(a >> 62));
}

FN u32 m31_square_times(u32 a, u32 k) {
    for (u32 i = 0; i < k; i++) {
        a = m31_mul(a, a);
    }
    return a;
}

// 1/a, and 0 for 0: a^(p-2) with p - 2 = (2^29 - 1) 4 + 1; run_k = a^(2^k - 1). Canonical in and out.
FN u32 m31_inverse(u32 a) {
    u32 run2 = m31_mul(m31_mul(a, a), a);
    u32 run4 = m31_mul(m31_square_times(run2, 2), run2);
    u32 run5 = m31_mul(m31_mul(run4, run4), a);
    u32 run8 = m31_mul(m31_square_times(run4, 4), run4);
    u32 run16 = m31_mul(m31_square_times(run8, 8), run8);
    u32 run24 = m31_mul(m31_square_times(run16, 8), run8);
    u32 run29 = m31_mul(m31_square_times(run24, 5), run5);
    return m31_mul(m31_square_times(run29, 2), a);
}

// A sum of at most four products of canonical numbers, as kernels of both protocols name it.
#define BaseSum u64
#define base_sum_zero() ((u64)0)
#define base_sum_mac(sum, a, b) ((sum) + (u64)(a) * (b))
#define base_sum_reduce m31_reduce64
