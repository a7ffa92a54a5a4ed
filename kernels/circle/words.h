// Blake2s: words of a digest are those of the last state.
#define HASH_WORD(word, is_wide) (word)
