// Proof of work: the smallest nonce of a range whose hash starts with enough zero bits.

struct GrindParams {
    u64 digest[4];
    u64 first;
    // Nonces of a thread; those of a block are consecutive.
    u64 tries;
    u32 bits;
    u32 pad;
};

#define GRIND_THREADS 256
#define GRIND_NONE (~(u64)0)

// found[block]: the offset from `first` of the block's smallest nonce with BE64(first 8 bytes of Keccak256(digest || BE8(nonce))) <
// 2^(64 - bits), or GRIND_NONE.
KERNEL(grind, OUT(0, u64, found), GrindParams) {
    SHARED(u64, best, GRIND_THREADS);
    u64 mine = GRIND_NONE;
    for (u64 n = 0; n < p.tries && mine == GRIND_NONE; n++) {
        u64 offset = (BLOCK_X * p.tries + n) * GRIND_THREADS + THREAD;
        Sponge sponge;
        sponge_start(&sponge);
        for (u32 i = 0; i < 4; i++) {
            sponge_word(&sponge, p.digest[i]);
        }
        sponge_element(&sponge, p.first + offset);
        sponge_end(&sponge);
        u64 head = swap_bytes(sponge.state[0]);
        if (p.bits == 0 || (p.bits < 64 ? head >> (64 - p.bits) : head) == 0) {
            mine = offset;
        }
    }
    best[THREAD] = mine;
    for (u32 half = GRIND_THREADS / 2; half > 0; half /= 2) {
        BARRIER();
        if (THREAD < half && best[THREAD + half] < best[THREAD]) {
            best[THREAD] = best[THREAD + half];
        }
    }
    if (THREAD == 0) {
        found[BLOCK_X] = best[0];
    }
}

struct SmallestParams {
    u64 count;
};

// smallest[0]: the smallest of found, by one block.
KERNEL(smallest, IN(0, u64, found) OUT(1, u64, smallest_found), SmallestParams) {
    SHARED(u64, best, GRIND_THREADS);
    u64 mine = GRIND_NONE;
    for (u64 i = THREAD; i < p.count; i += GRIND_THREADS) {
        mine = found[i] < mine ? found[i] : mine;
    }
    best[THREAD] = mine;
    for (u32 half = GRIND_THREADS / 2; half > 0; half /= 2) {
        BARRIER();
        if (THREAD < half && best[THREAD + half] < best[THREAD]) {
            best[THREAD] = best[THREAD + half];
        }
    }
    if (THREAD == 0) {
        smallest_found[0] = best[0];
    }
}
