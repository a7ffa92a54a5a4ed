// Extensions of low columns in one launch: values to coefficients and on to values, a column at a time in shared
// memory. points.h says which factors the layers have.

#define EXTEND_THREADS 256
// Elements that a block has: whole columns, extended.
#define EXTEND_LOG_TILE 11

struct ExtendParams {
    u32 columns;
    // Log2 of the rows of a column, and of its extension.
    u32 log_source;
    u32 log_target;
    // The canonic domains, or the lines, that the domains are parts of.
    u32 log_domain_source;
    u32 log_domain_target;
    u32 flags;
    // Twice the inverse of the number of rows.
    u32 scale;
    // The indices of their first points there.
    u32 first_source;
    u32 first_target;
    u32 pad;
};

// The domain of the source, or of the target, is a circle's; the source is in row order.
#define EXTEND_SOURCE_CIRCLE 1
#define EXTEND_TARGET_CIRCLE 2
#define EXTEND_ROWS 4

// The factor of the layer of bit b where the higher bits of the index are u.
FN u32 extend_factor(GLOBAL const u32* table, u32 log_domain, bool is_circle, u32 b, u32 u) {
    return is_circle && b == 0 ? circle_twice_y(table, log_domain, u) : table[(1u << (log_domain - 1 - b)) + u];
}

KERNEL_BOUNDED(circle_extend, EXTEND_THREADS, 4,
               IN(0, u32, source) OUT(1, u32, target) IN(2, u32, forward) IN(3, u32, inverse), ExtendParams) {
    SHARED(u32, tile, 1 << EXTEND_LOG_TILE);
    u32 n = p.log_source;
    u32 m = p.log_target;
    // The block's columns, one after the other in the tile, each with room for its extension.
    u32 room = 1u << (EXTEND_LOG_TILE - m);
    u32 first = BLOCK_X * room;
    u32 columns = p.columns - first < room ? p.columns - first : room;
    bool is_circle = (p.flags & EXTEND_SOURCE_CIRCLE) != 0;
    for (u32 at = THREAD; at < columns << n; at += EXTEND_THREADS) {
        u32 i = at & ((1u << n) - 1);
        u32 row = (p.flags & EXTEND_ROWS) != 0 ? circle_row(i, n, is_circle) : i;
        tile[((at >> n) << m) + i] = source[((u64)(first + (at >> n)) << n) + row];
    }
    for (u32 b = 0; b < n; b++) {
        BARRIER();
        for (u32 at = THREAD; at < columns << (n - 1); at += EXTEND_THREADS) {
            u32 pair = at & ((1u << (n - 1)) - 1);
            u32 u = pair >> b;
            u32 low = ((at >> (n - 1)) << m) + (u << (b + 1)) + (pair & ((1u << b) - 1));
            u32 high = low + (1u << b);
            u32 difference = m31_sub(tile[low], tile[high]);
            u32 sum = m31_add(tile[low], tile[high]);
            u32 quotient = m31_mul_twice(difference, extend_factor(inverse, p.log_domain_source, is_circle, b, (p.first_source >> (b + 1)) + u));
            bool is_last = b + 1 == n;
            tile[low] = is_last ? m31_mul_twice(sum, p.scale) : sum;
            tile[high] = is_last ? m31_mul_twice(quotient, p.scale) : quotient;
        }
    }
    BARRIER();
    // The layers of the highest bits would join coefficients that are zero: all parts start with the same coefficients.
    for (u32 at = THREAD; at < columns << m; at += EXTEND_THREADS) {
        u32 i = at & ((1u << m) - 1);
        if (i >> n != 0) {
            tile[at] = tile[(at - i) + (i & ((1u << n) - 1))];
        }
    }
    is_circle = (p.flags & EXTEND_TARGET_CIRCLE) != 0;
    for (u32 b = n; b-- > 0;) {
        BARRIER();
        for (u32 at = THREAD; at < columns << (m - 1); at += EXTEND_THREADS) {
            u32 pair = at & ((1u << (m - 1)) - 1);
            u32 u = pair >> b;
            u32 low = ((at >> (m - 1)) << m) + (u << (b + 1)) + (pair & ((1u << b) - 1));
            u32 high = low + (1u << b);
            u32 product = m31_mul_twice(tile[high], extend_factor(forward, p.log_domain_target, is_circle, b, (p.first_target >> (b + 1)) + u));
            tile[high] = m31_sub(tile[low], product);
            tile[low] = m31_add(tile[low], product);
        }
    }
    BARRIER();
    for (u32 at = THREAD; at < columns << m; at += EXTEND_THREADS) {
        target[((u64)first << m) + at] = tile[at];
    }
}
