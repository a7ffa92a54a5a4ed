// Proof of work: the smallest number of a range whose nonce will do, which grind_finds says; the protocol's nonce.h
// comes before.
//
// The host queues batches of consecutive numbers, in order: `grind` (GRIND_THREADS threads, blocks * tries *
// GRIND_THREADS nonces), then `smallest` (one block), and stops at the first batch that has one. A batch of 2^bits
// nonces has one in 63 cases of 100.

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

// found[block]: the offset from `first` of the block's smallest number that will do, or GRIND_NONE. A thread's own
// numbers ascend, so it stops at its first.
KERNEL_BOUNDED(grind, GRIND_THREADS, HASH_NODE_BLOCKS, OUT(0, u64, found), GrindParams) {
    SHARED(u64, best, GRIND_THREADS);
    u64 mine = GRIND_NONE;
    u64 offset = BLOCK_X * p.tries * GRIND_THREADS + THREAD;
    for (u64 n = 0; n < p.tries && mine == GRIND_NONE; n++) {
        if (grind_finds(p.digest[0], p.digest[1], p.digest[2], p.digest[3], p.bits, p.first + offset)) {
            mine = offset;
        }
        offset += GRIND_THREADS;
    }
    best[THREAD] = mine;
    for (u32 step = GRIND_THREADS / 2; step > 0; step /= 2) {
        BARRIER();
        if (THREAD < step && best[THREAD + step] < best[THREAD]) {
            best[THREAD] = best[THREAD + step];
        }
    }
    if (THREAD == 0) {
        found[BLOCK_X] = best[0];
    }
}

struct SmallestParams {
    u64 count;
};

// smallest_found[0]: the smallest of found, by one block.
KERNEL(smallest, IN(0, u64, found) OUT(1, u64, smallest_found), SmallestParams) {
    SHARED(u64, best, GRIND_THREADS);
    u64 mine = GRIND_NONE;
    for (u64 i = THREAD; i < p.count; i += GRIND_THREADS) {
        mine = found[i] < mine ? found[i] : mine;
    }
    best[THREAD] = mine;
    for (u32 step = GRIND_THREADS / 2; step > 0; step /= 2) {
        BARRIER();
        if (THREAD < step && best[THREAD + step] < best[THREAD]) {
            best[THREAD] = best[THREAD + step];
        }
    }
    if (THREAD == 0) {
        smallest_found[0] = best[0];
    }
}
