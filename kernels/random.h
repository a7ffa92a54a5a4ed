// Uniform elements in the last rows of columns: keccak.h and the protocol's random.h come before.

struct RandomParams {
    u64 key[4];
    u64 stream;
    // Blocks of all columns, and of one.
    u64 count;
    u64 blocks;
    u64 first_block;
    // The number of the element of row 0, and the first row that is written.
    u64 first;
    u64 from;
    u32 log_height;
    u32 pad;
};

// A block of eight elements: the first 16 words that the sponge of Keccak-256 gives for key || BE8(stream) ||
// BE8(column) || BE8(block), two for each element, big-endian.
KERNEL(random_rows, INOUT(0, Base, into), RandomParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u64 column = at / p.blocks;
    u64 block = p.first_block + at % p.blocks;
    u64 s[HASH_STATE];
    UNROLL for (u32 i = 0; i < HASH_STATE; i++) {
        s[i] = i < 4 ? p.key[i] : 0;
    }
    hash_absorb(s, 4, p.stream);
    hash_absorb(s, 5, column);
    hash_absorb(s, 6, block);
    hash_pad(s, 7);
    hash_pad_end(s);
    hash_permute(s);
    u64 rows = (u64)1 << p.log_height;
    UNROLL for (u32 i = 0; i < 8; i++) {
        // Below the first row it wraps around, and is no row.
        u64 row = block * 8 + i - p.first;
        if (row >= p.from && row < rows) {
            into[(column << p.log_height) + row] = random_element(swap_bytes(s[2 * i]), swap_bytes(s[2 * i + 1]));
        }
    }
}
