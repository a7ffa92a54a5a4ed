// Values of polynomials on the circle outside their domain: weights of a point, then sums of weight times element.

struct CoefficientWeightParams {
    u64 count;
    u64 threads;
    // log2 of the threads.
    u32 log_threads;
    u32 pad;
};

#define WEIGHT_ROWS 8

// weights[i] = the product of factor b over the set bits b of i: y, x, pi(x), pi(pi(x)), ... of the point. A thread
// takes WEIGHT_ROWS that differ in their highest bits, or all of fewer.
KERNEL(weights_of_coefficients, IN(0, u32, factors) OUT(1, u32, weights), CoefficientWeightParams) {
    u64 number = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (number >= p.threads) {
        return;
    }
    Ext low = ext_from_base(1);
    for (u32 b = 0; (number >> b) != 0; b++) {
        if (((number >> b) & 1) != 0) {
            low = ext_mul(low, ext_at(factors + 4 * b));
        }
    }
    for (u32 r = 0; r < WEIGHT_ROWS; r++) {
        u64 i = number + r * p.threads;
        if (i < p.count) {
            Ext weight = low;
            for (u32 b = 0; (r >> b) != 0; b++) {
                if (((r >> b) & 1) != 0) {
                    weight = ext_mul(weight, ext_at(factors + 4 * (p.log_threads + b)));
                }
            }
            ext_store(weights, i, p.count, weight);
        }
    }
}

struct ValueWeightParams {
    u32 x[4];
    u32 y[4];
    u64 pairs;
    u64 threads;
    u32 log_domain;
    u32 is_rows;
    // The index of the first point in the canonic domain.
    u32 first;
    u32 pad;
};

// With (X, Y) the point, and q = (x, y) and its conjugate the points 2h and 2h + 1 of a domain of N points, whose half
// coset has the y-coordinate c after log N - 1 doublings, the value of the polynomial with values f is
//     V(X) / (-N c) sum over q of +-f(q) (Y + y)/(x - X),   V(X) = X after log N - 1 doublings less that of the domain,
// with the sign of the conjugates -: cot((a - b)/2) = -(sin a + sin b)/(cos a - cos b) interpolates on evenly spaced
// angles. These are the weights without the common factor. One inversion serves WEIGHT_ROWS pairs.
KERNEL(weights_of_values, OUT(0, u32, weights) IN(1, u32, table), ValueWeightParams) {
    u64 number = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (number >= p.threads) {
        return;
    }
    Ext point_x = ext_new(p.x[0], p.x[1], p.x[2], p.x[3]);
    Ext point_y = ext_new(p.y[0], p.y[1], p.y[2], p.y[3]);
    u32 log_size = 0;
    while (((u64)1 << log_size) < p.pairs) {
        log_size++;
    }
    Ext prefix[WEIGHT_ROWS];
    Ext product = ext_from_base(1);
    UNROLL for (u32 r = 0; r < WEIGHT_ROWS; r++) {
        u64 h = number + r * p.threads;
        prefix[r] = product;
        if (h < p.pairs) {
            CirclePoint q = circle_point_at(table, p.log_domain, p.first + 2 * (u32)h);
            Ext difference = ext_sub(ext_from_base(q.x), point_x);
            if (!ext_is_zero(difference)) {
                product = ext_mul(product, difference);
            }
        }
    }
    product = ext_inverse(product);
    UNROLL for (u32 k = WEIGHT_ROWS; k > 0; k--) {
        u32 r = k - 1;
        u64 h = number + r * p.threads;
        if (h < p.pairs) {
            CirclePoint q = circle_point_at(table, p.log_domain, p.first + 2 * (u32)h);
            Ext difference = ext_sub(ext_from_base(q.x), point_x);
            Ext inverse = ext_from_base(0);
            if (!ext_is_zero(difference)) {
                inverse = ext_mul(product, prefix[r]);
                product = ext_mul(product, difference);
            }
            u64 first = 2 * h;
            u64 second = 2 * h + 1;
            if (p.is_rows != 0) {
                // Position j of the half coset is row 2j, its conjugate row N - 1 - 2j.
                first = 2 * (u64)reverse((u32)h, log_size);
                second = 2 * p.pairs - 1 - first;
            }
            ext_store(weights, first, 2 * p.pairs, ext_mul(inverse, ext_add_base(point_y, q.y)));
            ext_store(weights, second, 2 * p.pairs, ext_mul(inverse, ext_sub(ext_from_base(q.y), point_y)));
        }
    }
}
