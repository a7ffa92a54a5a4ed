// Columns of fractions summed up. scan.h comes before: its `ratios` makes the fractions of every row, its scan their running sums.

struct LogupParams {
    u64 count;
    u32 columns;
    // 1/count.
    u32 inverse_count;
};

// Extension column b of the result: ratios 0 .. b of the row, added up. Ratios are the first of pairs of extension columns.
KERNEL(logup_rows, IN(0, u32, values) OUT(1, u32, result), LogupParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    Ext sum = ext_from_base(0);
    for (u32 b = 0; b < p.columns; b++) {
        sum = ext_add(sum, ext_load(values + 2 * b * DEGREE * p.count, i, p.count));
        ext_store(result + b * DEGREE * p.count, i, p.count, sum);
    }
}

// The last extension column of the result, from its running sums: row r loses r + 1 times the mean of all rows.
KERNEL(logup_centre, IN(0, u32, running) OUT(1, u32, result), LogupParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    Ext mean = ext_mul_base(ext_load(running, p.count - 1, p.count), p.inverse_count);
    Ext value = ext_sub(ext_load(running, i, p.count), ext_mul_base(mean, (u32)i + 1));
    ext_store(result + (p.columns - 1) * DEGREE * p.count, i, p.count, value);
}
