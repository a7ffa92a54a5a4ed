// Sums of base elements over threads.

// The sum over a group of 32 threads, all of which take part.
FN Base base_group_sum(Base a) {
    for (u32 mask = 16; mask > 0; mask /= 2) {
        a = base_add(a, base_shuffle_xor(a, mask));
    }
    return a;
}
