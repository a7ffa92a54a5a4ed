// Parts that the passes of a Goldilocks transform share: parameters, indices, factors. After field.h and ntt_core.h.
//
// Written for NTT_LEVELS = 0..8, a macro: one translation unit per number of levels a pass, R = 2^NTT_LEVELS below.
// NTT_APART is defined, too: see there.
//
// A forward transform of a column of 2^n coefficients is a sequence of passes. A pass at depth d (levels done) takes
// each of the 2^d blocks of 2^(n-d) elements, block b the coefficients of a polynomial modulo x^(2^(n-d)) - c_b, c_b =
// (h W^rev(b))^(2^(n-d)) with W the root of order 2^n, rev the reversal of d bits, h the coset's offset. With S =
// 2^(n-d) / R, "stride", it sends the elements s + S i (i < R) of a block, for each s < S, to
//     y[s + S rev(k)] = sum over i of x[s + S i] t_b^i w_R^(i k),   t_b = h^S W^(S rev(b)),
// so that block b splits into the R blocks b R + rev(k). A block of 256 threads does 4096 / R of these transforms
// ("lanes"), each as two steps of registers (STEP_A levels, then STEP_B) with an exchange through shared memory. The
// factors t_b^i are few: lanes are chosen so that they share b (neighbours s; at S = 1, columns), and a block of
// threads computes its R factors once, one a thread. The inverse transform is the same backwards. Values between passes
// are any u64; NTT_CANONICAL asks for canonical ones.
//
// Plan for 2^n points, n <= 32. Passes: ceil(n / 8), one at least, as even as can be, larger ones first, so that every
// pass but that at S = 1 has S >= 16. Depth is the sum of the levels before.
//   forward            ntt_forward ..., ntt_forward_last; in place, or the first pass from another memory.
//   low-degree ext.    of 2^(n-e) coefficients: forward from depth e on; first pass source_blocks = 0,
// NTT_BLOCKS_FIRST.   inverse            ntt_inverse_first (the last of the forward passes), ntt_inverse ..., in place;
// the pass at depth 0
//                      with 1/2^n in coset_low.
//   row order          ntt_rows_first, ntt_rows ... (n > 8), else ntt_inverse_first with NTT_ROW_ORDER; each pass from
// one memory                      to another. An extension of rows on h0<g>: these without scale, then forward on (h /
// h0)<W> with 1/2^n
//                      in the first pass's coset_low.
// Flags: NTT_TWIST if depth > 0 or NTT_COSET; NTT_COSET if h != 1 or there is a scale; NTT_CANONICAL in the last pass;
// NTT_SPLIT if NTT_LEVELS > 4 and log_b >= 2. Lanes, log_s + log_b + log_c = 12 - NTT_LEVELS: for S > 1 neighbours s
// first, log_s = min(that, log_stride), then log_b up to depth (row order: 0), then columns. At S = 1: log_s = 0, the
// largest log_c that wastes at most a tenth of the lanes, then log_b up to depth, the rest to log_c. Grid: x =
// 2^(log_stride - log_s + depth - log_b) (row order: 2^(log_stride - log_s)), y = ceil(columns / 2^log_c) in launches
// of at most 65535, first_group counting those before.

#define NTT_TILE 4096
#define NTT_THREADS 256
#define NTT_PER_THREAD 16
#define NTT_R (1u << NTT_LEVELS)
#define NTT_LANES (NTT_TILE >> NTT_LEVELS)
#if NTT_LEVELS == 4
#define NTT_STEP_A 2
#elif NTT_LEVELS == 5
#define NTT_STEP_A 3
#elif NTT_LEVELS == 6
#define NTT_STEP_A 3
#elif NTT_LEVELS > 6
#define NTT_STEP_A 4
#else
#define NTT_STEP_A NTT_LEVELS
#endif
#define NTT_STEP_B (NTT_LEVELS - NTT_STEP_A)
#define NTT_RA (1u << NTT_STEP_A)
#define NTT_RB (1u << NTT_STEP_B)
#define NTT_REPEAT_A (NTT_PER_THREAD >> NTT_STEP_A)
#define NTT_REPEAT_B (NTT_PER_THREAD >> NTT_STEP_B)

// Flags. The factors t_b^i are not all 1; they hold the powers of the parameter block; they are computed as a product
// of two when used (many b a block of threads) instead of stored; results are canonical; neighbouring blocks of threads
// have different b; a whole transform in one inverse pass reads row order.
#define NTT_TWIST 1
#define NTT_COSET 2
#define NTT_SPLIT 4
#define NTT_CANONICAL 8
#define NTT_BLOCKS_FIRST 16
#define NTT_ROW_ORDER 32

// Layout of the buffer of roots, all of the fixed root g of order 2^32: g^i, g^(2^16 i) for i < 2^16; then for the
// forward and (at 512) for the inverse direction, at R + P RB + j, for R = 16..256: (root of order R)^(+- j rev(P)),
// rev of STEP_A bits.
#define NTT_ROOTS_HIGH 65536
#define NTT_ROOTS_TILE 131072
#define NTT_ROOTS_INVERSE 512
#define NTT_ROOTS_COUNT 132096

struct NttParams {
    // Height of a column of the source and of the target.
    u32 log_source;
    u32 log_target;
    u32 columns;
    // n, d, log2 of S.
    u32 log_size;
    u32 depth;
    u32 log_stride;
    // Lanes of a block of threads: 2^log_s neighbours s, times 2^log_b blocks b, times 2^log_c columns, s fastest.
    u32 log_s;
    u32 log_b;
    u32 log_c;
    u32 flags;
    // Added to BLOCK_Y.
    u32 first_group;
    // 0: all blocks b read the same source (the first pass of a low-degree extension).
    u32 source_blocks;
    // u^i for i < 16 and u^(16 i) for i < 16: t_b^i = coset(i) (root of order 2^(d + NTT_LEVELS))^(i rev(b)) with u =
    // h^S (inverse: the inverses; a common factor may be put into coset_low).
    u64 coset_low[16];
    u64 coset_high[16];
};

// g^e.
FN u64 ntt_root(GLOBAL const u64* roots, u32 e) {
    return gl_mul_lazy(roots[e & 0xffff], roots[NTT_ROOTS_HIGH + (e >> 16)]);
}

// A lane of this block of threads.
struct NttLane {
    u32 s;
    u32 b;
    // b counted from the first of this block of threads.
    u32 b_local;
    u32 column;
};

// x and y: which block of threads.
#define NTT_LANE(lane) ntt_lane((lane), BLOCK_X, BLOCK_Y + p.first_group, p.log_s, p.log_b, p.log_c, p.log_stride, p.depth, p.flags)

FN u32 ntt_first_b(u32 x, u32 log_s, u32 log_b, u32 log_stride, u32 depth, u32 flags) {
    u32 chunk = (flags & NTT_BLOCKS_FIRST) != 0 ? x & ((1u << (depth - log_b)) - 1) : x >> (log_stride - log_s);
    return chunk << log_b;
}

FN NttLane ntt_lane(u32 lane, u32 x, u32 y, u32 log_s, u32 log_b, u32 log_c, u32 log_stride, u32 depth, u32 flags) {
    u32 chunk = (flags & NTT_BLOCKS_FIRST) != 0 ? x >> (depth - log_b) : x & ((1u << (log_stride - log_s)) - 1);
    NttLane r;
    r.s = (chunk << log_s) + (lane & ((1u << log_s) - 1));
    r.b_local = (lane >> log_s) & ((1u << log_b) - 1);
    r.b = ntt_first_b(x, log_s, log_b, log_stride, depth, flags) + r.b_local;
    r.column = (y << log_c) + (lane >> (log_s + log_b));
    return r;
}

// For passes at S = 1: first block, first column of this block of threads; and for a lane the offset that it adds.
#define NTT_FIRST_B (ntt_first_b(BLOCK_X, p.log_s, p.log_b, p.log_stride, p.depth, p.flags))
#define NTT_FIRST_COLUMN ((BLOCK_Y + p.first_group) << p.log_c)
#define NTT_LAST_OFFSET(lane, log_height) \
    (((u64)((lane) & ((1u << p.log_b) - 1)) << NTT_LEVELS) + ((u64)((lane) >> p.log_b) << (log_height)))
// Steps through a tile element by element, THREAD + NTT_THREADS e for e = 0..15, at S = 1. With one b or one column in
// a block of threads the offset grows evenly; `body` sees the element's number, its `offset` and whether its column is
// there.
#define NTT_EACH(log_height, body)                                                                                  \
    if (NTT_LEVELS <= 8 && (p.log_b == 0 || p.log_c == 0)) {                                                        \
        u32 here = p.log_b == 0 ? p.columns - NTT_FIRST_COLUMN : NTT_TILE;                                          \
        u32 log_lane = p.log_b == 0 ? (log_height) : NTT_LEVELS;                                                    \
        u64 offset = ((u64)(THREAD >> NTT_LEVELS) << log_lane) + (THREAD & (NTT_R - 1));                            \
        UNROLL                                                                                                      \
        for (u32 e = 0; e < NTT_PER_THREAD; e++) {                                                                  \
            u32 number = THREAD + NTT_THREADS * e;                                                                  \
            bool there = (number >> NTT_LEVELS) < here;                                                             \
            body offset += (u64)(NTT_THREADS >> NTT_LEVELS) << log_lane;                                            \
        }                                                                                                           \
    } else {                                                                                                        \
        UNROLL                                                                                                      \
        for (u32 e = 0; e < NTT_PER_THREAD; e++) {                                                                  \
            u32 number = THREAD + NTT_THREADS * e;                                                                  \
            bool there = NTT_FIRST_COLUMN + (number >> NTT_LEVELS >> p.log_b) < p.columns;                          \
            u64 offset = NTT_LAST_OFFSET(number >> NTT_LEVELS, log_height) + (number & (NTT_R - 1));                \
            body                                                                                                    \
        }                                                                                                           \
    }

// Exponent e of g^e = (root of order 2^(depth + NTT_LEVELS))^rev(b), rev of `depth` bits.
FN u32 ntt_exponent(u32 b, u32 depth) {
    u32 reversed = (u32)((u64)REVERSE_BITS(b) >> (32 - depth));
    return (u32)((u64)reversed << (32 - depth - NTT_LEVELS));
}

// The factors of this block of threads into `factors`: t_b^i at b R + i or, split, t_b^i and t_b^(16 i) for i < 16 at
// b 32 + i and b 32 + 16 + i. The caller has barriers before and after.
#define NTT_FACTORS(inverse)                                                                                          \
    {                                                                                                                 \
        u32 log_set = (p.flags & NTT_SPLIT) != 0 ? 5 : NTT_LEVELS;                                                    \
        u32 first_b = ntt_first_b(BLOCK_X, p.log_s, p.log_b, p.log_stride, p.depth, p.flags);                         \
        for (u32 e = THREAD; e < (1u << (p.log_b + log_set)); e += NTT_THREADS) {                                     \
            u32 i = e & ((1u << log_set) - 1);                                                                        \
            u32 power = (p.flags & NTT_SPLIT) == 0 || i < 16 ? i : (i - 16) << 4;                                     \
            u32 exponent = ntt_exponent(first_b + (e >> log_set), p.depth) * power;                                   \
            u64 factor = ntt_root(roots, (inverse) ? 0u - exponent : exponent);                                       \
            if ((p.flags & NTT_COSET) != 0) {                                                                         \
                /* Split: the low and the high part of the coset's powers go with those of the root. */               \
                if ((p.flags & NTT_SPLIT) == 0 || i < 16) {                                                           \
                    factor = gl_mul_lazy(factor, p.coset_low[power & 15]);                                            \
                }                                                                                                     \
                if ((p.flags & NTT_SPLIT) == 0 || i >= 16) {                                                          \
                    factor = gl_mul_lazy(factor, p.coset_high[power >> 4]);                                           \
                }                                                                                                     \
            }                                                                                                         \
            factors[e] = factor;                                                                                         \
        }                                                                                                             \
    }

// Where the factors are. NTT_APART, defined by the host, is 0 or 1. 0: in the exchange's memory, and a block of threads
// takes 32 KB. 1: if they are few, in 4 KB of their own, so that they are computed while the elements come in and need
// no barriers. NTT_FACTORS_APART says which.
#if NTT_APART && NTT_LEVELS > 4
#define NTT_APART_COUNT 512
#define NTT_FACTOR_MEMORY                                                                                    \
    SHARED(u64, apart, NTT_APART_COUNT);                                                                     \
    bool factors_apart = (1u << (p.log_b + ((p.flags & NTT_SPLIT) != 0 ? 5 : NTT_LEVELS))) <= NTT_APART_COUNT; \
    SHARED_ARG(u64) factors = factors_apart ? apart : tile;
#define NTT_FACTORS_APART factors_apart
#else
#define NTT_FACTOR_MEMORY SHARED_ARG(u64) factors = tile;
#define NTT_FACTORS_APART false
#endif

// x[e] by t_b^i for all e.
#define NTT_APPLY(b_local, i)                                                                                            \
    if ((p.flags & NTT_SPLIT) != 0) {                                                                                    \
        UNROLL                                                                                                           \
        for (u32 e = 0; e < NTT_PER_THREAD; e++) {                                                                       \
            u64 factor = gl_mul_lazy(factors[(b_local) * 32 + ((i) & 15)], factors[(b_local) * 32 + 16 + ((i) >> 4)]); \
            x[e] = gl_mul_lazy(x[e], factor);                                                                            \
        }                                                                                                                \
    } else {                                                                                                             \
        UNROLL                                                                                                           \
        for (u32 e = 0; e < NTT_PER_THREAD; e++) {                                                                       \
            x[e] = gl_mul_lazy(x[e], factors[(b_local) * NTT_R + (i)]);                                                  \
        }                                                                                                                \
    }

// The k that register e holds in a forward transform of 2^bits points read as an inverse one: output -k.
#define NTT_NEGATED(e, bits) (((1u << (bits)) - ntt_reverse(e, bits)) & ((1u << (bits)) - 1))

// i and, with neighbouring threads in one lane, b_local, of element e of step A: of the input, forward, and of the
// output, inverse.
#define NTT_STRIDED_J(e) ((THREAD + NTT_THREADS * ((e) >> NTT_STEP_A)) / NTT_LANES)
#define NTT_LAST_PAIR(e) (THREAD + NTT_THREADS * ((e) >> NTT_STEP_A))
#define NTT_LAST_J(e) (NTT_LAST_PAIR(e) & (NTT_RB - 1))
#define NTT_LAST_B(e) ((NTT_LAST_PAIR(e) >> NTT_STEP_B) & ((1u << p.log_b) - 1))
#define NTT_FORWARD_I(e) (((e) & (NTT_RA - 1)) << NTT_STEP_B)
#define NTT_INVERSE_I(e) (NTT_NEGATED((e) & (NTT_RA - 1), NTT_STEP_A) << NTT_STEP_B)

// Where element c of row P of a lane lies in shared memory: neither rows nor columns of the 2^A by 2^B square share a
// bank.
#define NTT_SQUARE(lane, row, c) ((lane) * NTT_R + (row) * NTT_RB + ((c) ^ ((row) & (NTT_RB - 1))))

// Between the two steps where neighbouring threads share a lane: with steps of one size the threads of a lane are the
// same in both, and in one group of 32.
#if NTT_STEP_A == NTT_STEP_B
#define NTT_EXCHANGE() GROUP_BARRIER()
#else
#define NTT_EXCHANGE() BARRIER()
#endif

// Blocks of threads that should be resident on a multiprocessor: bounds the registers. At 3 there would be spills at S
// = 1 in passes of 8 levels and without NTT_APART of 5, and from row order in passes of 8 levels from compute
// capability 12.0 on.
#define NTT_RESIDENT 3
#if NTT_LEVELS == 8 || (NTT_LEVELS == 5 && !NTT_APART)
#define NTT_RESIDENT_LAST 2
#else
#define NTT_RESIDENT_LAST 3
#endif
#if NTT_LEVELS == 8 && COMPUTE_CAPABILITY >= 1200
#define NTT_RESIDENT_ROWS 2
#else
#define NTT_RESIDENT_ROWS 3
#endif
