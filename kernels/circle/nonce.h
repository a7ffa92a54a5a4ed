// The nonces of the Circle protocol: blake2s.h comes before, grind.h after.
//
// Nonces are numbered in the order in which they are tried: the lower word below 2^20 counts first.

// Whether the first 16 bytes of the hash of digest || LE8(nonce), a little-endian number, end with p.bits zeros, at
// most 64.
FN bool grind_finds(u64 d0, u64 d1, u64 d2, u64 d3, u32 bits, u64 number) {
    u32 m[16];
    m[0] = (u32)d0;
    m[1] = (u32)(d0 >> 32);
    m[2] = (u32)d1;
    m[3] = (u32)(d1 >> 32);
    m[4] = (u32)d2;
    m[5] = (u32)(d2 >> 32);
    m[6] = (u32)d3;
    m[7] = (u32)(d3 >> 32);
    m[8] = (u32)number & 0xfffffu;
    m[9] = (u32)(number >> 20);
    UNROLL for (u32 k = 10; k < 16; k++) {
        m[k] = 0;
    }
    u32 h[8];
    blake2s_start(h);
    blake2s_compress(h, m, 40, true);
    u64 mask = bits < 64 ? ((u64)1 << bits) - 1 : ~(u64)0;
    return ((HASH_WORD(h[0], false) | ((u64)HASH_WORD(h[1], false) << 32)) & mask) == 0;
}
