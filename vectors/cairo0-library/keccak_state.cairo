// The state of the builtin keccak as 25 words of 64 bits.
%builtins output range_check
from starkware.cairo.common.alloc import alloc
from starkware.cairo.common.keccak_state import KeccakBuiltinState
from starkware.cairo.common.serialize import serialize_word
from starkware.cairo.common.simulate_builtin_keccak_with_cairo.simulate_keccak import keccak_builtin_state_to_felts

func show{output_ptr: felt*}(words: felt*, n) {
    if (n == 0) {
        return ();
    }
    serialize_word([words]);
    return show(words + 1, n - 1);
}

func main{output_ptr: felt*, range_check_ptr}() {
    alloc_locals;
    let (local words: felt*) = alloc();
    keccak_builtin_state_to_felts(
        KeccakBuiltinState(2 ** 200 - 1, 12345678901234567890 ** 3, 2 ** 199 + 77, 3 ** 126, 5 ** 80, 7 ** 71, 1, 11 ** 57),
        words,
    );
    show(words, 25);
    return ();
}
