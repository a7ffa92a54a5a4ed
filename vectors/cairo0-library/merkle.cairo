// Updates of small Merkle trees: no leaf, one leaf, neighbours, and leaves on both sides.
%builtins output pedersen range_check
from starkware.cairo.common.cairo_builtins import HashBuiltin
from starkware.cairo.common.default_dict import default_dict_finalize, default_dict_new
from starkware.cairo.common.dict import dict_read, dict_squash, dict_write
from starkware.cairo.common.dict_access import DictAccess
from starkware.cairo.common.serialize import serialize_word
from starkware.cairo.common.small_merkle_tree import small_merkle_tree_update

func update{output_ptr: felt*, pedersen_ptr: HashBuiltin*, range_check_ptr}(start: DictAccess*, end: DictAccess*, height) {
    alloc_locals;
    let (squashed_start, squashed_end) = dict_squash(start, end);
    let (prev_root, new_root) = small_merkle_tree_update{hash_ptr=pedersen_ptr}(
        squashed_start, squashed_end, height
    );
    serialize_word(prev_root);
    serialize_word(new_root);
    return ();
}

func main{output_ptr: felt*, pedersen_ptr: HashBuiltin*, range_check_ptr}() {
    alloc_locals;
    let (local start) = default_dict_new(0);
    let end = start;
    update(start, end, 3);

    let (local start) = default_dict_new(0);
    let end = start;
    dict_write{dict_ptr=end}(5, 50);
    update(start, end, 3);

    let (local start) = default_dict_new(7);
    let end = start;
    dict_write{dict_ptr=end}(2, 20);
    dict_write{dict_ptr=end}(3, 30);
    dict_write{dict_ptr=end}(2, 21);
    let (_) = dict_read{dict_ptr=end}(9);
    dict_write{dict_ptr=end}(15, 7);
    update(start, end, 4);

    let (local start) = default_dict_new(0);
    let end = start;
    dict_write{dict_ptr=end}(0, 1);
    update(start, end, 0);

    let (local start) = default_dict_new(0);
    let end = start;
    dict_write{dict_ptr=end}(2 ** 64 - 1, 1);
    dict_write{dict_ptr=end}(2 ** 63, 2);
    dict_write{dict_ptr=end}(0, 3);
    update(start, end, 64);
    return ();
}
