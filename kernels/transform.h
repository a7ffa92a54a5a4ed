// Transforms between coefficients (natural order) and values on a coset (bit-reversed order), a few levels at a time.
//
// Level s joins blocks of 2^s coefficients to blocks of 2^(s+1): on block k of level s the values are those of a polynomial modulo
// x^(2^(s+1)) - c, and with t = twiddles[k] (where t^2 = c after the coset factor was divided out)
//   forward:  (a, b) -> (a + t b, a - t b)        inverse:  (a, b) -> (a + b, (a - b)/t)
// for the pairs at distance 2^s. Forward goes through the levels downward, inverse upward.
//
// A block of threads takes 2^levels elements at distance 2^low, and 2^log_lanes neighbours of each so that memory is read in runs:
// the bits of an element's index are, from the top, high part, tile (levels), middle, lane (log_lanes; middle and lane together
// have `low` bits). BLOCK_X is high part and middle; BLOCK_Y is the column.

struct TransformParams {
    // Elements from a column to the next.
    u64 source_stride;
    u64 target_stride;
    u32 log_height;
    // The source has 2^log_source rows: the index is taken modulo that (forward: a low-degree extension).
    u32 log_source;
    u32 low;
    u32 levels;
    u32 log_lanes;
    u32 first_column;
    // Powers as make_powers leaves them, 2^log_low_powers of them in the low part; forward: factor of a coefficient when it is
    // loaded; inverse: when it is stored.
    u32 log_low_powers;
    u32 inverse;
    u32 scaled;
    // The order of values is natural: loaded (inverse) or stored (forward) at the reversed index.
    u32 natural;
};

#define TRANSFORM_TILE 4096

FN u64 power_of(GLOBAL const u64* powers, u64 i, u32 log_low) {
    u64 low = (u64)1 << log_low;
    return gl_mul(powers[i & (low - 1)], powers[low + (i >> log_low)]);
}

KERNEL(transform, IN(0, u64, source) OUT(1, u64, target) IN(2, u64, twiddles) IN(3, u64, powers), TransformParams) {
    SHARED(u64, tile, TRANSFORM_TILE);
    u64 column = p.first_column + BLOCK_Y;
    u32 size = 1u << (p.levels + p.log_lanes);
    u32 lane_mask = (1u << p.log_lanes) - 1;
    u64 middle_mask = ((u64)1 << (p.low - p.log_lanes)) - 1;
    u64 high = (u64)BLOCK_X >> (p.low - p.log_lanes);
    u64 base = (high << (p.low + p.levels)) | (((u64)BLOCK_X & middle_mask) << p.log_lanes);

    u64 source_mask = ((u64)1 << p.log_source) - 1;
    for (u32 e = THREAD; e < size; e += BLOCK_THREADS) {
        u64 i = base | ((u64)(e >> p.log_lanes) << p.low) | (e & lane_mask);
        if (p.inverse != 0) {
            u64 at = p.natural != 0 ? reverse((u32)i, p.log_height) : i;
            tile[e] = source[column * p.source_stride + at];
        } else {
            u64 value = source[column * p.source_stride + (i & source_mask)];
            if (p.scaled != 0) {
                value = gl_mul(value, power_of(powers, i & source_mask, p.log_low_powers));
            }
            tile[e] = value;
        }
    }
    BARRIER();
    for (u32 step = 0; step < p.levels; step++) {
        u32 level = p.inverse != 0 ? step : p.levels - 1 - step;
        for (u32 j = THREAD; j < size / 2; j += BLOCK_THREADS) {
            u32 lane = j & lane_mask;
            u32 pair = j >> p.log_lanes;
            u32 block = pair >> level;
            u32 first = (block << (level + 1)) | (pair & ((1u << level) - 1));
            u32 at_a = (first << p.log_lanes) | lane;
            u32 at_b = at_a + (1u << (level + p.log_lanes));
            u64 t = twiddles[(high << (p.levels - 1 - level)) | block];
            u64 a = tile[at_a];
            u64 b = tile[at_b];
            if (p.inverse != 0) {
                tile[at_a] = gl_add(a, b);
                tile[at_b] = gl_mul(gl_sub(a, b), t);
            } else {
                b = gl_mul(b, t);
                tile[at_a] = gl_add(a, b);
                tile[at_b] = gl_sub(a, b);
            }
        }
        BARRIER();
    }
    for (u32 e = THREAD; e < size; e += BLOCK_THREADS) {
        u64 i = base | ((u64)(e >> p.log_lanes) << p.low) | (e & lane_mask);
        u64 value = tile[e];
        if (p.inverse != 0) {
            if (p.scaled != 0) {
                value = gl_mul(value, power_of(powers, i, p.log_low_powers));
            }
            target[column * p.target_stride + i] = value;
        } else {
            u64 at = p.natural != 0 ? reverse((u32)i, p.log_height) : i;
            target[column * p.target_stride + at] = value;
        }
    }
}
