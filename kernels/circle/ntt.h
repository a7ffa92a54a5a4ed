// Transforms on circles and lines: what the passes share. points.h says which factors the layers have.
//
// A pass does NTT_LEVELS = r layers, those of bits s .. s + r - 1 of the storage index, on tiles of 2^r elements that
// differ in those bits; a block of NTT_THREADS threads has NTT_LANES tiles of one column after the other. Lane number l
// has the low bits l mod 2^s and the high bits H = l >> s. A thread has 16 elements in registers: first (forward) the
// tile's upper r - 4 bits, then, after an exchange through shared memory, the lower 4; backward the other way round.
// Over runs, the factors of a thread are those of all columns.
//
// circle_forward, circle_inverse           s >= 4: neighbouring threads are neighbouring lanes, so runs of 16 elements.
// circle_forward_last, circle_inverse_first  s = 0: tiles are runs of 2^r elements; neighbouring threads are neighbours
// in a tile.

#define NTT_THREADS 256
// Resident blocks of the two kinds of passes, which bounds the registers.
#define NTT_STRIDED_RESIDENT (NTT_LEVELS > 4 ? 4 : 3)
#define NTT_RUN_RESIDENT (NTT_LEVELS > 4 ? 3 : 2)
#define NTT_LOG_TILE 12
#define NTT_LOG_LANES (NTT_LOG_TILE - NTT_LEVELS)
#define NTT_LANES (1 << NTT_LOG_LANES)
// Bits of the lower step and of the upper one, and how often a thread does each.
#define NTT_LOW (NTT_LEVELS < 4 ? NTT_LEVELS : 4)
#define NTT_UP (NTT_LEVELS < 4 ? 0 : NTT_LEVELS - 4)
#define NTT_LOW_SIZE (1 << NTT_LOW)
#define NTT_UP_SIZE (1 << NTT_UP)
#define NTT_LOW_REPEAT (16 >> NTT_LOW)
#define NTT_UP_REPEAT (16 >> NTT_UP)
// Padded by a sixteenth against bank conflicts.
#define NTT_SHARED ((1 << NTT_LOG_TILE) + (1 << (NTT_LOG_TILE - 4)))

struct CircleNttParams {
    // Columns are first_column .. columns - 1, a block takes block_columns of them.
    u32 columns;
    u32 first_column;
    u32 block_columns;
    u32 log_source;
    u32 log_target;
    // log2 of the elements of a column that are written: all bits of an index.
    u32 log_size;
    u32 log_stride;
    // The canonic domain that the domain is a block of, or the line.
    u32 log_domain;
    u32 flags;
    // Twice a factor of the results, or 0 for none.
    u32 scale;
    // log2 of the blocks of threads that read the same elements, in a forward pass from fewer coefficients than values.
    u32 log_repeat;
    // The index of the domain's first point in that canonic domain, or on the line.
    u32 first;
};

// The domain is a circle's, so that bit 0 has y-coordinates.
#define NTT_CIRCLE 1
// The source is in row order.
#define NTT_ROWS 2

// Loops have constant bounds, so that arrays stay in registers.

// log2 of the factors of the layer that has number n of them: 0, then 1 1, then 2 2 2 2, ....
#define NTT_FACTOR_LOG(n) (((n) >= 1 ? 1 : 0) + ((n) >= 3 ? 1 : 0) + ((n) >= 7 ? 1 : 0))

// Twice the factors of Q layers of a group of 2^Q elements. The layer of the group's bit b has 2^(Q-1-b) of them, from
// 2^(Q-1-b) - 1 on; `top` is m of T_m for its lowest bit, g the bits of the index above the group's.
template <u32 Q>
FN void ntt_factors(LOCAL u32* w, GLOBAL const u32* table, u32 top, u32 g) {
    UNROLL for (u32 n = 0; n + 1 < (1u << Q); n++) {
        u32 log = NTT_FACTOR_LOG(n);
        w[n] = table[(1u << (top - (Q - 1 - log))) + (g << log) + (n + 1 - (1u << log))];
    }
}

// The same where the lowest bit is bit 0 of a circle.
template <u32 Q>
FN void ntt_factors_circle(LOCAL u32* w, GLOBAL const u32* table, u32 log_domain, u32 g) {
    UNROLL for (u32 n = 0; n + 1 < (1u << (Q - 1)); n++) {
        u32 log = NTT_FACTOR_LOG(n);
        w[n] = table[(1u << (log_domain - 1 - (Q - 1 - log))) + (g << log) + (n + 1 - (1u << log))];
    }
    UNROLL for (u32 u = 0; u < (1u << (Q - 1)); u++) {
        if (Q >= 3) {
            // circle_twice_y from the factors of bit 1, which are those of the same points.
            u32 y = w[(1u << (Q >= 3 ? Q - 2 : 0)) - 1 + ((u >> 1) ^ 1)];
            w[(1u << (Q - 1)) - 1 + u] = ((u ^ (u >> 1)) & 1) != 0 ? circle_negated(y) : y;
        } else {
            w[(1u << (Q - 1)) - 1 + u] = circle_twice_y(table, log_domain, (g << (Q - 1)) + u);
        }
    }
}

// (a + t b, a - t b), the highest bit first.
template <u32 Q>
FN void ntt_forward_step(LOCAL u32* v, LOCAL const u32* w) {
    UNROLL for (u32 k = 0; k < Q; k++) {
        UNROLL for (u32 i = 0; i < (1u << (Q - 1)); i++) {
            u32 b = Q - 1 - k;
            u32 u = i >> b;
            u32 at = (u << (b + 1)) + (i & ((1u << b) - 1));
            u32 product = m31_mul_twice(v[at + (1u << b)], w[(1u << k) - 1 + u]);
            v[at + (1u << b)] = m31_sub(v[at], product);
            v[at] = m31_add(v[at], product);
        }
    }
}

// (a + b, (a - b)/t), the lowest bit first.
template <u32 Q>
FN void ntt_inverse_step(LOCAL u32* v, LOCAL const u32* w) {
    UNROLL for (u32 b = 0; b < Q; b++) {
        UNROLL for (u32 i = 0; i < (1u << (Q - 1)); i++) {
            u32 u = i >> b;
            u32 at = (u << (b + 1)) + (i & ((1u << b) - 1));
            u32 difference = m31_sub(v[at], v[at + (1u << b)]);
            v[at] = m31_add(v[at], v[at + (1u << b)]);
            v[at + (1u << b)] = m31_mul_twice(difference, w[(1u << (Q - 1 - b)) - 1 + u]);
        }
    }
}

// Where element 16 group + t of a lane's tile, t < 16, is in shared memory: lanes side by side, or tiles one after the
// other.
#define NTT_AT_STRIDED(group, t, lane) ((group) * (16 * NTT_LANES + 16) + (t) * NTT_LANES + (lane))
#define NTT_AT_RUN(group, t, lane) ((lane) * ((1 << NTT_LEVELS) + (1 << NTT_LEVELS) / 16) + (group) * 17 + (t))

// A pass's factors of bits s .. of the lower step, s = 0, which may be a circle's.
#define NTT_LOW_FACTORS(w, g)                                                            \
    if ((p.flags & NTT_CIRCLE) != 0) {                                                   \
        ntt_factors_circle<NTT_LOW>(w, table, p.log_domain, g);                          \
    } else {                                                                             \
        ntt_factors<NTT_LOW>(w, table, p.log_domain - 1, g);                             \
    }

// Goes through the block's columns: `column` is the number of one.
#define NTT_COLUMNS(column)                                                                                \
    u32 first = p.first_column + BLOCK_Y * p.block_columns;                                                \
    u32 end = first + p.block_columns < p.columns ? first + p.block_columns : p.columns;                   \
    for (u32 column = first; column < end; column++)
