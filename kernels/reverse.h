// Bit reversal of indices.

// k with its low `bits` bits reversed; higher bits of k are dropped.
FN u32 reverse(u32 k, u32 bits) {
    return bits == 0 ? 0 : REVERSE_BITS(k) >> (32 - bits);
}
