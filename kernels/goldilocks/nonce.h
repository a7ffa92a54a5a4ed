// The nonces of the Goldilocks protocol: keccak.h comes before, grind.h after.

// Whether BE64(first 8 bytes of Keccak256(digest || BE8(nonce))) < 2^(64 - bits); nonces are tried as they are
// numbered.
FN bool grind_finds(u64 d0, u64 d1, u64 d2, u64 d3, u32 bits, u64 nonce) {
    u64 limit = bits == 0 ? ~(u64)0 : bits < 64 ? ((u64)1 << (64 - bits)) - 1 : 0;
    u64 s[HASH_STATE];
    s[0] = d0;
    s[1] = d1;
    s[2] = d2;
    s[3] = d3;
    UNROLL for (u32 i = 4; i < HASH_STATE; i++) {
        s[i] = 0;
    }
    hash_absorb(s, 4, nonce);
    hash_pad(s, 5);
    hash_pad_end(s);
    hash_permute(s);
    return swap_bytes(s[0]) <= limit;
}
