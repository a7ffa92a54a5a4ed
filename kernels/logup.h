// Columns of fractions summed up, in three steps: fractions and the running sums of every chunk of rows, what is before
// each chunk, and the centring.

struct LogupParams {
    u64 count;
    // 1/count.
    u64 inverse_count;
    u32 columns;
    u32 chunks;
    // The number of this table's total.
    u32 number;
    u32 pad;
};

// A thread takes LOGUP_ROWS neighbours, a block a chunk of LOGUP_THREADS of them.
#define LOGUP_THREADS 256
#define LOGUP_ROWS 4
#define LOGUP_CHUNK (LOGUP_THREADS * LOGUP_ROWS)
#define LOGUP_GROUPS (LOGUP_THREADS / 32)
// Blocks that should be resident on a multiprocessor: bounds the registers. With one more there would be spills.
#if DEGREE == 4
#define LOGUP_RESIDENT 3
#else
#define LOGUP_RESIDENT 1
#endif

// The sum over the threads of the block up to number `number`, which are all there. Sets `total` to that over all of
// them. `sums` has room for DEGREE elements of every group of 32.
FN Ext block_scan(SHARED_ARG(Base) sums, u32 number, Ext value, LOCAL Ext* total) {
    Ext group = value;
    for (u32 mask = 1; mask < 32; mask *= 2) {
        Ext other;
        UNROLL for (u32 k = 0; k < DEGREE; k++) {
            other.c[k] = base_shuffle_xor(group.c[k], mask);
        }
        if ((number & mask) != 0) {
            value = ext_add(value, other);
        }
        group = ext_add(group, other);
    }
    if ((number & 31) == 0) {
        UNROLL for (u32 k = 0; k < DEGREE; k++) {
            sums[k * LOGUP_GROUPS + number / 32] = group.c[k];
        }
    }
    BARRIER();
    Ext all = ext_from_base(0);
    for (u32 g = 0; g < LOGUP_GROUPS; g++) {
        Ext sum;
        UNROLL for (u32 k = 0; k < DEGREE; k++) {
            sum.c[k] = sums[k * LOGUP_GROUPS + g];
        }
        if (g < number / 32) {
            value = ext_add(value, sum);
        }
        all = ext_add(all, sum);
    }
    *total = all;
    return value;
}

// Numerators and denominators are pairs of extension columns of `values`. Extension column b of the result: fractions 0
// .. b of the row, added up; of the last one the running sum within the chunk. A fraction is zero where its denominator
// is. One inversion serves the rows of a thread. totals: the sum of every chunk, an extension column.
KERNEL_BOUNDED(logup_fractions, LOGUP_THREADS, LOGUP_RESIDENT, IN(0, Base, values) OUT(1, Base, result) OUT(2, Base, totals), LogupParams) {
    SHARED(Base, sums, LOGUP_GROUPS * DEGREE);
    u64 first = (u64)BLOCK_X * LOGUP_CHUNK + THREAD * LOGUP_ROWS;
    Ext sum[LOGUP_ROWS];
    UNROLL for (u32 r = 0; r < LOGUP_ROWS; r++) {
        sum[r] = ext_from_base(0);
    }
    GLOBAL const Base* numerators = values;
    for (u32 b = 0; b < p.columns; b++) {
        GLOBAL const Base* denominators = numerators + DEGREE * p.count;
        Ext denominator[LOGUP_ROWS];
        Ext prefix[LOGUP_ROWS];
        Ext product = ext_from_base(1);
        UNROLL for (u32 r = 0; r < LOGUP_ROWS; r++) {
            denominator[r] = first + r < p.count ? ext_load(denominators, first + r, p.count) : ext_from_base(0);
        }
        UNROLL for (u32 r = 0; r < LOGUP_ROWS; r++) {
            prefix[r] = product;
            if (!ext_is_zero(denominator[r])) {
                product = ext_mul(product, denominator[r]);
            }
        }
        product = ext_inverse(product);
        UNROLL for (u32 k = LOGUP_ROWS; k > 0; k--) {
            u32 r = k - 1;
            if (!ext_is_zero(denominator[r])) {
                Ext inverse = ext_mul(product, prefix[r]);
                sum[r] = ext_add(sum[r], ext_mul(inverse, ext_load(numerators, first + r, p.count)));
                product = ext_mul(product, denominator[r]);
            }
            if (b + 1 < p.columns && first + r < p.count) {
                ext_store(result + b * DEGREE * p.count, first + r, p.count, sum[r]);
            }
        }
        numerators += 2 * DEGREE * p.count;
    }
    Ext part = ext_from_base(0);
    UNROLL for (u32 r = 0; r < LOGUP_ROWS; r++) {
        part = ext_add(part, sum[r]);
        sum[r] = part;
    }
    Ext total;
    Ext before = ext_sub(block_scan(sums, THREAD, part, &total), part);
    GLOBAL Base* last = result + (p.columns - 1) * DEGREE * p.count;
    UNROLL for (u32 r = 0; r < LOGUP_ROWS; r++) {
        if (first + r < p.count) {
            ext_store(last, first + r, p.count, ext_add(before, sum[r]));
        }
    }
    if (THREAD == 0) {
        ext_store(totals, BLOCK_X, p.chunks, total);
    }
}

// Totals of chunks become what is before each; one block. all: the sum of all.
KERNEL_BOUNDED(logup_carries, LOGUP_THREADS, 1, INOUT(0, Base, totals) OUT(1, Base, all), LogupParams) {
    // By turns, so that none is written that another thread still reads.
    SHARED(Base, sums, 2 * LOGUP_GROUPS * DEGREE);
    Ext running = ext_from_base(0);
    for (u64 chunk = 0; chunk < p.chunks; chunk += LOGUP_CHUNK) {
        u32 turn = (u32)(chunk / LOGUP_CHUNK) & 1;
        u64 first = chunk + THREAD * LOGUP_ROWS;
        Ext own[LOGUP_ROWS];
        Ext part = ext_from_base(0);
        UNROLL for (u32 r = 0; r < LOGUP_ROWS; r++) {
            own[r] = first + r < p.chunks ? ext_load(totals, first + r, p.chunks) : ext_from_base(0);
            part = ext_add(part, own[r]);
        }
        Ext total;
        Ext before = ext_add(running, ext_sub(block_scan(sums + turn * LOGUP_GROUPS * DEGREE, THREAD, part, &total), part));
        UNROLL for (u32 r = 0; r < LOGUP_ROWS; r++) {
            if (first + r < p.chunks) {
                ext_store(totals, first + r, p.chunks, before);
            }
            before = ext_add(before, own[r]);
        }
        running = ext_add(running, total);
    }
    if (THREAD == 0) {
        ext_store(all + p.number * DEGREE, 0, 1, running);
    }
}

// The last extension column of the result, from its running sums within chunks: what is before the chunk comes to them,
// and row r loses r + 1 times the mean of all rows.
KERNEL(logup_centre, INOUT(0, Base, result) IN(1, Base, carries) IN(2, Base, all), LogupParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    Ext mean = ext_mul_base(ext_at(all + p.number * DEGREE), (Base)p.inverse_count);
    GLOBAL Base* last = result + (p.columns - 1) * DEGREE * p.count;
    Ext sum = ext_add(ext_load(last, i, p.count), ext_load(carries, i / LOGUP_CHUNK, p.chunks));
    ext_store(last, i, p.count, ext_sub(sum, ext_mul_base(mean, (Base)(i + 1))));
}
