// Columns of fractions summed up. scan.h comes before: its `ratios` makes the fractions of every row, its scan their running sums.

struct LogupParams {
    u64 count;
    // 1/count.
    u64 inverse_count;
    u32 columns;
    // Which of the totals is this table's.
    u32 number;
};

// Extension column b of the result: ratios 0 .. b of the row, added up. Ratios are the first of pairs of extension columns.
KERNEL(logup_rows, IN(0, Base, values) OUT(1, Base, result), LogupParams) {
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

// The last extension column of the result, from its running sums: row r loses r + 1 times the mean of all rows. The last sum is the
// total.
KERNEL(logup_centre, IN(0, Base, running) OUT(1, Base, result) OUT(2, Base, totals), LogupParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    Ext total = ext_load(running, p.count - 1, p.count);
    Ext mean = ext_mul_base(total, (Base)p.inverse_count);
    Ext value = ext_sub(ext_load(running, i, p.count), ext_mul_base(mean, (Base)(i + 1)));
    ext_store(result + (p.columns - 1) * DEGREE * p.count, i, p.count, value);
    if (i == 0) {
        ext_store(totals + p.number * DEGREE, 0, 1, total);
    }
}
