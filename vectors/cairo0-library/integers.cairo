%builtins output range_check bitwise

from starkware.cairo.common.alloc import alloc
from starkware.cairo.common.cairo_builtins import BitwiseBuiltin
from starkware.cairo.common.serialize import serialize_word
from starkware.cairo.common.uint256 import (
    Uint256, felt_to_uint256, split_64, uint256_add, uint256_cond_neg, uint256_eq, uint256_le, uint256_mul,
    uint256_mul_div_mod, uint256_neg, uint256_pow2, uint256_reverse_endian, uint256_shl, uint256_shr,
    uint256_signed_div_rem, uint256_signed_le, uint256_signed_nn, uint256_sqrt, uint256_sub, uint256_unsigned_div_rem,
    uint256_xor,
)

func show{output_ptr: felt*}(number: Uint256) {
    serialize_word(number.low);
    serialize_word(number.high);
    return ();
}

// a, b, c: two parts of 128 bits each; c and the high part of b are not 0.
func main{output_ptr: felt*, range_check_ptr, bitwise_ptr: BitwiseBuiltin*}() {
    alloc_locals;
    local a: Uint256*;
    local b: Uint256*;
    local c: Uint256*;
    local shift;
    %{
        ids.a = segments.gen_arg(program_input['a'])
        ids.b = segments.gen_arg(program_input['b'])
        ids.c = segments.gen_arg(program_input['c'])
        ids.shift = program_input['shift']
    %}
    let (sum, carry) = uint256_add([a], [b]);
    show(sum);
    serialize_word(carry);
    let (difference) = uint256_sub([a], [b]);
    show(difference);
    let (low, high) = uint256_mul([a], [b]);
    show(low);
    show(high);
    let (root) = uint256_sqrt([a]);
    show(root);
    let (quotient, remainder) = uint256_unsigned_div_rem([a], [c]);
    show(quotient);
    show(remainder);
    let (low, high, rest) = uint256_mul_div_mod([a], [b], [c]);
    show(low);
    show(high);
    show(rest);
    let (is_nn) = uint256_signed_nn([a]);
    serialize_word(is_nn);
    let (is_le) = uint256_signed_le([a], [b]);
    serialize_word(is_le);
    let (is_le) = uint256_le([a], [b]);
    serialize_word(is_le);
    let (negative) = uint256_neg([b]);
    show(negative);
    let (quotient, remainder) = uint256_signed_div_rem([a], [c]);
    show(quotient);
    show(remainder);
    let (shifted) = uint256_shl([a], Uint256(shift, 0));
    show(shifted);
    let (shifted) = uint256_shr([b], Uint256(shift, 0));
    show(shifted);
    let (power) = uint256_pow2(Uint256(shift, 0));
    show(power);
    let (mixed) = uint256_xor([a], [b]);
    show(mixed);
    let (reversed) = uint256_reverse_endian([a]);
    show(reversed);
    let (low_half, high_half) = split_64(a.low);
    serialize_word(low_half);
    serialize_word(high_half);
    let from_felt = felt_to_uint256(a.low * b.high * b.high);
    show(from_felt);
    return ();
}
