// Sums of weights times elements, of which eval_at.h makes those over the rows of a block.

struct SumParams {
    u64 columns;
    u32 blocks;
    u32 pad;
};

// totals[column * DEGREE + k] = sum over blocks of partial; one thread a coordinate.
KERNEL(sum_blocks, IN(0, Base, partial) OUT(1, Base, totals), SumParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.columns * DEGREE) {
        return;
    }
    u64 column = at / DEGREE;
    u64 k = at % DEGREE;
    Base sum = 0;
    for (u32 b = 0; b < p.blocks; b++) {
        sum = base_add(sum, partial[(column * p.blocks + b) * DEGREE + k]);
    }
    totals[at] = sum;
}
