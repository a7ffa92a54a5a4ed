// Blake2s with digests over M31: words of a digest are those of the last state mod p = 2^31 - 1. Where digests are
// wide, as those of large trees are, the last two words become p - 1 and p, as in the prover that trees are to agree
// with.
#define HASH_WORD(word, is_wide) word_mod_p(word, is_wide)

FN u32 word_mod_p(u32 word, bool is_wide) {
    u32 once = word < 0x7fffffffu ? word : word - 0x7fffffffu;
    if (once < 0x7fffffffu) {
        return once;
    }
    // For the word p it was 0: this is the last word but one, p now, or the last, p + 1.
    return once - (is_wide ? 1 : 0x7fffffffu);
}
