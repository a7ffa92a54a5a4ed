// Poseidon2 over Goldilocks of width 8: the permutation, the sponge of leaves, the compression of nodes. The definition is
// gpu-hal's hash::poseidon2; field.h comes before.
//
// Elements go into a product as any u64. Sums of the linear layers are not reduced: they are P2Wide, signed 96-bit numbers that
// are folded to a u64 where a product needs one. The diagonal (-2, 1, 2, 1/2, 3, -1/2, -3, -4) of the internal layer multiplies
// an element by at most 4, so that elements may grow through eleven internal rounds: from 2^67 to below 2^90.

// Resident blocks of the tree's kernels, which bounds the registers.
#ifndef HASH_LEAF_BLOCKS
#define HASH_LEAF_BLOCKS 2
#define HASH_NODE_BLOCKS 3
#define HASH_TOP_BLOCKS 2
#endif

#define HASH_STATE 8
// Elements between two permutations.
#define HASH_RATE 4
// The sponge has no padding.
#define HASH_PADS 0

// Every layer adds the constants of the S-boxes that follow it. 40 for the first layer and the first four external rounds (the
// last of them only element 0's, of the first internal round), 8 for after the internal rounds, 32 for the last four.
CONSTANT u64 P2_CONSTANTS[80] = {
    0xdd5743e7f2a5a5d9, 0xcb3a864e58ada44b, 0xffa2449ed32f8cdc, 0x42025f65d6bd13ee, 0x7889175e25506323, 0x34b98bb03d24b737,
    0xbdcc535ecc4faa2a, 0x5b20ad869fc0d033, 0xf1dda5b9259dfcb4, 0x27515210be112d59, 0x4227d1718c766c3f, 0x26d333161a5bd794,
    0x49b938957bf4b026, 0x4a56b5938b213669, 0x1120426b48c8353d, 0x6b323c3f10a56cad, 0xce57d6245ddca6b2, 0xb1fc8d402bba1eb1,
    0xb5c5096ca959bd04, 0x6db55cd306d31f7f, 0xc49d293a81cb9641, 0x1ce55a4fe979719f, 0xa92e60a9d178a4d1, 0x002cc64973bcfd8c,
    0xcea721cce82fb11b, 0xe5b55eb8098ece81, 0x4e30525c6f1ddd66, 0x43c6702827070987, 0xaca68430a7b5762a, 0x3674238634df9c93,
    0x88cee1c825e33433, 0xde99ae8d74b57176, 0x488897d85ff51f56, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
    0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x014ef1197d341346, 0x9725e20825d07394,
    0xfdb25aef2c5bae3b, 0xbe5402dc598c971e, 0x93a5711f04cdca3d, 0xc45a9a5b2f8fb97b, 0xfe8946a924933545, 0x2af997a27369091c,
    0xaa62c88e0b294011, 0x058eb9d810ce9f74, 0xb3cb23eced349ae4, 0xa3648177a77b4a84, 0x43153d905992d95d, 0xf4e2a97cda44aa4b,
    0x5baa2702b908682f, 0x082923bdf4f750d1, 0x98ae09a325893803, 0xf8a6475077968838, 0xceb0735bf00b2c5f, 0x0a1a5d953888e072,
    0x2fcb190489f94475, 0xb5be06270dec69fc, 0x739cb934b09acf8b, 0x537750b75ec7f25b, 0xe9dd318bae1f3961, 0xf7462137299efe1a,
    0xb1f6b8eee9adb940, 0xbdebcc8a809dfe6b, 0x40fc1f791b178113, 0x3ac1c3362d014864, 0x9a016184bdb8aeba, 0x95f2394459fbc25e,
    0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
    0x0000000000000000, 0x0000000000000000,
};
// What an internal round adds to element 0: the constant of the next, at last that of the external round.
CONSTANT u64 P2_INTERNAL[22] = {
    0x1140737ccb162218, 0xa7eeb9215866ed35, 0x9bd2976fee49fcc9, 0xc0c8f0de580a3fcc, 0x4fb2dae6ee8fc793, 0x343a89f35f37395b,
    0x223b525a77ca72c8, 0x56ccb62574aaa918, 0xc4d507d8027af9ed, 0xa080673cf0b7e95c, 0xf0184884eb70dcf8, 0x044f10b0cb3d5c69,
    0xe9e3f7993938f186, 0x1b761c80e772f459, 0x606cec607a1b5fac, 0x14a0c2e1d45f03cd, 0x4eace8855398574f, 0xf905ca7103eff3e6,
    0xf8c8f8d20862c059, 0xb524fe8bdd678e5a, 0xfbb7865901a1ec41, 0x014ef1197d341346,
};

struct P2Wide {
    u64 low;
    // Two's complement: the number is low + 2^64 high.
    u32 high;
};

#if defined(POLYSTARK_CUDA)

FN P2Wide p2_add(P2Wide a, P2Wide b) {
    P2Wide r;
    asm("add.cc.u64 %0, %2, %3;\n\taddc.u32 %1, %4, %5;"
        : "=&l"(r.low), "=r"(r.high)
        : "l"(a.low), "l"(b.low), "r"(a.high), "r"(b.high));
    return r;
}

FN P2Wide p2_sub(P2Wide a, P2Wide b) {
    P2Wide r;
    asm("sub.cc.u64 %0, %2, %3;\n\tsubc.u32 %1, %4, %5;"
        : "=&l"(r.low), "=r"(r.high)
        : "l"(a.low), "l"(b.low), "r"(a.high), "r"(b.high));
    return r;
}

// low + (2^32 - 1) high, with the carry; high counts as unsigned.
FN P2Wide p2_fold_once(P2Wide a) {
    P2Wide r;
    asm("{\n\t"
        ".reg .u64 w;\n\t"
        "mul.wide.u32 w, %3, 0xffffffff;\n\t"
        "add.cc.u64 %0, w, %2;\n\t"
        "addc.u32 %1, 0, 0;\n\t"
        "}"
        : "=l"(r.low), "=r"(r.high)
        : "l"(a.low), "r"(a.high));
    return r;
}

// a b, any u64 in and out. The two middle products are added with their carry c; with the product as words w0, w1, h0, h1 the
// value is (w0 + 2^32 w1) + (2^32 - 1) h0 - h1, that is t + 2^64 n with n in {-1, 0, 1}: t + (2^32 - 1) n.
FN u64 p2_product(u64 a, u64 b) {
    u64 r;
    asm("{\n\t"
        ".reg .u32 a0, a1, b0, b1, w0, w1, h0, h1, m0, m1, c, t0, t1, n, sign;\n\t"
        ".reg .u64 w, h, m, k, t;\n\t"
        "mov.b64 {a0, a1}, %1;\n\t"
        "mov.b64 {b0, b1}, %2;\n\t"
        "mul.wide.u32 w, a0, b0;\n\t"
        "mul.wide.u32 h, a1, b1;\n\t"
        "mul.wide.u32 m, a0, b1;\n\t"
        "mul.wide.u32 k, a1, b0;\n\t"
        "add.cc.u64 m, m, k;\n\t"
        "addc.u32 c, 0, 0;\n\t"
        "mov.b64 {w0, w1}, w;\n\t"
        "mov.b64 {h0, h1}, h;\n\t"
        "mov.b64 {m0, m1}, m;\n\t"
        "add.cc.u32 w1, w1, m0;\n\t"
        "addc.cc.u32 h0, h0, m1;\n\t"
        "addc.u32 h1, h1, c;\n\t"
        "mul.wide.u32 t, h0, 0xffffffff;\n\t"
        "mov.b64 w, {w0, w1};\n\t"
        "add.cc.u64 t, t, w;\n\t"
        "addc.u32 n, 0, 0;\n\t"
        "mov.b64 {t0, t1}, t;\n\t"
        "sub.cc.u32 t0, t0, h1;\n\t"
        "subc.cc.u32 t1, t1, 0;\n\t"
        "subc.u32 n, n, 0;\n\t"
        "shr.s32 sign, n, 31;\n\t"
        "add.u32 t1, t1, n;\n\t"
        "sub.cc.u32 t0, t0, n;\n\t"
        "subc.u32 t1, t1, sign;\n\t"
        "mov.b64 %0, {t0, t1};\n\t"
        "}"
        : "=l"(r)
        : "l"(a), "l"(b));
    return r;
}

#else

FN u64 p2_product(u64 a, u64 b) {
    return gl_mul_lazy(a, b);
}

FN P2Wide p2_add(P2Wide a, P2Wide b) {
    P2Wide r;
    r.low = a.low + b.low;
    r.high = a.high + b.high + (r.low < b.low ? 1 : 0);
    return r;
}

FN P2Wide p2_sub(P2Wide a, P2Wide b) {
    P2Wide r;
    r.low = a.low - b.low;
    r.high = a.high - b.high - (a.low < b.low ? 1 : 0);
    return r;
}

// low + (2^32 - 1) high, with the carry; high counts as unsigned.
FN P2Wide p2_fold_once(P2Wide a) {
    P2Wide r;
    u64 add = ((u64)a.high << 32) - a.high;
    r.low = a.low + add;
    r.high = r.low < add ? 1 : 0;
    return r;
}

#endif

FN P2Wide p2_wide(u64 low, u32 high) {
    P2Wide r;
    r.low = low;
    r.high = high;
    return r;
}

// A number that is not negative and below 2^95, to a u64: a carry of the first step leaves so little that the second has none.
FN u64 p2_fold(P2Wide a) {
    P2Wide r = p2_fold_once(a);
    return r.low + (((u64)r.high << 32) - r.high);
}

// a/2 mod p: a >> 1, and (p + 1)/2 = 2^63 - 2^31 + 1 more if a is odd.
FN P2Wide p2_half(P2Wide a) {
    u32 odd = (u32)a.low & 1;
#if defined(POLYSTARK_CUDA)
    u32 middle = (u32)(a.low >> 32);
    u64 low = ((u64)__funnelshift_r(middle, a.high, 1) << 32) | __funnelshift_r((u32)a.low, middle, 1);
#else
    u64 low = (a.low >> 1) | ((u64)a.high << 63);
#endif
    u64 half = ((u64)(odd * 0x7fffffffu) << 32) | (odd * 0x80000001u);
    return p2_add(p2_wide(low, (u32)((i32)a.high >> 1)), p2_wide(half, 0));
}

// Any u64 in and out.
FN u64 p2_seventh_power(u64 a) {
    u64 a2 = p2_product(a, a);
    return p2_product(p2_product(a2, a), p2_product(a2, a2));
}

// circ(2M, M) with M = circ(2, 3, 1, 1), then a constant for each, folded. The sums are below 22 2^64.
FN void p2_external(LOCAL u64* s, u32 constants) {
    P2Wide out[8];
    UNROLL for (u32 i = 0; i < 8; i += 4) {
        P2Wide a = p2_wide(s[i], 0);
        P2Wide b = p2_wide(s[i + 1], 0);
        P2Wide c = p2_wide(s[i + 2], 0);
        P2Wide d = p2_wide(s[i + 3], 0);
        P2Wide ab = p2_add(a, b);
        P2Wide cd = p2_add(c, d);
        P2Wide sum = p2_add(ab, cd);
        P2Wide sum_b = p2_add(sum, b);
        P2Wide sum_d = p2_add(sum, d);
        out[i] = p2_add(sum_b, ab);
        out[i + 1] = p2_add(p2_add(sum_b, c), c);
        out[i + 2] = p2_add(sum_d, cd);
        out[i + 3] = p2_add(p2_add(sum_d, a), a);
    }
    UNROLL for (u32 i = 0; i < 4; i++) {
        P2Wide sum = p2_add(out[i], out[i + 4]);
        s[i] = p2_fold(p2_add(p2_add(out[i], sum), p2_wide(P2_CONSTANTS[constants + i], 0)));
        s[i + 4] = p2_fold(p2_add(p2_add(out[i + 4], sum), p2_wide(P2_CONSTANTS[constants + i + 4], 0)));
    }
}

// p 2^24, which makes any sum of the internal rounds positive.
FN P2Wide p2_bias() {
    return p2_wide((u64)0 - ((u64)1 << 56) + ((u64)1 << 24), (1 << 24) - 1);
}

// An internal round after its S-box: all ones plus the diagonal. first is element 0.
FN u64 p2_internal(LOCAL P2Wide* s, u64 first, u64 constant) {
    P2Wide s0 = p2_wide(first, 0);
    P2Wide sum = p2_add(p2_add(p2_add(s[1], s[2]), p2_add(s[3], s[4])), p2_add(p2_add(s[5], s[6]), p2_add(s[7], s0)));
    sum = p2_fold_once(p2_add(sum, p2_bias()));
    s[1] = p2_add(s[1], sum);
    s[2] = p2_add(p2_add(s[2], sum), s[2]);
    s[3] = p2_add(p2_half(s[3]), sum);
    s[4] = p2_add(p2_add(p2_add(s[4], sum), s[4]), s[4]);
    s[5] = p2_sub(sum, p2_half(s[5]));
    s[6] = p2_sub(p2_sub(p2_sub(sum, s[6]), s[6]), s[6]);
    P2Wide twice = p2_add(s[7], s[7]);
    s[7] = p2_sub(p2_sub(sum, twice), twice);
    // 3p more keeps it positive; every constant is at least 3 2^32.
    P2Wide next = p2_add(sum, p2_wide(constant - 3 * GL_EPSILON, 3));
    return p2_fold(p2_sub(p2_sub(next, s0), s0));
}

FN void p2_external_rounds(LOCAL u64* s, u32 constants) {
    for (u32 round = 0; round < 4; round++) {
        UNROLL for (u32 i = 0; i < 8; i++) {
            s[i] = p2_seventh_power(s[i]);
        }
        p2_external(s, constants + 8 * round);
    }
}

FN void hash_permute(LOCAL u64* s) {
    p2_external(s, 0);
    p2_external_rounds(s, 8);
    u64 first = s[0];
    P2Wide wide[8];
    u32 round = 0;
    for (u32 half = 0; half < 2; half++) {
        UNROLL for (u32 i = 1; i < 8; i++) {
            wide[i] = p2_wide(s[i], 0);
        }
        for (u32 i = 0; i < 11; i++) {
            first = p2_internal(wide, p2_seventh_power(first), P2_INTERNAL[round]);
            round++;
        }
        UNROLL for (u32 i = 1; i < 8; i++) {
            s[i] = p2_fold(p2_add(wide[i], p2_bias()));
        }
    }
    s[0] = first;
    UNROLL for (u32 i = 1; i < 8; i++) {
        s[i] = p2_fold(p2_add(p2_wide(s[i], 0), p2_wide(P2_CONSTANTS[40 + i], 0)));
    }
    p2_external_rounds(s, 48);
}

#if defined(POLYSTARK_CUDA)
FN u64 swap_bytes(u64 a) {
    return ((u64)__byte_perm((u32)a, 0, 0x0123) << 32) | __byte_perm((u32)(a >> 32), 0, 0x0123);
}
#else
FN u64 swap_bytes(u64 a) {
    a = (a >> 32) | (a << 32);
    a = ((a >> 16) & 0x0000ffff0000ffff) | ((a & 0x0000ffff0000ffff) << 16);
    return ((a >> 8) & 0x00ff00ff00ff00ff) | ((a & 0x00ff00ff00ff00ff) << 8);
}
#endif

// Takes an element as word `k` of a block.
FN void hash_absorb(LOCAL u64* s, u32 k, u64 element) {
    s[k] = element;
}

FN void hash_pad(LOCAL u64*, u32) {}
FN void hash_pad_end(LOCAL u64*) {}

// The digest of two digests: the state before the permutation that gives it.
FN void hash_pair(LOCAL u64* s) {
    hash_permute(s);
}

// Word `i` of a node from word `i` of a state after the last permutation, and back: nodes hold bytes, elements big-endian.
FN u64 hash_store_word(u64 word) {
    return swap_bytes(gl_canonical(word));
}

FN u64 hash_load_word(u64 word) {
    return swap_bytes(word);
}
