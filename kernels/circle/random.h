// An element from 128 bits: random.h comes after, field.h before.

FN u32 random_element(u64 high, u64 low) {
    // 2^64 is 4 modulo the prime.
    return m31_add(m31_mul(m31_reduce64(high), 4), m31_reduce64(low));
}
