// Copies, permutations and sums of columns of M31. circle_slots.h has the lift.

struct CopyParams {
    u64 count;
    u64 first_source;
    u64 first_target;
};

KERNEL(copy_elements, IN(0, u32, source) OUT(1, u32, target), CopyParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at < p.count) {
        target[p.first_target + at] = source[p.first_source + at];
    }
}

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

struct SplitParams {
    u64 count;
    u32 width;
    u32 log_height;
    u32 log_part;
    u32 pad;
};

// Column part * width + c, element i = column c, element part * 2^log_part + i.
KERNEL(split_columns, IN(0, u32, source) OUT(1, u32, target), SplitParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u64 i = at & (((u64)1 << p.log_part) - 1);
    u64 number = at >> p.log_part;
    u64 part = number / p.width;
    target[at] = source[((number - part * p.width) << p.log_height) + (part << p.log_part) + i];
}

struct RangeParams {
    u64 count;
    u64 first;
    u64 rows;
    u32 log_height;
    u32 pad;
};

// Rows first .. first + rows of all columns, one column after the other.
KERNEL(copy_rows, IN(0, u32, source) OUT(1, u32, target), RangeParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    target[at] = source[((at / p.rows) << p.log_height) + p.first + at % p.rows];
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

struct AccumulateParams {
    u64 count;
    u32 log_into;
    u32 log_from;
};

KERNEL(accumulate, INOUT(0, u32, into) IN(1, u32, from), AccumulateParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u64 column = at >> p.log_into;
    u64 i = at & (((u64)1 << p.log_into) - 1);
    into[at] = m31_add(into[at], from[(column << p.log_from) + lifted(i, p.log_into - p.log_from)]);
}

struct GatherParams {
    u64 count;
    // Where the row numbers and the results of this table start, and elements from one result row to the next.
    u64 first_index;
    u64 first_target;
    u64 target_stride;
    u32 width;
    u32 log_height;
    // log2 of the rows that the numbers count.
    u32 log_rows;
    u32 pad;
};

// target[first_target + r * target_stride + c] = column c, lifted, at row indices[first_index + r].
KERNEL(gather_rows, IN(0, u32, source) IN(1, u64, indices) OUT(2, u32, target), GatherParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u64 r = at / p.width;
    u64 column = at % p.width;
    u64 row = lifted(indices[p.first_index + r], p.log_rows - p.log_height);
    target[p.first_target + r * p.target_stride + column] = source[(column << p.log_height) + row];
}
