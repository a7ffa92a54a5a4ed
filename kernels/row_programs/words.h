// Operations on vectors of words. After row_programs/machine.h.

#define ROW_ADD 3
#define ROW_SUB 4
#define ROW_MUL 5
#define ROW_AND 6
#define ROW_OR 7
#define ROW_XOR 8
#define ROW_EQ 9
#define ROW_LT 10
// By the first argument.
#define ROW_SHL 11
#define ROW_SHR 12
#define ROW_SAR 13
// Arguments: a condition, the words if it is not zero, the words else.
#define ROW_SELECT 14
#define ROW_SUM 15
// The product of two polynomials; the first argument is the length of the first.
#define ROW_CONVOLVE 16
// Bits of an integer from bit `first argument` of the low word on, which may go on in a high word; the second argument
// is their mask.
#define ROW_DIGIT 17
// A word of the digits of an integer: where the first of them begins, signed, and how many bits each has.
#define ROW_JOIN 18
#define LAST_ROW_WORD 18

#define VECTOR(op, value)                                   \
    case op:                                                \
        for (u32 k = 0; k < results; k++) {                 \
            u32 a = word_of(m, k), b = word_of(m, results + k); \
            set_word(m, k, value);                          \
        }                                                   \
        break;
#define SHIFT(op, value)                    \
    case op:                                \
        for (u32 k = 0; k < results; k++) { \
            u32 a = word_of(m, k);          \
            set_word(m, k, value);          \
        }                                   \
        break;

// Sums of a_i b_j over i + j = k.
FN void convolve(Machine m, u32 first, u32 operands, u32 results) {
    u32 second = operands - first;
    for (u32 k = 0; k < results; k++) {
        u32 sum = 0;
        for (u32 i = k < second ? 0 : k - second + 1; i <= k && i < first; i++) {
            sum += word_of(m, i) * word_of(m, first + k - i);
        }
        set_word(m, k, sum);
    }
}

FN u32 join(Machine m, i32 shift, u32 bits, u32 operands) {
    u32 word = 0;
    for (u32 k = 0; k < operands; k++) {
        u32 digit = word_of(m, k) & (0xffffffffu >> (32 - bits));
        word |= shift < 0 ? digit >> (u32)(-shift) : digit << (u32)shift;
        shift += (i32)bits;
    }
    return word;
}

FN void run_words(Machine m, u32 op, u32 results, u32 operands, u32 first, u32 second) {
    switch (op) {
        VECTOR(ROW_ADD, a + b)
        VECTOR(ROW_SUB, a - b)
        VECTOR(ROW_MUL, a * b)
        VECTOR(ROW_AND, a & b)
        VECTOR(ROW_OR, a | b)
        VECTOR(ROW_XOR, a ^ b)
        VECTOR(ROW_EQ, a == b ? 1 : 0)
        VECTOR(ROW_LT, a < b ? 1 : 0)
        SHIFT(ROW_SHL, a << first)
        SHIFT(ROW_SHR, a >> first)
        SHIFT(ROW_SAR, (u32)((i32)a >> first))
        case ROW_SELECT: {
            u32 from = word_of(m, 0) != 0 ? 1 : 1 + results;
            for (u32 k = 0; k < results; k++) {
                set_word(m, k, word_of(m, from + k));
            }
            break;
        }
        case ROW_SUM: {
            u32 sum = 0;
            for (u32 k = 0; k < operands; k++) {
                sum += word_of(m, k);
            }
            set_word(m, 0, sum);
            break;
        }
        case ROW_CONVOLVE:
            convolve(m, first, operands, results);
            break;
        case ROW_DIGIT: {
            u32 low = word_of(m, 0) >> first;
            // Bits in a high word do not begin at the first bit of the low one.
            u32 high = operands == 2 ? word_of(m, 1) << (32 - first) : 0;
            set_word(m, 0, (low | high) & second);
            break;
        }
        case ROW_JOIN:
            set_word(m, 0, join(m, (i32)first, second, operands));
            break;
        default:
            break;
    }
}
