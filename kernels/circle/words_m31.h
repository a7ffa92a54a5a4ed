// Blake2s with digests over M31: words of a digest are those of the last state mod p = 2^31 - 1.
#define HASH_WORD(word) word_mod_p(word)

FN u32 word_mod_p(u32 word) {
    u32 once = word < 0x7fffffffu ? word : word - 0x7fffffffu;
    // Now it is p + 1 at most.
    return once < 0x7fffffffu ? once : once - 0x7fffffffu;
}
