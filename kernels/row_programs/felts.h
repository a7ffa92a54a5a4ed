// Operations on felts, elements of the field of any odd prime p below 2^256, in Montgomery form: x 2^256 mod p. After
// row_programs/machine.h.

#define FELT_WORDS 8

// Whether eight words are a number below p: if not, it is a fault.
#define ROW_FELT_CHECK 24
#define ROW_FELT_ADD 25
#define ROW_FELT_SUB 26
// a b / 2^256.
#define ROW_FELT_MUL 27
#define ROW_FELT_INV 28
#define LAST_ROW_FELT 28

// Constants of the prime: p, 2^768 mod p, and -1/p mod 2^32.
#define PRIME_CUBE FELT_WORDS
#define PRIME_INVERSE (2 * FELT_WORDS)

struct Felt {
    u32 w[FELT_WORDS];
};

FN Felt felt_of(Machine m, u32 first) {
    Felt r;
    UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
        r.w[k] = word_of(m, first + k);
    }
    return r;
}

FN Felt constant_felt(GLOBAL const u32* words) {
    Felt r;
    UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
        r.w[k] = words[k];
    }
    return r;
}

FN void set_felt(Machine m, Felt a) {
    UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
        set_word(m, k, a.w[k]);
    }
}

// a - p if that is not negative, else a, where `carry` is bit 2^256 of a, which is below 2p.
FN Felt felt_reduce(Felt a, u32 carry, Felt p) {
    Felt r;
    u32 borrow = 0;
    UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
        u64 difference = (u64)a.w[k] - p.w[k] - borrow;
        borrow = (u32)(difference >> 63);
        r.w[k] = (u32)difference;
    }
    bool is_less = carry < borrow;
    UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
        r.w[k] = is_less ? a.w[k] : r.w[k];
    }
    return r;
}

FN bool felt_is_less(Felt a, Felt p) {
    u32 borrow = 0;
    UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
        borrow = (u32)(((u64)a.w[k] - p.w[k] - borrow) >> 63);
    }
    return borrow != 0;
}

FN Felt felt_add(Felt a, Felt b, Felt p) {
    u64 sum = 0;
    UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
        sum = (sum >> 32) + a.w[k] + b.w[k];
        a.w[k] = (u32)sum;
    }
    return felt_reduce(a, (u32)(sum >> 32), p);
}

FN Felt felt_sub(Felt a, Felt b, Felt p) {
    u32 borrow = 0;
    UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
        u64 difference = (u64)a.w[k] - b.w[k] - borrow;
        borrow = (u32)(difference >> 63);
        a.w[k] = (u32)difference;
    }
    u32 mask = 0u - borrow;
    u64 sum = 0;
    UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
        sum = (sum >> 32) + a.w[k] + (p.w[k] & mask);
        a.w[k] = (u32)sum;
    }
    return a;
}

// a b / 2^256 mod p. After each word of b a multiple of p makes the lowest word of the sum zero, which is then dropped;
// the sum stays below 2p, so that it has one bit more than a felt.
FN Felt felt_mul(Felt a, Felt b, Felt p, u32 inverse) {
    Felt r;
    UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
        r.w[k] = 0;
    }
    u32 over = 0;
    UNROLL for (u32 i = 0; i < FELT_WORDS; i++) {
        u64 sum = 0;
        UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
            sum = (sum >> 32) + (u64)a.w[k] * b.w[i] + r.w[k];
            r.w[k] = (u32)sum;
        }
        u64 top = (u64)over + (sum >> 32);
        u32 multiple = r.w[0] * inverse;
        sum = (u64)multiple * p.w[0] + r.w[0];
        UNROLL for (u32 k = 1; k < FELT_WORDS; k++) {
            sum = (sum >> 32) + (u64)multiple * p.w[k] + r.w[k];
            r.w[k - 1] = (u32)sum;
        }
        top += sum >> 32;
        r.w[FELT_WORDS - 1] = (u32)top;
        over = (u32)(top >> 32);
    }
    return felt_reduce(r, over, p);
}

// Inverses by divsteps (Bernstein and Yang, "Fast constant-time gcd computation and modular inversion"), with delta = t
// + 1/2: of f odd and any g a step makes g and (g - f) / 2 if g is odd and delta > 0, when delta becomes 1 - delta;
// else it makes f and g / 2 or (g + f) / 2, whichever is whole, and delta grows by 1. From f = p, g < p < 2^256 and
// delta = 1/2 on, 590 steps lead to f = 1 or -1 and g = 0. All threads take the same way.
//
// Numbers are digits of DIGIT_BITS bits, least significant first; only the last has a sign. As many steps at a time see
// only the lowest digits: they give a matrix [[u, v], [q, r]] with |u| + |v| and |q| + |r| at most 2^DIGIT_BITS, which
// is then multiplied by f and g.
#define DIGITS 9
#define DIGIT_BITS 30
#define DIGIT_MASK 0x3fffffff
#define DIVSTEP_ROUNDS 20

struct Digits {
    i32 w[DIGITS];
};

FN Digits digits_of(Felt a) {
    Digits r;
    UNROLL for (u32 k = 0; k < DIGITS; k++) {
        u32 word = DIGIT_BITS * k / 32;
        u32 shift = DIGIT_BITS * k & 31;
        u64 both = a.w[word] | (word + 1 < FELT_WORDS ? (u64)a.w[word + 1] << 32 : 0);
        r.w[k] = (i32)((u32)(both >> shift) & DIGIT_MASK);
    }
    return r;
}

// (x a + y b + z p) / 2^DIGIT_BITS, which is whole.
FN Digits digits_combined(Digits a, u32 x, Digits b, u32 y, Digits p, i32 z) {
    Digits r;
    i64 sum = 0;
    UNROLL for (u32 k = 0; k < DIGITS; k++) {
        sum += (i64)(i32)x * a.w[k] + (i64)(i32)y * b.w[k] + (i64)z * p.w[k];
        if (k > 0) {
            r.w[k - 1] = (i32)sum & DIGIT_MASK;
        }
        sum >>= DIGIT_BITS;
    }
    r.w[DIGITS - 1] = (i32)sum;
    return r;
}

// The same of numbers modulo p: z, from -2^(DIGIT_BITS - 1) on, makes it whole, so that |result| <= max(|a|, |b|) + p /
// 2.
FN Digits digits_combined_mod(Digits a, u32 x, Digits b, u32 y, Digits p, u32 inverse) {
    u32 z = (x * (u32)a.w[0] + y * (u32)b.w[0]) * inverse;
    return digits_combined(a, x, b, y, p, (i32)(z << (32 - DIGIT_BITS)) >> (32 - DIGIT_BITS));
}

// The felt that a number between -16p and 16p is, negated if `is_negated`.
FN Felt felt_of_digits(Digits a, bool is_negated, Digits p) {
    i64 sum = 0;
    UNROLL for (u32 k = 0; k < DIGITS; k++) {
        sum += ((i64)p.w[k] << 4) + (is_negated ? -a.w[k] : a.w[k]);
        a.w[k] = (i32)sum & DIGIT_MASK;
        sum >>= DIGIT_BITS;
    }
    for (u32 power = 5; power > 0; power--) {
        Digits less;
        sum = 0;
        UNROLL for (u32 k = 0; k < DIGITS; k++) {
            sum += a.w[k] - ((i64)p.w[k] << (power - 1));
            less.w[k] = (i32)sum & DIGIT_MASK;
            sum >>= DIGIT_BITS;
        }
        UNROLL for (u32 k = 0; k < DIGITS; k++) {
            a.w[k] = sum < 0 ? a.w[k] : less.w[k];
        }
    }
    Felt r;
    UNROLL for (u32 k = 0; k < FELT_WORDS; k++) {
        u32 digit = 32 * k / DIGIT_BITS;
        u64 both = (u32)a.w[digit] | (u64)(u32)a.w[digit + 1] << DIGIT_BITS;
        r.w[k] = (u32)(both >> (32 * k - DIGIT_BITS * digit));
    }
    return r;
}

// 1/a, and 0 for 0, where `cube` is 2^768 mod p: that of a 2^256 is 1/a 2^-256.
FN Felt felt_inverse(Felt a, Felt prime, Felt cube, u32 inverse) {
    Digits p = digits_of(prime);
    Digits f = p, g = digits_of(a);
    // f = d a and g = e a modulo p, but for powers of two that the division of both by as many makes up for.
    Digits d, e;
    UNROLL for (u32 k = 0; k < DIGITS; k++) {
        d.w[k] = 0;
        e.w[k] = k == 0 ? 1 : 0;
    }
    i32 t = 0;
    for (u32 round = 0; round < DIVSTEP_ROUNDS; round++) {
        u32 low_f = (u32)f.w[0], low_g = (u32)g.w[0];
        u32 u = 1, v = 0, q = 0, r = 1;
        for (u32 step = 0; step < DIGIT_BITS; step++) {
            bool is_odd = (low_g & 1) != 0;
            bool is_turned = is_odd && t >= 0;
            u32 other_f = is_turned ? low_g : low_f, other_u = is_turned ? q : u, other_v = is_turned ? r : v;
            low_f = is_turned ? 0u - low_f : low_f;
            u = is_turned ? 0u - u : u;
            v = is_turned ? 0u - v : v;
            low_g = (low_g + (is_odd ? low_f : 0)) >> 1;
            q += is_odd ? u : 0;
            r += is_odd ? v : 0;
            low_f = other_f;
            u = other_u << 1;
            v = other_v << 1;
            t = is_turned ? -t : t + 1;
        }
        Digits next_f = digits_combined(f, u, g, v, p, 0);
        g = digits_combined(f, q, g, r, p, 0);
        f = next_f;
        Digits next_d = digits_combined_mod(d, u, e, v, p, inverse);
        e = digits_combined_mod(d, q, e, r, p, inverse);
        d = next_d;
    }
    return felt_mul(felt_of_digits(d, f.w[DIGITS - 1] < 0, p), cube, prime, inverse);
}

// False if operands are no felts.
FN bool run_felts(Machine m, u32 op, GLOBAL const u32* prime) {
    Felt p = constant_felt(prime);
    Felt a = felt_of(m, 0);
    if (op == ROW_FELT_CHECK) {
        return felt_is_less(a, p);
    }
    if (op == ROW_FELT_INV) {
        set_felt(m, felt_inverse(a, p, constant_felt(prime + PRIME_CUBE), prime[PRIME_INVERSE]));
        return true;
    }
    Felt b = felt_of(m, FELT_WORDS);
    if (op == ROW_FELT_ADD) {
        set_felt(m, felt_add(a, b, p));
    } else if (op == ROW_FELT_SUB) {
        set_felt(m, felt_sub(a, b, p));
    } else {
        set_felt(m, felt_mul(a, b, p, prime[PRIME_INVERSE]));
    }
    return true;
}
