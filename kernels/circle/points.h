// Factors of the layers of transforms, and points of domains, in storage order.
//
// The table of factors: entry 2^m + h, h < 2^m, is twice T_m(h), the x-coordinate of the point of index (4 rev_m(h) +
// 1) 2^(28 - m), rev_m being the reversal of m bits. On the canonic domain of 2^L points the factor of bit b >= 1 at
// storage index i is T_(L-1-b)(i >> (b + 1)), on a line of 2^L points that of any bit b is the same, and a block has
// part of the factors of each bit. The factor of bit 0 of a circle is a y-coordinate. Four points of a half coset, one
// after the other in storage order, are P, its antipode, P + Q and its antipode, Q = (0, -1): (x, y), (-x, -y), (y,
// -x), (-y, x). So x- and y-coordinates of all are those of two entries of T_(L-2). Entry 0 serves the domain of four
// points, which has no second entry: twice the y-coordinate of index 2^28. The table of inverses has 2/T in place of 2
// T.

// Twice -t for twice t, t not zero.
FN u32 circle_negated(u32 twice) {
    return 2 * M31_P - twice;
}

// Twice the y-coordinate, or its inverse, of point 2 h of the canonic domain of 2^log_coset points.
FN u32 circle_twice_y(GLOBAL const u32* table, u32 log_coset, u32 h) {
    if (log_coset < 3) {
        // The domain of two points has (0, -1) and (0, 1).
        u32 y = log_coset == 1 ? 2 * (M31_P - 1) : table[0];
        return (h & 1) != 0 ? circle_negated(y) : y;
    }
    u32 y = table[(1u << (log_coset - 2)) + ((h >> 1) ^ 1)];
    return ((h ^ (h >> 1)) & 1) != 0 ? circle_negated(y) : y;
}

struct CirclePoint {
    u32 x;
    u32 y;
};

// Point i of the canonic domain of 2^log_coset points, from the table of factors.
FN CirclePoint circle_point_at(GLOBAL const u32* table, u32 log_coset, u32 i) {
    u32 h = i >> 1;
    CirclePoint q;
    // No factor is zero, so halves of negated ones are canonical too.
    q.y = circle_twice_y(table, log_coset, h) >> 1;
    if ((i & 1) != 0) {
        q.y = m31_neg(q.y);
    }
    if (log_coset == 1) {
        q.x = 0;
    } else {
        u32 x = table[(1u << (log_coset - 2)) + (h >> 1)] >> 1;
        q.x = (h & 1) != 0 ? m31_neg(x) : x;
    }
    return q;
}
