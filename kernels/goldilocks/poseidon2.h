// Poseidon2 over Goldilocks of width 8: the permutation, the sponge of leaves, the compression of nodes. The definition
// is gpu-hal's hash::poseidon2; field.h comes before.
//
// Elements go into a product as any u64. Products that end an S-box and sums of the linear layers are not reduced: they
// are Wide, signed 96-bit numbers that are folded to a u64 where a product needs one.
//
// On NVIDIA GPUs the time is that of the instructions, at 0.55 a cycle and scheduler whatever their mix. A permutation
// has 344 products of 14 (those that end an S-box 11).

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

// Every layer adds the constants of the S-boxes that follow it. 40 for the first layer and the first four external
// rounds (the last of them only element 0's, of the first internal round), 8 for after the internal rounds, 32 for the
// last four. All are above 2^37, zero being written as p, which keeps sums positive.
CONSTANT u64 P2_CONSTANTS[80] = {
    0xdd5743e7f2a5a5d9, 0xcb3a864e58ada44b, 0xffa2449ed32f8cdc, 0x42025f65d6bd13ee, 0x7889175e25506323, 0x34b98bb03d24b737,
    0xbdcc535ecc4faa2a, 0x5b20ad869fc0d033, 0xf1dda5b9259dfcb4, 0x27515210be112d59, 0x4227d1718c766c3f, 0x26d333161a5bd794,
    0x49b938957bf4b026, 0x4a56b5938b213669, 0x1120426b48c8353d, 0x6b323c3f10a56cad, 0xce57d6245ddca6b2, 0xb1fc8d402bba1eb1,
    0xb5c5096ca959bd04, 0x6db55cd306d31f7f, 0xc49d293a81cb9641, 0x1ce55a4fe979719f, 0xa92e60a9d178a4d1, 0x002cc64973bcfd8c,
    0xcea721cce82fb11b, 0xe5b55eb8098ece81, 0x4e30525c6f1ddd66, 0x43c6702827070987, 0xaca68430a7b5762a, 0x3674238634df9c93,
    0x88cee1c825e33433, 0xde99ae8d74b57176, 0x488897d85ff51f56, 0xffffffff00000001, 0xffffffff00000001, 0xffffffff00000001,
    0xffffffff00000001, 0xffffffff00000001, 0xffffffff00000001, 0xffffffff00000001, 0x014ef1197d341346, 0x9725e20825d07394,
    0xfdb25aef2c5bae3b, 0xbe5402dc598c971e, 0x93a5711f04cdca3d, 0xc45a9a5b2f8fb97b, 0xfe8946a924933545, 0x2af997a27369091c,
    0xaa62c88e0b294011, 0x058eb9d810ce9f74, 0xb3cb23eced349ae4, 0xa3648177a77b4a84, 0x43153d905992d95d, 0xf4e2a97cda44aa4b,
    0x5baa2702b908682f, 0x082923bdf4f750d1, 0x98ae09a325893803, 0xf8a6475077968838, 0xceb0735bf00b2c5f, 0x0a1a5d953888e072,
    0x2fcb190489f94475, 0xb5be06270dec69fc, 0x739cb934b09acf8b, 0x537750b75ec7f25b, 0xe9dd318bae1f3961, 0xf7462137299efe1a,
    0xb1f6b8eee9adb940, 0xbdebcc8a809dfe6b, 0x40fc1f791b178113, 0x3ac1c3362d014864, 0x9a016184bdb8aeba, 0x95f2394459fbc25e,
    0xffffffff00000001, 0xffffffff00000001, 0xffffffff00000001, 0xffffffff00000001, 0xffffffff00000001, 0xffffffff00000001,
    0xffffffff00000001, 0xffffffff00000001,
};
// Constants that internal rounds add to element 0: each that of the next round, the last that of the external one.
CONSTANT u64 P2_INTERNAL[22] = {
    0x1140737ccb162218, 0xa7eeb9215866ed35, 0x9bd2976fee49fcc9, 0xc0c8f0de580a3fcc, 0x4fb2dae6ee8fc793, 0x343a89f35f37395b,
    0x223b525a77ca72c8, 0x56ccb62574aaa918, 0xc4d507d8027af9ed, 0xa080673cf0b7e95c, 0xf0184884eb70dcf8, 0x044f10b0cb3d5c69,
    0xe9e3f7993938f186, 0x1b761c80e772f459, 0x606cec607a1b5fac, 0x14a0c2e1d45f03cd, 0x4eace8855398574f, 0xf905ca7103eff3e6,
    0xf8c8f8d20862c059, 0xb524fe8bdd678e5a, 0xfbb7865901a1ec41, 0x014ef1197d341346,
};

// 1/6 = (5 p + 1) / 6.
#define P2_SIXTH ((u64)0xd555555480000001)

// A number that is not negative and below 2^95, to a u64: a carry of the first step leaves so little that the second
// has none.
FN u64 p2_fold(Wide a) {
    Wide r = gl_fold_once(a);
    return r.low + (((u64)r.high << 32) - r.high);
}

// a 2^k, k in 1..31.
FN Wide p2_shift(Wide a, u32 k) {
    return wide(a.low << k, wide_shifted_high(a, k));
}

// a / 2^k mod p for k = 1, 2: with r = a mod 2^k it is (a - r) / 2^k + r / 2^k, and 1 / 2^k = -(p - 1) / 2^k = -(2^32 -
// 1) 2^(32-k).
FN Wide p2_halve(Wide a, u32 k) {
    u32 r = (u32)a.low << (32 - k);
    return wide_sub(wide(wide_shifted_low(a, k), (u32)((i32)a.high >> k)), wide(r * GL_EPSILON, 0));
}

// Any u64 in and out.
FN u64 p2_product(u64 a, u64 b) {
    return gl_narrow(gl_product_wide(a, b));
}

// Any u64 in; as gl_product_wide out.
FN Wide p2_seventh_power(u64 a) {
    u64 a2 = p2_product(a, a);
    return gl_product_wide(p2_product(a2, a), p2_product(a2, a2));
}

// circ(2M, M) with M = circ(2, 3, 1, 1), then a constant for each, folded. The entries of a row sum to 21, so that with
// numbers above -2^32 and below 2^65 and constants above 2^37 (zero is written as p) sums are positive and below 2^70.
FN void p2_external(LOCAL u64* s, LOCAL const Wide* x, u32 constants) {
    Wide out[8];
    UNROLL for (u32 i = 0; i < 8; i += 4) {
        Wide ab = wide_add(x[i], x[i + 1]);
        Wide cd = wide_add(x[i + 2], x[i + 3]);
        Wide sum = wide_add(ab, cd);
        Wide sum_b = wide_add(sum, x[i + 1]);
        Wide sum_d = wide_add(sum, x[i + 3]);
        out[i] = wide_add(sum_b, ab);
        out[i + 1] = wide_add(wide_add(sum_b, x[i + 2]), x[i + 2]);
        out[i + 2] = wide_add(sum_d, cd);
        out[i + 3] = wide_add(wide_add(sum_d, x[i]), x[i]);
    }
    UNROLL for (u32 i = 0; i < 4; i++) {
        Wide sum = wide_add(out[i], out[i + 4]);
        s[i] = p2_fold(wide_add(wide_add(out[i], sum), wide(P2_CONSTANTS[constants + i], 0)));
        s[i + 4] = p2_fold(wide_add(wide_add(out[i + 4], sum), wide(P2_CONSTANTS[constants + i + 4], 0)));
    }
}

// p 2^26, which makes any number of the internal rounds positive.
FN Wide p2_bias() {
    return wide((u64)0 - ((u64)1 << 58) + ((u64)1 << 26), (1 << 26) - 1);
}

// Any number of the internal rounds to a u64.
FN u64 p2_fold_signed(Wide a) {
    return p2_fold(wide_add(a, p2_bias()));
}

// The elements between internal rounds. The internal layer is all ones plus the diagonal (-2, 1, 2, 1/2, 3, -1/2, -3,
// -4), and a round needs the other elements' sum alone. So two elements a, b with factors d and -d are kept as u = a +
// b and v = d (a - b): with S the sum of all elements,
//     u' = d a - d b + 2 S = v + 2 S,    v' = d (d a + d b) = d^2 u.
// Elements grow at most by a factor of 4 a round: `four` from 2^64 to below 2^89 in twelve rounds, after which it is
// folded.
struct P2Internal {
    // Element 0, before its S-box.
    u64 first;
    // Elements 1, 2 and 7. The factor of `one` being 1, it carries the bias for all sums.
    Wide one;
    Wide two;
    Wide four;
    // Elements 3 and 5 (d = 1/2), 4 and 6 (d = 3).
    Wide half_u;
    Wide half_v;
    Wide three_u;
    Wide three_v;
};

// An internal round. `added` is the constant of the next round.
FN P2Internal p2_internal(P2Internal s, u64 added) {
    P2Internal r;
    // The sum of all is rest + x and the next element 0 is that less 2 x: neither waits for the other.
    Wide rest = wide_add(wide_add(wide_add(s.one, s.two), wide_add(s.half_u, s.three_u)), s.four);
    Wide next = wide_add(rest, wide(added, 0));
    Wide x = p2_seventh_power(s.first);
    r.first = p2_fold(wide_sub(next, x));
    Wide sum = gl_fold_once(wide_add(rest, x));
    Wide twice = wide_add(sum, sum);
    r.one = wide_add(s.one, sum);
    r.two = wide_add(wide_add(s.two, sum), s.two);
    r.half_u = wide_add(s.half_v, twice);
    r.half_v = p2_halve(s.half_u, 2);
    r.three_u = wide_add(s.three_v, twice);
    r.three_v = wide_add(p2_shift(s.three_u, 3), s.three_u);
    r.four = wide_sub(sum, p2_shift(s.four, 2));
    return r;
}

// All internal rounds, then the constants of the external round that follows.
FN void p2_internal_rounds(LOCAL u64* s) {
    P2Internal x;
    x.first = s[0];
    x.one = wide_add(wide(s[1], 0), p2_bias());
    x.two = wide(s[2], 0);
    x.half_u = wide_add(wide(s[3], 0), wide(s[5], 0));
    x.half_v = p2_halve(wide_sub(wide(s[3], 0), wide(s[5], 0)), 1);
    x.three_u = wide_add(wide(s[4], 0), wide(s[6], 0));
    Wide difference = wide_sub(wide(s[4], 0), wide(s[6], 0));
    x.three_v = wide_add(wide_add(difference, difference), difference);
    x.four = wide(s[7], 0);
    UNROLL_BY(1)
    for (u32 round = 0; round < 22; round += 2) {
        x = p2_internal(x, P2_INTERNAL[round]);
        x = p2_internal(x, P2_INTERNAL[round + 1]);
        if (round == 10) {
            x.three_u = wide(p2_fold_signed(x.three_u), 0);
            x.three_v = wide(p2_fold_signed(x.three_v), 0);
            x.four = wide(p2_fold_signed(x.four), 0);
        }
    }
    // The elements of a pair are u / 2 + v / (2 d) and u / 2 - v / (2 d).
    Wide halved = p2_halve(x.half_u, 1);
    Wide three = p2_halve(x.three_u, 1);
    Wide sixth = gl_product_wide(p2_fold_signed(x.three_v), P2_SIXTH);
    s[0] = x.first;
    s[1] = p2_fold(wide_add(x.one, wide(P2_CONSTANTS[41], 0)));
    s[2] = p2_fold(wide_add(x.two, wide(P2_CONSTANTS[42], 0)));
    s[3] = p2_fold_signed(wide_add(wide_add(halved, x.half_v), wide(P2_CONSTANTS[43], 0)));
    s[4] = p2_fold_signed(wide_add(wide_add(three, sixth), wide(P2_CONSTANTS[44], 0)));
    s[5] = p2_fold_signed(wide_add(wide_sub(halved, x.half_v), wide(P2_CONSTANTS[45], 0)));
    s[6] = p2_fold_signed(wide_add(wide_sub(three, sixth), wide(P2_CONSTANTS[46], 0)));
    s[7] = p2_fold_signed(wide_add(x.four, wide(P2_CONSTANTS[47], 0)));
}

FN void hash_permute(LOCAL u64* s) {
    Wide x[8];
    UNROLL for (u32 i = 0; i < 8; i++) {
        x[i] = wide(s[i], 0);
    }
    p2_external(s, x, 0);
    UNROLL_BY(1)
    for (u32 constants = 8; constants < 80; constants += 40) {
        UNROLL_BY(1)
        for (u32 round = 0; round < 4; round++) {
            UNROLL for (u32 i = 0; i < 8; i++) {
                x[i] = p2_seventh_power(s[i]);
            }
            p2_external(s, x, constants + 8 * round);
        }
        if (constants == 8) {
            p2_internal_rounds(s);
        }
    }
}

// Takes an element as word `k` of a block.
FN void hash_absorb(LOCAL u64* s, u32 k, u64 element) {
    s[k] = element;
}

FN void hash_pad(LOCAL u64*, u32) {}
FN void hash_pad_end(LOCAL u64*) {}

// The digest of two digests: the state before the permutation that gives it.
FN void hash_pair(LOCAL u64* s, bool) {
    hash_permute(s);
}

// Word `i` of a node from word `i` of a state after the last permutation, and back: nodes hold bytes, elements
// big-endian.
FN u64 hash_store_word(u64 word) {
    return swap_bytes(gl_canonical(word));
}

FN u64 hash_load_word(u64 word) {
    return swap_bytes(word);
}
