// Keccak-256 with the original padding, plain form: the sponge of leaves, the hash of two nodes.

CONSTANT u64 KECCAK_ROUNDS[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b, 0x0000000080000001,
    0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
    0x000000000000800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};
// Rotations and lanes of the steps rho and pi, along the cycle that starts at lane 1.
CONSTANT u32 KECCAK_ROTATIONS[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                                     27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};
CONSTANT u32 KECCAK_LANES[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                                 15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};

#define KECCAK_RATE 17

FN u64 rotate_left(u64 a, u32 n) {
    return (a << n) | (a >> (64 - n));
}

FN u64 swap_bytes(u64 a) {
    a = (a >> 32) | (a << 32);
    a = ((a >> 16) & 0x0000ffff0000ffff) | ((a & 0x0000ffff0000ffff) << 16);
    return ((a >> 8) & 0x00ff00ff00ff00ff) | ((a & 0x00ff00ff00ff00ff) << 8);
}

FN void keccak_permute(LOCAL u64* a) {
    for (u32 round = 0; round < 24; round++) {
        u64 c[5];
        UNROLL for (u32 x = 0; x < 5; x++) {
            c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        }
        UNROLL for (u32 x = 0; x < 5; x++) {
            u64 d = c[(x + 4) % 5] ^ rotate_left(c[(x + 1) % 5], 1);
            UNROLL for (u32 y = 0; y < 25; y += 5) {
                a[x + y] ^= d;
            }
        }
        u64 moved = a[1];
        UNROLL for (u32 i = 0; i < 24; i++) {
            u64 next = a[KECCAK_LANES[i]];
            a[KECCAK_LANES[i]] = rotate_left(moved, KECCAK_ROTATIONS[i]);
            moved = next;
        }
        UNROLL for (u32 y = 0; y < 25; y += 5) {
            u64 row[5];
            UNROLL for (u32 x = 0; x < 5; x++) {
                row[x] = a[y + x];
            }
            UNROLL for (u32 x = 0; x < 5; x++) {
                a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
            }
        }
        a[0] ^= KECCAK_ROUNDS[round];
    }
}

struct Sponge {
    u64 state[25];
    u32 filled;
};

FN void sponge_start(LOCAL Sponge* s) {
    for (u32 i = 0; i < 25; i++) {
        s->state[i] = 0;
    }
    s->filled = 0;
}

FN void sponge_word(LOCAL Sponge* s, u64 word) {
    s->state[s->filled] ^= word;
    s->filled++;
    if (s->filled == KECCAK_RATE) {
        keccak_permute(s->state);
        s->filled = 0;
    }
}

// A field element: its 8 bytes, big-endian.
FN void sponge_element(LOCAL Sponge* s, u64 element) {
    sponge_word(s, swap_bytes(element));
}

// The digest is the first four words of the state.
FN void sponge_end(LOCAL Sponge* s) {
    s->state[s->filled] ^= 1;
    s->state[KECCAK_RATE - 1] ^= (u64)1 << 63;
    keccak_permute(s->state);
}

// The digest of two digests, in the first four words of the state.
FN void sponge_nodes(LOCAL Sponge* s, LOCAL const u64* children) {
    sponge_start(s);
    for (u32 i = 0; i < 8; i++) {
        sponge_word(s, children[i]);
    }
    sponge_end(s);
}
