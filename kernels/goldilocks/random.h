// An element from 128 bits: random.h comes after, field.h before.

FN u64 random_element(u64 high, u64 low) {
    return gl_canonical(gl_reduce128_lazy(low, high));
}
