// Linear recurrences f(r + k) = c_0 f(r) + ... + c_(k-1) f(r + k - 1) of order k = ORDER.
//
// The state s(r) = (f(r), ..., f(r + k - 1)) goes on by one matrix, s(r + 1) = M s(r), so a thread finds any row by
// itself, s(r) = product over the bits j of r of M^(2^j) s(0), and no thread waits for another.

struct RecurrenceParams {
    // The rows to write: `count` of them, from row `first` of the column on. The sequence starts there.
    u64 first;
    u64 count;
};

// A block writes a chunk of neighbours; a thread takes every RECURRENCE_THREADS-th of them, so that a group of threads
// writes whole lines.
#define LOG_RECURRENCE_THREADS 8
#define RECURRENCE_THREADS (1 << LOG_RECURRENCE_THREADS)
#define RECURRENCE_ROWS 32

struct State {
    Base f[ORDER];
};

// A matrix, row after row, times a state.
FN State advance(GLOBAL const Base* matrix, State s) {
    State r;
    UNROLL for (u32 i = 0; i < ORDER; i++) {
        BaseSum sum = base_sum_zero();
        UNROLL for (u32 j = 0; j < ORDER; j++) {
            sum = base_sum_mac(sum, matrix[i * ORDER + j], s.f[j]);
        }
        r.f[i] = base_sum_reduce(sum);
    }
    return r;
}

// powers: M^(2^j) for every j below the bits of a row, at least LOG_RECURRENCE_THREADS + 1 of them.
KERNEL(recurrence, IN(0, Base, powers) IN(1, Base, initial) OUT(2, Base, column), RecurrenceParams) {
    u64 row = (u64)BLOCK_X * (RECURRENCE_THREADS * RECURRENCE_ROWS) + THREAD;
    if (row >= p.count) {
        return;
    }
    State state;
    UNROLL for (u32 i = 0; i < ORDER; i++) {
        state.f[i] = initial[i];
    }
    GLOBAL const Base* power = powers;
    for (u64 bits = row; bits != 0; bits >>= 1) {
        if ((bits & 1) != 0) {
            state = advance(power, state);
        }
        power += ORDER * ORDER;
    }
    GLOBAL const Base* stride = powers + LOG_RECURRENCE_THREADS * ORDER * ORDER;
    GLOBAL Base* target = column + p.first;
    for (u32 n = 0; n < RECURRENCE_ROWS && row < p.count; n++) {
        target[row] = state.f[0];
        state = advance(stride, state);
        row += RECURRENCE_THREADS;
    }
}
