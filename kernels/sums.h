// Sums of weights times elements: group_sum.h comes before. The protocol's ext.h has
//   DOT_COLUMNS            columns of a group of 32 threads, which share the weights
//   ExtDot, ext_dot_...    a sum of products, with room for four between two calls of ext_dot_fold

struct DotParams {
    // Rows that count of every table, rows of a strip, strips, groups of 32 threads.
    u64 count;
    u64 rows;
    u64 strips;
    u64 groups;
    // For every table the first element of its sums, its columns, none where there is no table, and log2 of the
    // elements from one to the next.
    u64 first[TABLE_SLOTS];
    u32 columns[TABLE_SLOTS];
    u32 log_stride[TABLE_SLOTS];
};

#define DOT_THREADS 256
// Rows of a thread that are loaded together.
#define DOT_STEP 4

// sums[first + (column * strips + strip) * DEGREE + k] = coordinate k of the sum of weights[i] * column[i] over the
// strip's rows. There is a group of 32 threads for every strip and every DOT_COLUMNS columns of a table, strip by
// strip, table by table.
KERNEL_BOUNDED(dot, DOT_THREADS, 2, TABLES(0) IN(TABLE_SLOTS, Base, weights) OUT(TABLE_SLOTS + 1, Base, sums), DotParams) {
    // A group too many does the last one's work, so that all take part in the exchange, and writes nothing.
    u64 number = ((u64)BLOCK_X * BLOCK_THREADS + THREAD) / 32;
    u64 group = number < p.groups ? number : p.groups - 1;
    u32 table = 0;
    u32 across = (p.columns[0] + DOT_COLUMNS - 1) / DOT_COLUMNS;
    while (group >= across * p.strips) {
        group -= across * p.strips;
        table++;
        across = (p.columns[table] + DOT_COLUMNS - 1) / DOT_COLUMNS;
    }
    u64 strip = group / across;
    u32 first = (u32)(group - strip * across) * DOT_COLUMNS;
    u64 stride = (u64)1 << p.log_stride[table];
    // A column too many is the last one again, whose sum is not written.
    u32 last = p.columns[table] - 1 - first < DOT_COLUMNS ? p.columns[table] - 1 - first : DOT_COLUMNS - 1;
    u64 end = (strip + 1) * p.rows;
    end = end < p.count ? end : p.count;
    GLOBAL const Base* start = COLUMN((u64)table << 60) + first * stride;
    ExtDot sum[DOT_COLUMNS];
    UNROLL for (u32 c = 0; c < DOT_COLUMNS; c++) {
        sum[c] = ext_dot_zero();
    }
    u64 i = strip * p.rows + (THREAD & 31);
    for (; i + 32 * (DOT_STEP - 1) < end; i += 32 * DOT_STEP) {
        Ext weight[DOT_STEP];
        Base values[DOT_STEP * DOT_COLUMNS];
        UNROLL for (u32 n = 0; n < DOT_STEP; n++) {
            weight[n] = ext_load(weights, i + 32 * n, p.count);
            UNROLL for (u32 c = 0; c < DOT_COLUMNS; c++) {
                values[n * DOT_COLUMNS + c] = start[(c < last ? c : last) * stride + i + 32 * n];
            }
        }
        UNROLL for (u32 n = 0; n < DOT_STEP; n++) {
            UNROLL for (u32 c = 0; c < DOT_COLUMNS; c++) {
                sum[c] = ext_dot_mac(sum[c], weight[n], values[n * DOT_COLUMNS + c]);
            }
        }
        UNROLL for (u32 c = 0; c < DOT_COLUMNS; c++) {
            sum[c] = ext_dot_fold(sum[c]);
        }
    }
    UNROLL_BY(1) for (; i < end; i += 32) {
        Ext weight = ext_load(weights, i, p.count);
        UNROLL for (u32 c = 0; c < DOT_COLUMNS; c++) {
            sum[c] = ext_dot_fold(ext_dot_mac(sum[c], weight, start[(c < last ? c : last) * stride + i]));
        }
    }
    UNROLL for (u32 c = 0; c < DOT_COLUMNS; c++) {
        Ext value = ext_dot_reduce(sum[c]);
        UNROLL for (u32 k = 0; k < DEGREE; k++) {
            Base total = base_group_sum(value.c[k]);
            if ((THREAD & 31) == 0 && c <= last && number < p.groups) {
                sums[p.first[table] + ((first + c) * p.strips + strip) * DEGREE + k] = total;
            }
        }
    }
}

struct SumParams {
    u64 sums;
    u32 strips;
    u32 pad;
};

// totals[column * DEGREE + k] = sum over strips of partial; 32 threads a coordinate.
KERNEL(sum_strips, IN(0, Base, partial) OUT(1, Base, totals), SumParams) {
    u64 number = ((u64)BLOCK_X * BLOCK_THREADS + THREAD) / 32;
    u64 at = number < p.sums ? number : p.sums - 1;
    GLOBAL const Base* first = partial + (at / DEGREE) * p.strips * DEGREE + at % DEGREE;
    Base sum = 0;
    UNROLL_BY(4) for (u32 s = THREAD & 31; s < p.strips; s += 32) {
        sum = base_add(sum, first[(u64)s * DEGREE]);
    }
    sum = base_group_sum(sum);
    if ((THREAD & 31) == 0 && at == number) {
        totals[at] = sum;
    }
}
