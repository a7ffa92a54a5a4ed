// Row programs: an interpreter that runs a program for one row a thread, and for more rows one after the other.
//
// An instruction is ROW_HEAD words of `code`: operation | results << 8 | operands << 16, two arguments, and what a
// fault of it is ordered by. After them come the places of its results and operands, each that of one word: felts are
// eight of them, least significant first, and elements BASE_WORDS. A place with the top bit set is an index into
// `constants`; another is one of the thread's file in `scratch`, where word k of all threads comes before word k + 1,
// so that neighbours read and write neighbours. No instruction reads what it writes.
//
// The protocol's elements.h comes before, with BASE_WORDS, BASE_ORDER, base_from_word and base_inverse.

#define ROW_HEAD 4
#define IS_CONSTANT 0x80000000u

struct RowsParams {
    // Rows to run, and the number of the first.
    u64 count;
    u64 first;
    // Words of the program; parts of the source, values of an entry; entries, and the period of rows beyond them.
    u32 code;
    u32 parts;
    u32 inputs;
    u32 entries;
    u32 period;
    u32 log_height;
    // The first constant of the prime of felts, and the first word of the file that only divisions use.
    u32 modulus;
    u32 work;
    // Whether the one row that is run has a fault, which is to be described.
    u32 explain;
    u32 pad;
};

// The words of a part of the source in `places`: its first column, log2 of its rows, its entries. A table is the first
// two of these, a list its first column, a counter its first tally and how many it has.
#define PART_PLACES 3

// An instruction of a thread.
struct Machine {
    GLOBAL const u32* operands;
    GLOBAL const u32* results;
    GLOBAL const u32* constants;
    GLOBAL u32* file;
    // Threads of the launch.
    u32 stride;
};

// Operand k.
FN u32 word_of(Machine m, u32 k) {
    u32 place = m.operands[k];
    return (place & IS_CONSTANT) != 0 ? m.constants[place & ~IS_CONSTANT] : m.file[(u64)place * m.stride];
}

FN void set_word(Machine m, u32 k, u32 value) {
    m.file[(u64)m.results[k] * m.stride] = value;
}

// The words of faults: the number of the first row that has one; of a row that is explained the order of its first
// fault and what is known of it.
#define FAULT_ORDER 1
#define FAULT_DETAILS 2

// A fault of a row. It goes on with any value: nothing that it makes is kept.
FN void report(GLOBAL u32* faults, u32 explain, u32 row, u32 order, u32 a, u32 b, u32 c) {
    ATOMIC_MIN(faults, row);
    // One thread alone explains.
    if (explain != 0 && order < faults[FAULT_ORDER]) {
        faults[FAULT_ORDER] = order;
        faults[FAULT_DETAILS] = a;
        faults[FAULT_DETAILS + 1] = b;
        faults[FAULT_DETAILS + 2] = c;
    }
}
