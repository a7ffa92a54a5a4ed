%builtins output range_check

from starkware.cairo.common.math import (
    abs_value, assert_250_bit, assert_in_range, assert_le, assert_le_felt, assert_lt, assert_lt_felt, assert_nn,
    assert_nn_le, assert_not_equal, assert_not_zero, horner_eval, is_quad_residue, safe_div, safe_mult, sign,
    signed_div_rem, split_felt, split_int, sqrt, unsigned_div_rem,
)
from starkware.cairo.common.math_cmp import (
    RC_BOUND, is_in_range, is_le, is_le_felt, is_nn, is_nn_le, is_not_zero,
)
from starkware.cairo.common.pow import pow
from starkware.starknet.common.storage import normalize_address
from starkware.cairo.common.log2_ceil import log2_ceil

// Asserts that a <= b if le is 1, and b < a if it is 0.
func assert_order{range_check_ptr}(a, b, le) {
    if (le == 0) {
        assert_lt_felt(b, a);
        return ();
    }
    assert_le_felt(a, b);
    return ();
}

// a, b: felts; small, other: of less than 120 bits; tiny: of less than 60 bits, not 0.
func main{output_ptr: felt*, range_check_ptr}() {
    alloc_locals;
    local a;
    local b;
    local small;
    local other;
    local tiny;
    %{
        ids.a = program_input['a']
        ids.b = program_input['b']
        ids.small = program_input['small']
        ids.other = program_input['other']
        ids.tiny = program_input['tiny']
    %}
    let (high, low) = split_felt(a);
    assert [output_ptr] = high;
    assert [output_ptr + 1] = low;
    let output_ptr = output_ptr + 2;
    let le = is_le_felt(a, b);
    assert_order(a, b, le);
    assert [output_ptr] = le;
    let nn = is_nn(a);
    assert [output_ptr + 1] = nn;
    let small_le = is_le(small, other);
    assert [output_ptr + 2] = small_le;
    let not_zero = is_not_zero(b);
    assert [output_ptr + 3] = not_zero;
    let in_range = is_in_range(small, tiny, other);
    assert [output_ptr + 4] = in_range;
    let nn_le = is_nn_le(small, other);
    assert [output_ptr + 5] = nn_le;
    let output_ptr = output_ptr + 6;
    assert_nn(small);
    assert_nn_le(tiny, tiny + small);
    assert_le(tiny, tiny + small);
    assert_lt(tiny, tiny + small + 1);
    assert_in_range(tiny, tiny, tiny + 1);
    assert_not_zero(tiny);
    assert_not_equal(a, a + tiny);
    assert_not_equal(cast(output_ptr, felt), cast(output_ptr + 1, felt));
    assert_250_bit(small);
    let (q, r) = unsigned_div_rem(small, tiny);
    assert [output_ptr] = q;
    assert [output_ptr + 1] = r;
    let (q, r) = signed_div_rem(small - other, tiny, 2 ** 127);
    assert [output_ptr + 2] = q;
    assert [output_ptr + 3] = r;
    let root = sqrt(small * tiny);
    assert [output_ptr + 4] = root;
    let absolute = abs_value(small - other);
    assert [output_ptr + 5] = absolute;
    let signum = sign(small - other);
    assert [output_ptr + 6] = signum;
    let is_residue = is_quad_residue(a);
    assert [output_ptr + 7] = is_residue;
    let is_zero_residue = is_quad_residue(0);
    assert [output_ptr + 8] = is_zero_residue;
    let (power) = pow(a, tiny);
    assert [output_ptr + 9] = power;
    let (address) = normalize_address(a);
    assert [output_ptr + 10] = address;
    let output_ptr = output_ptr + 11;
    split_int(small, 3, 2 ** 40, 2 ** 40, output_ptr);
    let output_ptr = output_ptr + 3;
    let product = safe_mult(tiny, tiny);
    assert [output_ptr] = product;
    let logarithm = log2_ceil(tiny + 1);
    assert [output_ptr + 1] = logarithm;
    let output_ptr = output_ptr + 2;
    return ();
}
