// The part of columns.h that is of cosets: columns.h comes after, field.h and reverse.h before.

// The coefficients of x^part f(x^parts).
#define SPLIT_INDEX(i, part) ((i) * p.parts + (part))
#define LIFTED(i, shift) ((i) >> (shift))

struct ReverseParams {
    u64 count;
    u32 log_height;
    u32 pad;
};

// Row order to storage order, or back.
KERNEL(reverse_rows, IN(0, Base, source) OUT(1, Base, target), ReverseParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u64 column = at >> p.log_height;
    target[at] = source[(column << p.log_height) + reverse((u32)at, p.log_height)];
}
