// The nonces of Poseidon252: poseidon252.h comes before, grind.h after.
//
// Nonces are numbered in the order in which they are tried: the lower word below 2^14 counts first.

// Whether the digest of the prefix and the nonce ends with p.bits zeros, at most 64.
FN bool grind_finds(u64 d0, u64 d1, u64 d2, u64 d3, u32 bits, u64 number) {
    u64 s[8] = {d0, d1, d2, d3, ((number >> 14) << 32) | (number & 0x3fff), 0, 0, 0};
    hash_pair(s, false);
    u64 mask = bits < 64 ? ((u64)1 << bits) - 1 : ~(u64)0;
    return (s[0] & mask) == 0;
}
