// Where storage order has a row. reverse.h comes before.

// The row at storage index i of 2^log: coset order on a circle, natural order on a line.
FN u32 circle_row(u32 i, u32 log, bool is_circle) {
    u32 position = reverse(i, log);
    if (!is_circle) {
        return position;
    }
    u32 middle = 1u << (log - 1);
    return position < middle ? 2 * position : 4 * middle - 1 - 2 * position;
}
