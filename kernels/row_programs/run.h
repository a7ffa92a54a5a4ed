// The interpreter's kernel: what reads and writes buffers, and the loop over instructions. After the other files of
// row_programs.

// The row's number; a value of the source entry; a row of a table, where a condition is not zero.
#define ROW_NUMBER 0
#define ROW_INPUT 1
#define ROW_READ 2
// To column `first argument`: an element, and a word in the form of the second argument.
#define ROW_COLUMN 35
#define ROW_COLUMN_OF_WORD 36
// To site `second argument` of the list whose place is the first.
#define ROW_EMIT 37
// Places of the counter whose place is the first argument; the second says whether the last operand is a condition.
#define ROW_COUNT 38
#define ROW_ASSERT 39

// The order of a fault says which it is; a, b and c are its details.
#define FAULT(a, b, c) report(faults, p.explain, row, order, a, b, c)

KERNEL(run_rows, ROWS_BUFFERS, RowsParams) {
    Machine m;
    m.constants = constants;
    m.stride = GRID_X * BLOCK_THREADS;
    u32 number = BLOCK_X * BLOCK_THREADS + THREAD;
    m.file = scratch + number;
    for (u64 n = number; n < p.count; n += m.stride) {
        u32 row = (u32)(p.first + n);
        RowSource source = source_of(places, p.parts, p.inputs, p.entries, p.period, row);
        u32 at = 0;
        while (at < p.code) {
            u32 op = code[at] & 0xff;
            u32 results = (code[at] >> 8) & 0xff;
            u32 operands = code[at] >> 16;
            u32 first = code[at + 1];
            u32 second = code[at + 2];
            u32 order = code[at + 3];
            m.results = code + at + ROW_HEAD;
            m.operands = m.results + results;
            at += ROW_HEAD + results + operands;
            if (op == ROW_NUMBER) {
                set_word(m, 0, row);
            } else if (op == ROW_INPUT) {
                u64 element = COLUMN_AT(source.first + ((u64)first << source.log_rows), 0);
                if (element >> 32 != 0) {
                    FAULT((u32)element, (u32)(element >> 32), 0);
                }
                set_word(m, 0, (u32)element);
            } else if (op == ROW_READ) {
                u64 element = 0;
                if (operands == 1 || word_of(m, 1) != 0) {
                    u32 index = word_of(m, 0);
                    u32 log_height = (u32)places[first + 1];
                    if ((u64)index >> log_height != 0) {
                        FAULT(index, 0, 0);
                    } else {
                        element = COLUMN_AT(places[first] + ((u64)second << log_height), index);
                        if (element >> 32 != 0) {
                            FAULT(index, (u32)element, (u32)(element >> 32));
                        }
                    }
                }
                set_word(m, 0, (u32)element);
            } else if (op <= LAST_ROW_WORD) {
                run_words(m, op, results, operands, first, second);
            } else if (op == ROW_COLUMN_OF_WORD) {
                columns[((u64)first << p.log_height) + row] = element_from(word_of(m, 0), second);
            } else if (op <= LAST_ROW_INTEGER) {
                run_integers(m, op, operands, first, p.work);
            } else if (op <= LAST_ROW_FELT) {
                if (!run_felts(m, op, constants + p.modulus)) {
                    FAULT(0, 0, 0);
                }
            } else if (op <= LAST_ROW_FIELD) {
                if (!run_fields(m, op, first)) {
                    u64 element = element_of(m, 0);
                    FAULT((u32)element, (u32)(element >> 32), 0);
                }
            } else if (op == ROW_COLUMN) {
                columns[((u64)first << p.log_height) + row] = element_of(m, 0);
            } else if (op == ROW_EMIT) {
                for (u32 k = 0; k < operands; k++) {
                    u32 word = word_of(m, k);
                    if ((u64)word >= BASE_ORDER) {
                        FAULT(k, word, 0);
                    } else {
                        LIST_AT(places[first] + (((u64)second * operands + k) << p.log_height) + row) = (Base)word;
                    }
                }
            } else if (op == ROW_COUNT) {
                u32 words = operands - second;
                if (second == 0 || word_of(m, words) != 0) {
                    for (u32 k = 0; k < words; k++) {
                        u32 place = word_of(m, k);
                        if (place >= places[first + 1]) {
                            FAULT(place, 0, 0);
                        } else {
                            ATOMIC_COUNT(tallies + places[first] + place);
                        }
                    }
                }
            } else if (word_of(m, 0) == 0) {
                FAULT(0, 0, 0);
            }
        }
    }
}

struct TallyParams {
    u64 count;
    // Where the tallies of the counter start.
    u64 first;
};

// Adds what was counted to a counter.
KERNEL(add_tallies, INOUT(0, Base, counter) IN(1, u32, tallies), TallyParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    counter[i] = base_add(counter[i], base_from_word(tallies[p.first + i]));
}
