%builtins output range_check

from starkware.cairo.common.alloc import alloc
from starkware.cairo.common.default_dict import default_dict_finalize, default_dict_new
from starkware.cairo.common.dict import dict_read, dict_squash, dict_update, dict_write
from starkware.cairo.common.dict_access import DictAccess
from starkware.cairo.common.find_element import find_element, search_sorted, search_sorted_lower
from starkware.cairo.common.memcpy import memcpy
from starkware.cairo.common.memset import memset
from starkware.cairo.common.segments import relocate_segment
from starkware.cairo.common.set import set_add
from starkware.cairo.common.squash_dict import squash_dict
from starkware.cairo.common.usort import usort

func fill_set{range_check_ptr, set_end_ptr: felt*}(set: felt*, list: felt*, count) {
    if (count == 0) {
        return ();
    }
    set_add(set, 2, list);
    return fill_set(set, list + 2, count - 1);
}

func write_dict{dict_ptr: DictAccess*, output_ptr: felt*}(list: felt*, count) {
    if (count == 0) {
        return ();
    }
    let (before) = dict_read(list[0]);
    dict_write(list[0], list[1]);
    assert [output_ptr] = before;
    let output_ptr = output_ptr + 1;
    return write_dict(list + 2, count - 1);
}

// list: pairs, at least one; sorted: by its first cells, in ascending order, of pairs.
func main{output_ptr: felt*, range_check_ptr}() {
    alloc_locals;
    local list: felt*;
    local count;
    local sorted: felt*;
    local key;
    %{
        ids.list = segments.gen_arg(program_input['list'])
        ids.count = program_input['count']
        ids.sorted = segments.gen_arg(program_input['sorted'])
        ids.key = program_input['key']
    %}
    let (copy) = alloc();
    memcpy(copy, list, 2 * count);
    memset(copy + 2 * count, key, 5);
    memcpy(output_ptr, copy, 2 * count + 5);
    let output_ptr = output_ptr + 2 * count + 5;

    let (element) = find_element(list, 2, count, list[2 * count - 2]);
    assert [output_ptr] = element[1];
    let (lower) = search_sorted_lower(sorted, 2, count, key);
    assert [output_ptr + 1] = lower - sorted;
    let (found, success) = search_sorted(sorted, 2, count, sorted[0]);
    assert [output_ptr + 2] = found - sorted;
    assert [output_ptr + 3] = success;
    let output_ptr = output_ptr + 4;

    let (set) = alloc();
    let set_end_ptr = set;
    with set_end_ptr {
        fill_set(set, list, count);
    }
    local set_end: felt* = set_end_ptr;
    memcpy(output_ptr, set, set_end - set);
    let output_ptr = output_ptr + (set_end - set);

    let (output_len, output, multiplicities) = usort(2 * count, list);
    memcpy(output_ptr, output, output_len);
    let output_ptr = output_ptr + output_len;
    memcpy(output_ptr, multiplicities, output_len);
    let output_ptr = output_ptr + output_len;

    let (local dict_start) = default_dict_new(key);
    let dict_ptr = dict_start;
    with dict_ptr {
        write_dict(list, count);
    }
    let (squashed_start, squashed_end) = dict_squash(dict_start, dict_ptr);
    let dict_ptr = squashed_end;
    with dict_ptr {
        let last = read_last(squashed_start, squashed_end, list[0]);
        dict_update(list[0], last, key);
        write_dict(list, count);
    }
    let (finalized_start, finalized_end) = default_dict_finalize(squashed_start, dict_ptr, key);
    memcpy(output_ptr, finalized_start, finalized_end - finalized_start);
    let output_ptr = output_ptr + (finalized_end - finalized_start);
    return ();
}

// The last value of a key in a squashed dictionary.
func read_last(start: DictAccess*, end: DictAccess*, key) -> felt {
    if (start.key == key) {
        return start.new_value;
    }
    return read_last(start + DictAccess.SIZE, end, key);
}
