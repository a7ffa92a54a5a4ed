// Operations on integers of several words, least significant first. After row_programs/machine.h.

// Operations on two integers of one length.
#define ROW_INT_ADD 19
#define ROW_INT_SUB 20
#define ROW_INT_LT 21
// Operations on any two integers; the first argument is the length of the first.
#define ROW_INT_MUL 22
#define ROW_INT_DIV_REM 23
#define LAST_ROW_INTEGER 23

// Word k of what only divisions use.
#define WORK(k) m.file[(u64)(work + (k)) * m.stride]

FN void int_add(Machine m, u32 len) {
    u64 sum = 0;
    for (u32 k = 0; k < len; k++) {
        sum = (sum >> 32) + word_of(m, k) + word_of(m, len + k);
        set_word(m, k, (u32)sum);
    }
    set_word(m, len, (u32)(sum >> 32));
}

// a - b modulo 2^(32 len) if there are results, else only whether it is negative.
FN u32 int_sub(Machine m, u32 len, bool is_kept) {
    u32 borrow = 0;
    for (u32 k = 0; k < len; k++) {
        u64 difference = (u64)word_of(m, k) - word_of(m, len + k) - borrow;
        borrow = (u32)(difference >> 63);
        if (is_kept) {
            set_word(m, k, (u32)difference);
        }
    }
    return borrow;
}

// Column after column of the products of words, whose sum takes three words.
FN void int_mul(Machine m, u32 first, u32 second) {
    u64 sum = 0;
    for (u32 k = 0; k < first + second; k++) {
        u32 over = 0;
        for (u32 i = k < second ? 0 : k - second + 1; i <= k && i < first; i++) {
            u64 product = (u64)word_of(m, i) * word_of(m, first + k - i);
            sum += product;
            over += sum < product ? 1 : 0;
        }
        set_word(m, k, (u32)sum);
        sum = (sum >> 32) | ((u64)over << 32);
    }
}

// u -= q v 2^(32 j), with v of n words behind the `first + 1` words of u. Gives 1 if that is negative, and adds 2^(32
// (n + j + 1)) then.
FN u32 subtract_multiple(Machine m, u32 work, u32 first, u32 n, u32 j, u32 q) {
    u32 borrow = 0;
    u64 carry = 0;
    for (u32 i = 0; i < n; i++) {
        u64 product = (u64)q * WORK(first + 1 + i) + carry;
        carry = product >> 32;
        u64 difference = (u64)WORK(i + j) - (u32)product - borrow;
        borrow = (u32)(difference >> 63);
        WORK(i + j) = (u32)difference;
    }
    u64 difference = (u64)WORK(n + j) - carry - borrow;
    WORK(n + j) = (u32)difference;
    return (u32)(difference >> 63);
}

// The next digit of u / v, at most 2 too large: from the two highest words of what is left of u and the highest of v,
// whose top bit is set, and then from one word more of each.
FN u32 quotient_digit(Machine m, u32 work, u32 first, u32 n, u32 j) {
    u64 top = ((u64)WORK(n + j) << 32) | WORK(n + j - 1);
    u32 high = WORK(first + n);
    u64 q = top / high;
    u64 rest = top - q * high;
    while (rest >> 32 == 0) {
        bool is_more = q >> 32 != 0;
        if (!is_more && n > 1) {
            is_more = q * WORK(first + n - 1) > ((rest << 32) | WORK(n + j - 2));
        }
        if (!is_more) {
            break;
        }
        q -= 1;
        rest += high;
    }
    return (u32)q;
}

// Long division: u, one word longer than the dividend, and v, the divisor without leading zero words, are shifted so
// that the top bit of v is set. The quotient has the words of the first operand, the remainder those of the second.
FN void int_div_rem(Machine m, u32 first, u32 second, u32 work) {
    for (u32 k = 0; k < first + second; k++) {
        set_word(m, k, 0);
    }
    u32 n = second;
    while (n > 0 && word_of(m, first + n - 1) == 0) {
        n--;
    }
    if (n == 0) {
        return;
    }
    u32 shift = 0;
    for (u32 high = word_of(m, first + n - 1); high >> 31 == 0; high <<= 1) {
        shift++;
    }
    u64 bits = 0;
    for (u32 k = 0; k < first; k++) {
        bits = (bits >> 32) | ((u64)word_of(m, k) << shift);
        WORK(k) = (u32)bits;
    }
    WORK(first) = (u32)(bits >> 32);
    bits = 0;
    for (u32 k = 0; k < n; k++) {
        bits = (bits >> 32) | ((u64)word_of(m, first + k) << shift);
        WORK(first + 1 + k) = (u32)bits;
    }
    for (u32 digits = first + 1 > n ? first + 1 - n : 0; digits > 0; digits--) {
        u32 j = digits - 1;
        u32 q = quotient_digit(m, work, first, n, j);
        if (subtract_multiple(m, work, first, n, j, q) != 0) {
            // One too large: add v again. What carries out of the highest word makes up for the borrow.
            q -= 1;
            u64 sum = 0;
            for (u32 i = 0; i < n; i++) {
                sum = (sum >> 32) + WORK(i + j) + WORK(first + 1 + i);
                WORK(i + j) = (u32)sum;
            }
            WORK(n + j) += (u32)(sum >> 32);
        }
        set_word(m, j, q);
    }
    for (u32 k = 0; k < n && k <= first; k++) {
        u64 both = ((u64)(k < first ? WORK(k + 1) : 0) << 32) | WORK(k);
        set_word(m, first + k, (u32)(both >> shift));
    }
}

FN void run_integers(Machine m, u32 op, u32 operands, u32 first, u32 work) {
    switch (op) {
        case ROW_INT_ADD:
            int_add(m, operands / 2);
            break;
        case ROW_INT_SUB:
            int_sub(m, operands / 2, true);
            break;
        case ROW_INT_LT:
            set_word(m, 0, int_sub(m, operands / 2, false));
            break;
        case ROW_INT_MUL:
            int_mul(m, first, operands - first);
            break;
        case ROW_INT_DIV_REM:
            int_div_rem(m, first, operands - first, work);
            break;
        default:
            break;
    }
}
