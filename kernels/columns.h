// Copies: parts of columns, rows of tables, nodes of trees; sums. The protocol's columns.h comes before, with
//   SPLIT_INDEX(i, part)   where a column has the element i of a part, of p.parts, of 2^p.log_part elements each
//   LIFTED(i, shift)       where a column of 2^(log - shift) rows has the element that its lift to 2^log rows has at
// index i

struct SplitParams {
    u64 count;
    u32 width;
    u32 parts;
    u32 log_height;
    u32 log_part;
};

// Column part * width + c, element i = column c, the element that SPLIT_INDEX says.
KERNEL(split_columns, IN(0, Base, source) OUT(1, Base, target), SplitParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u64 i = at & (((u64)1 << p.log_part) - 1);
    u64 number = at >> p.log_part;
    u64 part = number / p.width;
    u64 column = number % p.width;
    target[at] = source[(column << p.log_height) + SPLIT_INDEX(i, part)];
}

struct RangeParams {
    u64 count;
    u64 first;
    u64 rows;
    u32 log_height;
    u32 pad;
};

// Rows first .. first + rows of all columns, one column after the other.
KERNEL(copy_rows, IN(0, Base, source) OUT(1, Base, target), RangeParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    target[at] = source[((at / p.rows) << p.log_height) + p.first + at % p.rows];
}

struct GatherParams {
    u64 count;
    // Where the row numbers and the results of these tables start, and elements from one result row to the next.
    u64 first_index;
    u64 first_target;
    u64 target_stride;
    // Columns of all tables, and log2 of the rows that the numbers count.
    u32 columns;
    u32 log_rows;
    // One for every table; a slot that has none has no columns.
    u32 width[TABLE_SLOTS];
    u32 log_height[TABLE_SLOTS];
};

// target[first_target + r * target_stride + c] = column c of the tables, side by side, lifted, at row
// indices[first_index + r].
KERNEL(gather_rows, TABLES(0) IN(TABLE_SLOTS, u64, indices) OUT(TABLE_SLOTS + 1, Base, target), GatherParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u64 r = at / p.columns;
    u64 number = at % p.columns;
    u64 column = number;
    u32 table = 0;
    while (column >= p.width[table]) {
        column -= p.width[table];
        table++;
    }
    u64 row = LIFTED(indices[p.first_index + r], p.log_rows - p.log_height[table]);
    u64 start = (u64)table << 60 | column << p.log_height[table];
    target[p.first_target + r * p.target_stride + number] = COLUMN_AT(start, row);
}

struct GatherPathsParams {
    u64 count;
    u64 first_index;
    u64 first_target;
    u32 log_leaves;
    // Levels that the tree lacks, the leaves first: made elsewhere.
    u32 dropped;
};

// The siblings of leaf indices[first_index + l] and of its ancestors, leaf level first, 4 words each. The nodes that
// there are are numbered from the root, 0; the children of v are 2v + 1 and 2v + 2.
KERNEL(gather_paths, IN(0, u64, nodes) IN(1, u64, indices) OUT(2, u64, target), GatherPathsParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u64 word = at & 3;
    u32 levels = p.log_leaves - p.dropped;
    u64 level = p.dropped + (at >> 2) % levels;
    u64 path = (at >> 2) / levels;
    u64 leaf = indices[p.first_index + path];
    // The ancestor `level` levels up, numbered from 1, has the number of its subtree; its sibling differs in the last
    // bit.
    u64 node = ((((u64)1 << p.log_leaves) + leaf) >> level) ^ 1;
    target[p.first_target + (path * p.log_leaves + level) * 4 + word] = nodes[(node - 1) * 4 + word];
}

struct AccumulateParams {
    u64 count;
    u32 log_into;
    u32 log_from;
};

// Adds columns, lifted, to columns.
KERNEL(accumulate, INOUT(0, Base, into) IN(1, Base, from), AccumulateParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u64 column = at >> p.log_into;
    u64 i = at & (((u64)1 << p.log_into) - 1);
    into[at] = base_add(into[at], from[(column << p.log_from) + LIFTED(i, p.log_into - p.log_from)]);
}
