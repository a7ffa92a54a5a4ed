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

// Constants of the prime: p, p - 2, 2^256 mod p, and -1/p mod 2^32.
#define PRIME_LESS_TWO FELT_WORDS
#define PRIME_ONE (2 * FELT_WORDS)
#define PRIME_INVERSE (3 * FELT_WORDS)

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

// a b / 2^256 mod p. After each word of b a multiple of p makes the lowest word of the sum zero, which is then dropped; the sum stays
// below 2p, so that it has one bit more than a felt.
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

// a^(p - 2): 1/a, and 0 for 0. The exponent is the same for all threads.
FN Felt felt_inverse(Felt a, Felt p, GLOBAL const u32* prime) {
    u32 inverse = prime[PRIME_INVERSE];
    Felt r = constant_felt(prime + PRIME_ONE);
    u32 bit = 32 * FELT_WORDS;
    while (bit > 1 && (prime[PRIME_LESS_TWO + (bit - 1) / 32] >> ((bit - 1) & 31) & 1) == 0) {
        bit--;
    }
    for (; bit > 0; bit--) {
        r = felt_mul(r, r, p, inverse);
        if ((prime[PRIME_LESS_TWO + (bit - 1) / 32] >> ((bit - 1) & 31) & 1) != 0) {
            r = felt_mul(r, a, p, inverse);
        }
    }
    return r;
}

// False if operands are no felts.
FN bool run_felts(Machine m, u32 op, GLOBAL const u32* prime) {
    Felt p = constant_felt(prime);
    Felt a = felt_of(m, 0);
    if (op == ROW_FELT_CHECK) {
        return felt_is_less(a, p);
    }
    if (op == ROW_FELT_INV) {
        set_felt(m, felt_inverse(a, p, prime));
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
