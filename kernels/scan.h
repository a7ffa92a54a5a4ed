// Running products and sums of extension columns, in three phases: totals of chunks, the scan of the totals (again by
// these kernels), and the scan of each chunk from what is before it.

struct RatioParams {
    u64 count;
    u64 threads;
    u32 columns;
    u32 pad;
};

#define RATIO_ROWS 4

// Extension columns in pairs, numerator and denominator: the numerator becomes the ratio, zero where the denominator is
// zero. One inversion serves RATIO_ROWS; BLOCK_Y is the pair.
KERNEL(ratios, INOUT(0, Base, values), RatioParams) {
    u64 number = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (number >= p.threads) {
        return;
    }
    GLOBAL Base* numerators = values + (u64)BLOCK_Y * 2 * DEGREE * p.count;
    GLOBAL Base* denominators = numerators + DEGREE * p.count;
    Ext prefix[RATIO_ROWS];
    Ext product = ext_from_base(1);
    UNROLL for (u32 r = 0; r < RATIO_ROWS; r++) {
        u64 i = number + r * p.threads;
        prefix[r] = product;
        if (i < p.count) {
            Ext denominator = ext_load(denominators, i, p.count);
            if (!ext_is_zero(denominator)) {
                product = ext_mul(product, denominator);
            }
        }
    }
    product = ext_inverse(product);
    UNROLL for (u32 k = RATIO_ROWS; k > 0; k--) {
        u64 i = number + (k - 1) * p.threads;
        if (i < p.count) {
            Ext denominator = ext_load(denominators, i, p.count);
            Ext ratio = ext_from_base(0);
            if (!ext_is_zero(denominator)) {
                ratio = ext_mul(ext_mul(product, prefix[k - 1]), ext_load(numerators, i, p.count));
                product = ext_mul(product, denominator);
            }
            ext_store(numerators, i, p.count, ratio);
        }
    }
}

struct ScanParams {
    u64 count;
    // Base columns from an extension column of the values to the next.
    u32 step;
    u32 blocks;
    // Exclusive whatever the column's flags say: a scan of totals.
    u32 exclusive;
    u32 has_carries;
};

// A thread takes SCAN_ROWS neighbours, a block a chunk of SCAN_THREADS of them.
#define SCAN_THREADS 256
#define SCAN_ROWS 4
#define SCAN_CHUNK (SCAN_THREADS * SCAN_ROWS)

// Flags of a column.
#define SCAN_PRODUCT 1
#define SCAN_INCLUSIVE 2

FN Ext scan_neutral(u32 flags) {
    return ext_from_base((flags & SCAN_PRODUCT) != 0 ? 1 : 0);
}

FN Ext scan_join(u32 flags, Ext a, Ext b) {
    return (flags & SCAN_PRODUCT) != 0 ? ext_mul(a, b) : ext_add(a, b);
}

FN Ext shared_get(SHARED_ARG(Base) s, u32 at) {
    Ext r;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        r.c[k] = s[k * SCAN_THREADS + at];
    }
    return r;
}

FN void shared_set(SHARED_ARG(Base) s, u32 at, Ext value) {
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        s[k * SCAN_THREADS + at] = value.c[k];
    }
}

// totals: for each column BLOCK_Y the product or sum of every chunk BLOCK_X, as extension columns of `blocks` rows.
KERNEL(scan_totals, IN(0, Base, values) IN(1, u32, flags) OUT(2, Base, totals), ScanParams) {
    SHARED(Base, parts, SCAN_THREADS * DEGREE);
    GLOBAL const Base* column = values + (u64)BLOCK_Y * p.step * p.count;
    u32 kind = flags[BLOCK_Y];
    u64 first = (u64)BLOCK_X * SCAN_CHUNK + THREAD * SCAN_ROWS;
    Ext part = scan_neutral(kind);
    for (u32 r = 0; r < SCAN_ROWS; r++) {
        if (first + r < p.count) {
            part = scan_join(kind, part, ext_load(column, first + r, p.count));
        }
    }
    shared_set(parts, THREAD, part);
    for (u32 step = SCAN_THREADS / 2; step > 0; step /= 2) {
        BARRIER();
        if (THREAD < step) {
            shared_set(parts, THREAD, scan_join(kind, shared_get(parts, THREAD), shared_get(parts, THREAD + step)));
        }
    }
    if (THREAD == 0) {
        ext_store(totals + (u64)BLOCK_Y * DEGREE * p.blocks, BLOCK_X, p.blocks, shared_get(parts, 0));
    }
}

// result: the scan of every chunk, joined to its carry: what is before the chunk.
KERNEL(scan_apply, IN(0, Base, values) IN(1, u32, flags) IN(2, Base, carries) OUT(3, Base, result), ScanParams) {
    SHARED(Base, parts, SCAN_THREADS * DEGREE);
    GLOBAL const Base* column = values + (u64)BLOCK_Y * p.step * p.count;
    GLOBAL Base* target = result + (u64)BLOCK_Y * DEGREE * p.count;
    u32 kind = flags[BLOCK_Y];
    u64 first = (u64)BLOCK_X * SCAN_CHUNK + THREAD * SCAN_ROWS;
    Ext part = scan_neutral(kind);
    for (u32 r = 0; r < SCAN_ROWS; r++) {
        if (first + r < p.count) {
            part = scan_join(kind, part, ext_load(column, first + r, p.count));
        }
    }
    shared_set(parts, THREAD, part);
    BARRIER();
    // Inclusive scan of the threads' parts.
    for (u32 distance = 1; distance < SCAN_THREADS; distance *= 2) {
        Ext before = scan_neutral(kind);
        if (THREAD >= distance) {
            before = shared_get(parts, THREAD - distance);
        }
        part = scan_join(kind, before, part);
        BARRIER();
        shared_set(parts, THREAD, part);
        BARRIER();
    }
    Ext running = scan_neutral(kind);
    if (p.has_carries != 0) {
        running = ext_load(carries + (u64)BLOCK_Y * DEGREE * p.blocks, BLOCK_X, p.blocks);
    }
    if (THREAD > 0) {
        running = scan_join(kind, running, shared_get(parts, THREAD - 1));
    }
    bool inclusive = p.exclusive == 0 && (kind & SCAN_INCLUSIVE) != 0;
    for (u32 r = 0; r < SCAN_ROWS; r++) {
        if (first + r < p.count) {
            Ext after = scan_join(kind, running, ext_load(column, first + r, p.count));
            ext_store(target, first + r, p.count, inclusive ? after : running);
            running = after;
        }
    }
}
