// Hints of log2_ceil, signed_pow, search_sorted_optimistic and the selection of builtins.
%builtins output range_check
from starkware.cairo.builtin_selection.select_builtins import select_builtins
from starkware.cairo.builtin_selection.select_input_builtins import select_input_builtins
from starkware.cairo.common.alloc import alloc
from starkware.cairo.common.find_element import search_sorted_optimistic
from starkware.cairo.common.log2_ceil import log2_ceil
from starkware.cairo.common.pow import signed_pow
from starkware.cairo.common.registers import get_ap, get_fp_and_pc
from starkware.cairo.common.serialize import serialize_word

func logs{output_ptr: felt*, range_check_ptr}() {
    alloc_locals;
    local values: felt* = new (1, 2, 3, 4, 5, 2 ** 64, 2 ** 64 + 1, 2 ** 127 + 1, 2 ** 128 - 1);
    log_each(values, 9);
    return ();
}

func log_each{output_ptr: felt*, range_check_ptr}(values: felt*, n) {
    alloc_locals;
    if (n == 0) {
        return ();
    }
    let res = log2_ceil([values]);
    serialize_word(res);
    return log_each(values + 1, n - 1);
}

func powers{output_ptr: felt*, range_check_ptr}() {
    alloc_locals;
    let res = signed_pow(3, -5);
    serialize_word(res);
    let res = signed_pow(-2, -1);
    serialize_word(res);
    let res = signed_pow(3, 5);
    serialize_word(res);
    return ();
}

// The index of the key, or -1.
func search{output_ptr: felt*, range_check_ptr}(array: felt*, size, n, key) {
    alloc_locals;
    let (elm_ptr, success) = search_sorted_optimistic(array_ptr=array, elm_size=size, n_elms=n, key=key);
    serialize_word(elm_ptr - array);
    serialize_word(success);
    return ();
}

func searches{output_ptr: felt*, range_check_ptr}() {
    alloc_locals;
    local array: felt* = new (1, 10, 3, 30, 3, 31, 7, 70);
    search(array, 2, 4, 0);
    search(array, 2, 4, 1);
    search(array, 2, 4, 3);
    search(array, 2, 4, 4);
    search(array, 2, 4, 7);
    search(array, 2, 4, 8);
    search(array, 1, 0, 8);
    return ();
}

func selections{output_ptr: felt*, range_check_ptr}() {
    alloc_locals;
    local all: felt* = new ('a', 'b', 'c', 'd');
    local ptrs: felt* = new (1, 2, 3, 4);
    local chosen: felt* = new ('a', 'c', 'd');
    local chosen_ptrs: felt* = new (1, 3, 4);
    select_builtins(4, all, ptrs, 3, chosen, chosen_ptrs);
    select_builtins(4, all, ptrs, 0, chosen, chosen_ptrs);
    // Without 'd': the list is exhausted before.
    select_builtins(4, all, ptrs, 2, chosen, chosen_ptrs);
    serialize_word(chosen_ptrs[2]);
    return ();
}

func main{output_ptr: felt*, range_check_ptr}() {
    logs();
    powers();
    searches();
    selections();
    return ();
}
