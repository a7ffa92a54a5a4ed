// Multilinear polynomials: the first variable bound, and weighted sums over corners. sums.h comes before.

struct BindParams {
    u64 challenge[DEGREE];
    // The first row, the elements from a column to the next, the rows of all extension columns of the result.
    u64 first;
    u64 stride;
    u64 count;
    u32 log_half;
    u32 pad;
};

// Halves of extension columns become what is between them, a thread a row.
KERNEL(bind_first, IN(0, Base, source) OUT(1, Base, result), BindParams) {
    u64 at = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (at >= p.count) {
        return;
    }
    u64 left = (u64)1 << p.log_half;
    u64 column = at >> p.log_half;
    u64 row = at & (left - 1);
    Ext challenge;
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        challenge.c[k] = (Base)p.challenge[k];
    }
    GLOBAL const Base* start = source + column * DEGREE * p.stride + p.first;
    Ext low = ext_load(start, row, p.stride);
    Ext high = ext_load(start, left + row, p.stride);
    Ext bound = ext_add(low, ext_mul(ext_sub(high, low), challenge));
    ext_store(result + column * DEGREE * left, row, left, bound);
}

struct WeightedParams {
    // Rows, rows of a strip, strips, groups of 32 threads.
    u64 count;
    u64 rows;
    u64 strips;
    u64 groups;
    // Both halves of the weights: the first row, and the elements from a column to the next.
    u64 high_first;
    u64 high_stride;
    u64 low_first;
    u64 low_stride;
    u32 log_low;
    u32 pad;
};

// sums[(column * strips + strip) * DEGREE + k] = coordinate k of the sum of weight times extension column over the rows
// of the strip. The weight of a row is a product: of the high weights at its upper bits, of the low ones at its lower.
// 32 threads a strip of a column.
KERNEL(weighted_sums, IN(0, Base, values) IN(1, Base, high) IN(2, Base, low) OUT(3, Base, sums), WeightedParams) {
    // A group too many does the last one's work, so that all take part in the exchange, and writes nothing.
    u64 number = ((u64)BLOCK_X * BLOCK_THREADS + THREAD) / 32;
    u64 group = number < p.groups ? number : p.groups - 1;
    u64 column = group / p.strips;
    u64 strip = group % p.strips;
    u64 end = (strip + 1) * p.rows;
    end = end < p.count ? end : p.count;
    GLOBAL const Base* start = values + column * DEGREE * p.count;
    u64 mask = ((u64)1 << p.log_low) - 1;
    Ext sum = ext_from_base(0);
    UNROLL_BY(4) for (u64 i = strip * p.rows + (THREAD & 31); i < end; i += 32) {
        Ext weight = ext_load(low, p.low_first + (i & mask), p.low_stride);
        weight = ext_mul(weight, ext_load(high, p.high_first + (i >> p.log_low), p.high_stride));
        sum = ext_add(sum, ext_mul(ext_load(start, i, p.count), weight));
    }
    UNROLL for (u32 k = 0; k < DEGREE; k++) {
        Base total = base_group_sum(sum.c[k]);
        if ((THREAD & 31) == 0 && number < p.groups) {
            sums[group * DEGREE + k] = total;
        }
    }
}
