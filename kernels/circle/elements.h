// Elements of the base field as words, for row programs: circle/field.h comes before.

// Words of an element, and how many elements there are.
#define BASE_WORDS 1
#define BASE_ORDER ((u64)M31_P)
#define base_inverse m31_inverse
// The element of any u32.
#define base_from_word(word) m31_reduce64(word)
