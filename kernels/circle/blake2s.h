// Blake2s with 32 bytes of digest and no key: the compression, the hash of two nodes, the hash of a nonce. A header
// before it says what a word of a digest is, HASH_WORD of a word of the last state, and of whether the digest is wide.
//
// A digest is eight u32 whose bytes in memory are the digest's. Trees keep it as four u64, the lower half of each
// first.

// Resident blocks of the tree's kernels, which bounds the registers.
#define HASH_LEAF_BLOCKS 4
#define HASH_NODE_BLOCKS 4
#define HASH_TOP_BLOCKS 4
// Words of two digests.
#define HASH_STATE 8

#define BLAKE2S_IV0 0x6a09e667u
#define BLAKE2S_IV1 0xbb67ae85u
#define BLAKE2S_IV2 0x3c6ef372u
#define BLAKE2S_IV3 0xa54ff53au
#define BLAKE2S_IV4 0x510e527fu
#define BLAKE2S_IV5 0x9b05688cu
#define BLAKE2S_IV6 0x1f83d9abu
#define BLAKE2S_IV7 0x5be0cd19u

#define BLAKE2S_MIX(a, b, c, d, x, y)  \
    a = a + b + (x);                   \
    d = ROTATE_RIGHT(d ^ a, 16);     \
    c = c + d;                         \
    b = ROTATE_RIGHT(b ^ c, 12);     \
    a = a + b + (y);                   \
    d = ROTATE_RIGHT(d ^ a, 8);      \
    c = c + d;                         \
    b = ROTATE_RIGHT(b ^ c, 7);

#define BLAKE2S_ROUND(i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15) \
    BLAKE2S_MIX(v0, v4, v8, v12, m[i0], m[i1])                                              \
    BLAKE2S_MIX(v1, v5, v9, v13, m[i2], m[i3])                                              \
    BLAKE2S_MIX(v2, v6, v10, v14, m[i4], m[i5])                                             \
    BLAKE2S_MIX(v3, v7, v11, v15, m[i6], m[i7])                                             \
    BLAKE2S_MIX(v0, v5, v10, v15, m[i8], m[i9])                                             \
    BLAKE2S_MIX(v1, v6, v11, v12, m[i10], m[i11])                                           \
    BLAKE2S_MIX(v2, v7, v8, v13, m[i12], m[i13])                                            \
    BLAKE2S_MIX(v3, v4, v9, v14, m[i14], m[i15])

// The state before the first block: the parameter block is that of 32 bytes of digest, no key, no tree.
FN void blake2s_start(LOCAL u32* h) {
    h[0] = BLAKE2S_IV0 ^ 0x01010020u;
    h[1] = BLAKE2S_IV1;
    h[2] = BLAKE2S_IV2;
    h[3] = BLAKE2S_IV3;
    h[4] = BLAKE2S_IV4;
    h[5] = BLAKE2S_IV5;
    h[6] = BLAKE2S_IV6;
    h[7] = BLAKE2S_IV7;
}

// A block of 16 words; `bytes` of the message up to its end, below 2^32.
FN void blake2s_compress(LOCAL u32* h, LOCAL const u32* m, u32 bytes, bool is_last) {
    u32 v0 = h[0], v1 = h[1], v2 = h[2], v3 = h[3], v4 = h[4], v5 = h[5], v6 = h[6], v7 = h[7];
    u32 v8 = BLAKE2S_IV0, v9 = BLAKE2S_IV1, v10 = BLAKE2S_IV2, v11 = BLAKE2S_IV3;
    u32 v12 = BLAKE2S_IV4 ^ bytes, v13 = BLAKE2S_IV5, v14 = is_last ? ~BLAKE2S_IV6 : BLAKE2S_IV6, v15 = BLAKE2S_IV7;
    BLAKE2S_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    BLAKE2S_ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3)
    BLAKE2S_ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4)
    BLAKE2S_ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8)
    BLAKE2S_ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13)
    BLAKE2S_ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9)
    BLAKE2S_ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11)
    BLAKE2S_ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10)
    BLAKE2S_ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5)
    BLAKE2S_ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0)
    h[0] ^= v0 ^ v8;
    h[1] ^= v1 ^ v9;
    h[2] ^= v2 ^ v10;
    h[3] ^= v3 ^ v11;
    h[4] ^= v4 ^ v12;
    h[5] ^= v5 ^ v13;
    h[6] ^= v6 ^ v14;
    h[7] ^= v7 ^ v15;
}

// Nodes are words of memory as they are.
#define hash_store_word(word) (word)
#define hash_load_word(word) (word)

// A digest as it is kept, of the last state.
FN void blake2s_digest(LOCAL u64* s, LOCAL const u32* h, bool is_wide) {
    UNROLL for (u32 w = 0; w < 4; w++) {
        s[w] = HASH_WORD(h[2 * w], is_wide) | ((u64)HASH_WORD(h[2 * w + 1], is_wide) << 32);
    }
}

// The digest of two digests, 64 bytes, in place of the first.
FN void hash_pair(LOCAL u64* s, bool is_wide) {
    u32 m[16];
    UNROLL for (u32 w = 0; w < 8; w++) {
        m[2 * w] = (u32)s[w];
        m[2 * w + 1] = (u32)(s[w] >> 32);
    }
    u32 h[8];
    blake2s_start(h);
    blake2s_compress(h, m, 64, true);
    blake2s_digest(s, h, is_wide);
}
