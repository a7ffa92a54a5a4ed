// The part of columns.h that is of circles: columns.h comes after, field.h, reverse.h and slots.h, which has the lift,
// before.

// Halves of the coefficients, halves of those, ...
#define SPLIT_INDEX(i, part) (((part) << p.log_part) + (i))
#define LIFTED(i, shift) lifted(i, shift)

struct RepeatParams {
    u64 count;
    u32 log_height;
    u32 pad;
};

// Columns of one element become columns of 2^log_height.
KERNEL(repeat_elements, IN(0, u32, source) OUT(1, u32, target), RepeatParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at < p.count) {
        target[at] = source[at >> p.log_height];
    }
}

struct OrderParams {
    u64 count;
    u32 log_height;
    u32 is_circle;
};

// Storage order to row order.
KERNEL(to_rows, IN(0, u32, source) OUT(1, u32, target), OrderParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u32 row = (u32)(at & (((u64)1 << p.log_height) - 1));
    u32 position = row;
    if (p.is_circle != 0) {
        // Odd rows come from the other end of the conjugates, 2^n + (2^n - row - 1)/2 rounded up.
        position = (row & 1) == 0 ? row >> 1 : ((2u << p.log_height) - row) >> 1;
    }
    target[at] = source[(at - row) + reverse(position, p.log_height)];
}
