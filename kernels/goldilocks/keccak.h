// Keccak-256 with the original padding: the permutation, the sponge of leaves, the hash of two nodes, the hash of a
// nonce.
//
// Words are little-endian, as the standard has it: a digest is four of them, its bytes in memory are the digest's.
//
// The rounds go in place: a row of the step chi is written where its five inputs were, so that the lanes wander. After
// four rounds all are home, which is why the loop has four rounds: no lane is ever copied and the code stays small
// enough for the instruction cache.

// Resident blocks of the tree's kernels, which bounds the registers.
#ifndef HASH_LEAF_BLOCKS
#define HASH_LEAF_BLOCKS 2
#define HASH_NODE_BLOCKS 1
#define HASH_TOP_BLOCKS 2
#endif

#define HASH_STATE 25
// Elements between two permutations.
#define HASH_RATE 17
// Whether a last permutation follows also when the elements end with a full block.
#define HASH_PADS 1

CONSTANT u64 KECCAK_CONSTANTS[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b, 0x0000000080000001,
    0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
    0x000000000000800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

// One row Y: theta's column sums are added (left: the column's left neighbour, right: the rotated right one), the lanes
// rotated (rho) and combined (chi). v .. z are the lanes (X + 3Y, X); result X goes where lane (X, X + 2Y) was, one of
// them.
#define KECCAK_ROW(v, w, x, y, z, r0, r1, r2, r3, r4, i, j, k, l, m, o0, o1, o2, o3, o4) \
    {                                                                                    \
        u64 b0 = r0(xor3(v, left##i, right##i));                                  \
        u64 b1 = rotate_left(xor3(w, left##j, right##j), r1);                   \
        u64 b2 = rotate_left(xor3(x, left##k, right##k), r2);                   \
        u64 b3 = rotate_left(xor3(y, left##l, right##l), r3);                   \
        u64 b4 = rotate_left(xor3(z, left##m, right##m), r4);                   \
        o0 = xor_and_not(b0, b1, b2);                                                     \
        o1 = xor_and_not(b1, b2, b3);                                                     \
        o2 = xor_and_not(b2, b3, b4);                                                     \
        o3 = xor_and_not(b3, b4, b0);                                                     \
        o4 = xor_and_not(b4, b0, b1);                                                     \
    }
#define KECCAK_BY0(a) (a)
#define KECCAK_BY28(a) rotate_left(a, 28)
#define KECCAK_BY1(a) rotate_left(a, 1)
#define KECCAK_BY27(a) rotate_left(a, 27)
#define KECCAK_BY62(a) rotate_left(a, 62)

// A round; s0 .. s24 are the names of the lanes x + 5 y, numbered before the round.
#define KECCAK_ROUND(iota, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20,       \
                     s21, s22, s23, s24)                                                                               \
    {                                                                                                                  \
        u64 left1 = xor3(xor3(s0, s5, s10), s15, s20);                                                   \
        u64 left2 = xor3(xor3(s1, s6, s11), s16, s21);                                                   \
        u64 left3 = xor3(xor3(s2, s7, s12), s17, s22);                                                   \
        u64 left4 = xor3(xor3(s3, s8, s13), s18, s23);                                                   \
        u64 left0 = xor3(xor3(s4, s9, s14), s19, s24);                                                   \
        u64 right0 = rotate_left(left2, 1);                                                                          \
        u64 right1 = rotate_left(left3, 1);                                                                          \
        u64 right2 = rotate_left(left4, 1);                                                                          \
        u64 right3 = rotate_left(left0, 1);                                                                          \
        u64 right4 = rotate_left(left1, 1);                                                                          \
        KECCAK_ROW(s0, s6, s12, s18, s24, KECCAK_BY0, 44, 43, 21, 14, 0, 1, 2, 3, 4, s0, s6, s12, s18, s24)            \
        KECCAK_ROW(s3, s9, s10, s16, s22, KECCAK_BY28, 20, 3, 45, 61, 3, 4, 0, 1, 2, s10, s16, s22, s3, s9)            \
        KECCAK_ROW(s1, s7, s13, s19, s20, KECCAK_BY1, 6, 25, 8, 18, 1, 2, 3, 4, 0, s20, s1, s7, s13, s19)              \
        KECCAK_ROW(s4, s5, s11, s17, s23, KECCAK_BY27, 36, 10, 15, 56, 4, 0, 1, 2, 3, s5, s11, s17, s23, s4)           \
        KECCAK_ROW(s2, s8, s14, s15, s21, KECCAK_BY62, 55, 39, 41, 2, 2, 3, 4, 0, 1, s15, s21, s2, s8, s14)            \
        s0 ^= (iota);                                                                                                  \
    }

FN void hash_permute(LOCAL u64* s) {
    u64 a0 = s[0], a1 = s[1], a2 = s[2], a3 = s[3], a4 = s[4], a5 = s[5], a6 = s[6], a7 = s[7], a8 = s[8], a9 = s[9];
    u64 a10 = s[10], a11 = s[11], a12 = s[12], a13 = s[13], a14 = s[14], a15 = s[15], a16 = s[16], a17 = s[17], a18 = s[18];
    u64 a19 = s[19], a20 = s[20], a21 = s[21], a22 = s[22], a23 = s[23], a24 = s[24];
    for (u32 round = 0; round < 24; round += 4) {
        KECCAK_ROUND(KECCAK_CONSTANTS[round], a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15,
                     a16, a17, a18, a19, a20, a21, a22, a23, a24)
        KECCAK_ROUND(KECCAK_CONSTANTS[round + 1], a0, a6, a12, a18, a24, a10, a16, a22, a3, a9, a20, a1, a7, a13, a19,
                     a5, a11, a17, a23, a4, a15, a21, a2, a8, a14)
        KECCAK_ROUND(KECCAK_CONSTANTS[round + 2], a0, a16, a7, a23, a14, a20, a11, a2, a18, a9, a15, a6, a22, a13, a4,
                     a10, a1, a17, a8, a24, a5, a21, a12, a3, a19)
        KECCAK_ROUND(KECCAK_CONSTANTS[round + 3], a0, a11, a22, a8, a19, a15, a1, a12, a23, a9, a5, a16, a2, a13, a24,
                     a20, a6, a17, a3, a14, a10, a21, a7, a18, a4)
    }
    s[0] = a0, s[1] = a1, s[2] = a2, s[3] = a3, s[4] = a4, s[5] = a5, s[6] = a6, s[7] = a7, s[8] = a8, s[9] = a9;
    s[10] = a10, s[11] = a11, s[12] = a12, s[13] = a13, s[14] = a14, s[15] = a15, s[16] = a16, s[17] = a17, s[18] = a18;
    s[19] = a19, s[20] = a20, s[21] = a21, s[22] = a22, s[23] = a23, s[24] = a24;
}

// Takes an element, big-endian, as word `k` of a block.
FN void hash_absorb(LOCAL u64* s, u32 k, u64 element) {
    s[k] ^= swap_bytes(element);
}

// After the last element, at word `k` of a block.
FN void hash_pad(LOCAL u64* s, u32 k) {
    s[k] ^= 1;
}

// Once, with the last block.
FN void hash_pad_end(LOCAL u64* s) {
    s[HASH_RATE - 1] ^= (u64)1 << 63;
}

// The digest of two digests: the state before the permutation that gives it.
FN void hash_pair(LOCAL u64* s, bool) {
    UNROLL for (u32 i = 8; i < HASH_STATE; i++) {
        s[i] = 0;
    }
    s[8] = 1;
    s[HASH_RATE - 1] = (u64)1 << 63;
    hash_permute(s);
}

// Word `i` of a node from word `i` of a state after the last permutation, and what hash_pair takes of a node.
FN u64 hash_store_word(u64 word) {
    return word;
}

FN u64 hash_load_word(u64 word) {
    return word;
}
