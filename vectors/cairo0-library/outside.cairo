%builtins output range_check

from starkware.cairo.common.alloc import alloc
from starkware.cairo.common.invoke import invoke
from starkware.cairo.common.memcpy import memcpy
from starkware.cairo.common.registers import get_label_location

// Copies a function into two segments of its own, and calls the copies: one of them calls the other, and the original.
func main{output_ptr: felt*, range_check_ptr}() {
    alloc_locals;
    local n;
    %{ ids.n = program_input['n'] %}
    let (start) = get_label_location(collatz);
    let (end) = get_label_location(collatz_end);
    let (local first) = alloc();
    memcpy(first, start, end - start);
    let (local second) = alloc();
    memcpy(second + 5, start, end - start);
    let (local args) = alloc();
    assert args[0] = cast(second + 5, felt);
    assert args[1] = cast(start, felt);
    assert args[2] = n;
    invoke(first, 3, args);
    assert [output_ptr] = [ap - 1];
    assert [output_ptr + 1] = second[5];
    let output_ptr = output_ptr + 2;
    return ();
}

// n * n - n + ..., down to 0, by turns in all copies.
collatz:
func collatz_of(next: felt*, other: felt*, n) -> felt {
    if (n == 0) {
        return 3;
    }
    [ap] = other, ap++;
    [ap] = next, ap++;
    [ap] = n - 1, ap++;
    call abs next;
    return n * n + [ap - 1];
}
collatz_end:
