// Operations on elements of the base field. After row_programs/machine.h.

#define ROW_FIELD_ADD 29
#define ROW_FIELD_SUB 30
#define ROW_FIELD_MUL 31
#define ROW_FIELD_INV 32
// The element that a word is; the first argument says how it is read.
#define ROW_FROM_WORD 33
// The word that an element is: another is a fault.
#define ROW_TO_WORD 34
#define LAST_ROW_FIELD 34

// How a word is an element: a number below the order, any number, a signed one.
#define FORM_SMALL 0
#define FORM_UNSIGNED 1
#define FORM_SIGNED 2

FN Base element_of(Machine m, u32 first) {
    u64 element = word_of(m, first);
    if (BASE_WORDS == 2) {
        element |= (u64)word_of(m, first + 1) << 32;
    }
    return (Base)element;
}

FN void set_element(Machine m, Base element) {
    set_word(m, 0, (u32)element);
    if (BASE_WORDS == 2) {
        set_word(m, 1, (u32)((u64)element >> 32));
    }
}

FN Base element_from(u32 word, u32 form) {
    if (form == FORM_SMALL) {
        return (Base)word;
    }
    if (form == FORM_UNSIGNED || word >> 31 == 0) {
        return base_from_word(word);
    }
    return base_neg(base_from_word(0u - word));
}

// False if an element is no word.
FN bool run_fields(Machine m, u32 op, u32 form) {
    if (op == ROW_FROM_WORD) {
        set_element(m, element_from(word_of(m, 0), form));
        return true;
    }
    Base a = element_of(m, 0);
    if (op == ROW_TO_WORD) {
        set_word(m, 0, (u32)a);
        return (u64)a >> 32 == 0;
    }
    if (op == ROW_FIELD_INV) {
        set_element(m, base_inverse(a));
        return true;
    }
    Base b = element_of(m, BASE_WORDS);
    if (op == ROW_FIELD_ADD) {
        set_element(m, base_add(a, b));
    } else if (op == ROW_FIELD_SUB) {
        set_element(m, base_sub(a, b));
    } else {
        set_element(m, base_mul(a, b));
    }
    return true;
}
