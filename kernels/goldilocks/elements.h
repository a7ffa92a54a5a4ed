// Elements of the base field as words, for row programs: goldilocks/field.h comes before.

// Words of an element, and how many elements there are.
#define BASE_WORDS 2
#define BASE_ORDER GL_P
#define base_inverse gl_inverse
// The element of any u32: all are below the order.
#define base_from_word(word) ((u64)(word))
