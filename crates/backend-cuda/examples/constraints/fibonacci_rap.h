// The constraints of fibonacci-rap as one would write them by hand: a yardstick for the kernels that are generated from
// programs. After the files of the unit `program`, with DEGREE 3; ROWS is how many points a thread takes. Only for AIRs
// with steps = rows - 1.
//
// With T the trace's zerofier x^n - 1, e_k = x - g^(n-k), gamma the challenge and b = beta:
//   C(x) = e_1/T ((a(2) - a(1) - a(0)) e_2 e_3 + b (z(1) (b(0) + gamma) - z(0) (a(0) + gamma)))
//          + (b^2 (a(0) - 1) + b^4 (z(0) - 1))/(x - 1) + b^3 (a(0) - 1)/(x - g)

struct FibonacciRapParams {
    // 1/(x^n - 1) for the points i >> log_trace = 0 .. 3.
    u64 zerofier[4];
    // g^(n-1), g^(n-2), g^(n-3), g.
    u64 ends[3];
    u64 generator;
    // beta, beta gamma, beta^2, beta^3, beta^4.
    u64 beta[3];
    u64 beta_gamma[3];
    u64 beta2[3];
    u64 beta3[3];
    u64 beta4[3];
    u64 count;
    // Threads of the launch: each takes ROWS points at this distance.
    u64 threads;
    u32 log_size;
    u32 log_trace;
};

// Points have two factors, by the low bits of their index and by the rest.
#define LOW_BITS 12

struct Sums {
    GlSum c[3];
};

// s + a b, unreduced; b has its double beside it.
FN Sums sums_mul(Sums s, Fp3 a, Fp3 b) {
    u64 twice1 = gl_add(b.c[1], b.c[1]);
    u64 twice2 = gl_add(b.c[2], b.c[2]);
    s.c[0] = gl_sum_mac(gl_sum_mac(gl_sum_mac(s.c[0], a.c[0], b.c[0]), a.c[1], twice2), a.c[2], twice1);
    s.c[1] = gl_sum_mac(gl_sum_mac(gl_sum_mac(s.c[1], a.c[0], b.c[1]), a.c[1], b.c[0]), a.c[2], twice2);
    s.c[2] = gl_sum_mac(gl_sum_mac(gl_sum_mac(s.c[2], a.c[0], b.c[2]), a.c[1], b.c[1]), a.c[2], b.c[0]);
    return s;
}

FN Sums sums_zero() {
    Sums s;
    UNROLL for (u32 k = 0; k < 3; k++) {
        s.c[k] = gl_sum_zero();
    }
    return s;
}

FN Fp3 sums_reduce(Sums s) {
    return fp3_new(gl_sum_reduce(s.c[0]), gl_sum_reduce(s.c[1]), gl_sum_reduce(s.c[2]));
}

KERNEL(fibonacci_rap,
       IN(0, u64, main) IN(1, u64, aux) IN(2, u64, low) IN(3, u64, high) OUT(4, u64, result), FibonacciRapParams) {
    u64 thread = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (thread >= p.threads) {
        return;
    }
    u64 size = (u64)1 << p.log_size;
    // One inversion for all points: of the product of (x - 1)(x - g), no point of the coset being in the trace domain.
    u64 x[ROWS];
    u64 prefix[ROWS];
    u64 product = 1;
    UNROLL for (u32 r = 0; r < ROWS; r++) {
        u64 i = thread + r * p.threads;
        i = i < p.count ? i : thread;
        x[r] = gl_mul(low[i & ((1u << LOW_BITS) - 1)], high[i >> LOW_BITS]);
        prefix[r] = product;
        product = gl_mul(product, gl_mul(gl_sub(x[r], 1), gl_sub(x[r], p.generator)));
    }
    product = gl_inverse(product);
    UNROLL for (u32 k = ROWS; k > 0; k--) {
        u32 r = k - 1;
        u64 i = thread + r * p.threads;
        bool inside = i < p.count;
        i = inside ? i : thread;
        u64 d0 = gl_sub(x[r], 1);
        u64 d1 = gl_sub(x[r], p.generator);
        u64 inverse = gl_mul(product, prefix[r]);
        product = gl_mul(product, gl_mul(d0, d1));

        u64 next = storage_index(i, 1, p.log_size, p.log_trace);
        u64 a0 = main[i];
        u64 a1 = main[next];
        u64 a2 = main[storage_index(i, 2, p.log_size, p.log_trace)];
        u64 b0 = main[size + i];
        Fp3 z0 = ext_load(aux, i, size);
        Fp3 z1 = ext_load(aux, next, size);

        // The transitions, without e_1/T.
        Fp3 with_a;
        Fp3 with_b;
        UNROLL for (u32 c = 0; c < 3; c++) {
            with_a.c[c] = gl_add(gl_mul(p.beta[c], a0), p.beta_gamma[c]);
            with_b.c[c] = gl_add(gl_mul(p.beta[c], b0), p.beta_gamma[c]);
        }
        Fp3 transition = sums_reduce(sums_mul(sums_mul(sums_zero(), z1, with_b), fp3_neg(z0), with_a));
        u64 ends = gl_mul(gl_sub(x[r], p.ends[1]), gl_sub(x[r], p.ends[2]));
        transition.c[0] = gl_add(transition.c[0], gl_mul(gl_sub(gl_sub(a2, a1), a0), ends));
        u64 factor = gl_mul(gl_sub(x[r], p.ends[0]), p.zerofier[i >> p.log_trace]);

        // The boundaries: 1/(x - 1) = inverse (x - g), and the other way round.
        u64 a_less_one = gl_sub(a0, 1);
        u64 over_d0 = gl_mul(inverse, d1);
        u64 first = gl_mul(a_less_one, over_d0);
        u64 second = gl_mul(a_less_one, gl_mul(inverse, d0));
        Fp3 last = fp3_mul_base(ext_sub_base(z0, 1), over_d0);
        Sums sum = sums_zero();
        Fp3 beta4;
        UNROLL for (u32 c = 0; c < 3; c++) {
            beta4.c[c] = p.beta4[c];
            sum.c[c] = gl_sum_mac(sum.c[c], transition.c[c], factor);
            sum.c[c] = gl_sum_mac(sum.c[c], p.beta2[c], first);
            sum.c[c] = gl_sum_mac(sum.c[c], p.beta3[c], second);
        }
        Fp3 value = sums_reduce(sums_mul(sum, last, beta4));
        if (inside) {
            ext_store(result, i, p.count, value);
        }
    }
}
