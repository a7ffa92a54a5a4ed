// Updates of a leaf of a Merkle tree. The siblings that its path passes come from outside.
%builtins output pedersen
from starkware.cairo.common.cairo_builtins import HashBuiltin
from starkware.cairo.common.merkle_update import merkle_update
from starkware.cairo.common.serialize import serialize_word

func main{output_ptr: felt*, pedersen_ptr: HashBuiltin*}() {
    alloc_locals;
    let (local prev_root, local new_root) = merkle_update{hash_ptr=pedersen_ptr}(3, 10, 20, 5);
    serialize_word(prev_root);
    serialize_word(new_root);
    return ();
}
