// Poseidon2 over Goldilocks of width 8, plain form: the sponge of leaves, the compression of nodes. gpu-hal's hash::poseidon2 is
// the definition.

CONSTANT u64 POSEIDON2_INITIAL[32] = {
    0xdd5743e7f2a5a5d9, 0xcb3a864e58ada44b, 0xffa2449ed32f8cdc, 0x42025f65d6bd13ee, 0x7889175e25506323, 0x34b98bb03d24b737,
    0xbdcc535ecc4faa2a, 0x5b20ad869fc0d033, 0xf1dda5b9259dfcb4, 0x27515210be112d59, 0x4227d1718c766c3f, 0x26d333161a5bd794,
    0x49b938957bf4b026, 0x4a56b5938b213669, 0x1120426b48c8353d, 0x6b323c3f10a56cad, 0xce57d6245ddca6b2, 0xb1fc8d402bba1eb1,
    0xb5c5096ca959bd04, 0x6db55cd306d31f7f, 0xc49d293a81cb9641, 0x1ce55a4fe979719f, 0xa92e60a9d178a4d1, 0x002cc64973bcfd8c,
    0xcea721cce82fb11b, 0xe5b55eb8098ece81, 0x4e30525c6f1ddd66, 0x43c6702827070987, 0xaca68430a7b5762a, 0x3674238634df9c93,
    0x88cee1c825e33433, 0xde99ae8d74b57176,
};
CONSTANT u64 POSEIDON2_FINAL[32] = {
    0x014ef1197d341346, 0x9725e20825d07394, 0xfdb25aef2c5bae3b, 0xbe5402dc598c971e, 0x93a5711f04cdca3d, 0xc45a9a5b2f8fb97b,
    0xfe8946a924933545, 0x2af997a27369091c, 0xaa62c88e0b294011, 0x058eb9d810ce9f74, 0xb3cb23eced349ae4, 0xa3648177a77b4a84,
    0x43153d905992d95d, 0xf4e2a97cda44aa4b, 0x5baa2702b908682f, 0x082923bdf4f750d1, 0x98ae09a325893803, 0xf8a6475077968838,
    0xceb0735bf00b2c5f, 0x0a1a5d953888e072, 0x2fcb190489f94475, 0xb5be06270dec69fc, 0x739cb934b09acf8b, 0x537750b75ec7f25b,
    0xe9dd318bae1f3961, 0xf7462137299efe1a, 0xb1f6b8eee9adb940, 0xbdebcc8a809dfe6b, 0x40fc1f791b178113, 0x3ac1c3362d014864,
    0x9a016184bdb8aeba, 0x95f2394459fbc25e,
};
CONSTANT u64 POSEIDON2_INTERNAL[22] = {
    0x488897d85ff51f56, 0x1140737ccb162218, 0xa7eeb9215866ed35, 0x9bd2976fee49fcc9, 0xc0c8f0de580a3fcc, 0x4fb2dae6ee8fc793,
    0x343a89f35f37395b, 0x223b525a77ca72c8, 0x56ccb62574aaa918, 0xc4d507d8027af9ed, 0xa080673cf0b7e95c, 0xf0184884eb70dcf8,
    0x044f10b0cb3d5c69, 0xe9e3f7993938f186, 0x1b761c80e772f459, 0x606cec607a1b5fac, 0x14a0c2e1d45f03cd, 0x4eace8855398574f,
    0xf905ca7103eff3e6, 0xf8c8f8d20862c059, 0xb524fe8bdd678e5a, 0xfbb7865901a1ec41,
};

#define POSEIDON2_WIDTH 8
#define POSEIDON2_RATE 4
// 1/2 mod p.
#define POSEIDON2_HALF ((u64)0x7fffffff80000001)

FN u64 swap_bytes(u64 a) {
    a = (a >> 32) | (a << 32);
    a = ((a >> 16) & 0x0000ffff0000ffff) | ((a & 0x0000ffff0000ffff) << 16);
    return ((a >> 8) & 0x00ff00ff00ff00ff) | ((a & 0x00ff00ff00ff00ff) << 8);
}

FN u64 seventh_power(u64 a) {
    u64 a2 = gl_square(a);
    return gl_mul(gl_mul(a2, a), gl_square(a2));
}

// circ(2M, M) with M = circ(2, 3, 1, 1): row (2, 3, 1, 1) is the sum of four plus the first plus twice the second.
FN void poseidon2_external(LOCAL u64* s) {
    UNROLL for (u32 block = 0; block < 8; block += 4) {
        u64 sum = gl_add(gl_add(s[block], s[block + 1]), gl_add(s[block + 2], s[block + 3]));
        u64 in[4];
        UNROLL for (u32 i = 0; i < 4; i++) {
            in[i] = s[block + i];
        }
        UNROLL for (u32 i = 0; i < 4; i++) {
            u64 next = in[(i + 1) % 4];
            s[block + i] = gl_add(gl_add(sum, in[i]), gl_add(next, next));
        }
    }
    UNROLL for (u32 i = 0; i < 4; i++) {
        u64 sum = gl_add(s[i], s[i + 4]);
        s[i] = gl_add(s[i], sum);
        s[i + 4] = gl_add(s[i + 4], sum);
    }
}

// All ones, plus the diagonal (-2, 1, 2, 1/2, 3, -1/2, -3, -4).
FN void poseidon2_internal(LOCAL u64* s) {
    u64 sum = s[0];
    UNROLL for (u32 i = 1; i < 8; i++) {
        sum = gl_add(sum, s[i]);
    }
    u64 twice[8];
    UNROLL for (u32 i = 0; i < 8; i++) {
        twice[i] = gl_add(s[i], s[i]);
    }
    s[0] = gl_sub(sum, twice[0]);
    s[1] = gl_add(sum, s[1]);
    s[2] = gl_add(sum, twice[2]);
    s[3] = gl_add(sum, gl_mul(s[3], POSEIDON2_HALF));
    s[4] = gl_add(sum, gl_add(twice[4], s[4]));
    s[5] = gl_sub(sum, gl_mul(s[5], POSEIDON2_HALF));
    s[6] = gl_sub(sum, gl_add(twice[6], s[6]));
    s[7] = gl_sub(sum, gl_add(twice[7], twice[7]));
}

FN void poseidon2_permute(LOCAL u64* s) {
    poseidon2_external(s);
    for (u32 round = 0; round < 4; round++) {
        UNROLL for (u32 i = 0; i < 8; i++) {
            s[i] = seventh_power(gl_add(s[i], POSEIDON2_INITIAL[8 * round + i]));
        }
        poseidon2_external(s);
    }
    for (u32 round = 0; round < 22; round++) {
        s[0] = seventh_power(gl_add(s[0], POSEIDON2_INTERNAL[round]));
        poseidon2_internal(s);
    }
    for (u32 round = 0; round < 4; round++) {
        UNROLL for (u32 i = 0; i < 8; i++) {
            s[i] = seventh_power(gl_add(s[i], POSEIDON2_FINAL[8 * round + i]));
        }
        poseidon2_external(s);
    }
}

struct Sponge {
    u64 state[POSEIDON2_WIDTH];
    u32 filled;
};

FN void sponge_start(LOCAL Sponge* s) {
    for (u32 i = 0; i < POSEIDON2_WIDTH; i++) {
        s->state[i] = 0;
    }
    s->filled = 0;
}

// Overwrites, without padding.
FN void sponge_element(LOCAL Sponge* s, u64 element) {
    s->state[s->filled] = element;
    s->filled++;
    if (s->filled == POSEIDON2_RATE) {
        poseidon2_permute(s->state);
        s->filled = 0;
    }
}

// A digest is kept as its bytes: elements big-endian.
FN void sponge_digest(LOCAL Sponge* s) {
    for (u32 i = 0; i < 4; i++) {
        s->state[i] = swap_bytes(s->state[i]);
    }
}

// The digest is the first four words of the state.
FN void sponge_end(LOCAL Sponge* s) {
    if (s->filled > 0) {
        poseidon2_permute(s->state);
    }
    sponge_digest(s);
}

// The digest of two digests, in the first four words of the state.
FN void sponge_nodes(LOCAL Sponge* s, LOCAL const u64* children) {
    for (u32 i = 0; i < 8; i++) {
        s->state[i] = swap_bytes(children[i]);
    }
    poseidon2_permute(s->state);
    sponge_digest(s);
}
