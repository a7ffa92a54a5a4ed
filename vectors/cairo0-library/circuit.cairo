%builtins output range_check96 add_mod mul_mod

from starkware.cairo.common.alloc import alloc
from starkware.cairo.common.cairo_builtins import ModBuiltin, UInt384
from starkware.cairo.common.memcpy import memcpy
from starkware.cairo.common.modulo import run_mod_p_circuit
from starkware.cairo.common.registers import get_label_location

// p: a prime; x, y: numbers below it in four words of 96 bits each, y not 0. Values: x, y, then
// 8: x + y, 12: x * y, 16: x / y, 20: (x + y) - x * y, 24: the square of that.
func main{output_ptr: felt*, range_check96_ptr: felt*, add_mod_ptr: ModBuiltin*, mul_mod_ptr: ModBuiltin*}() {
    alloc_locals;
    local p: UInt384*;
    local values: felt*;
    %{
        ids.p = segments.gen_arg(program_input['p'])
        ids.values = segments.gen_arg(program_input['values'])
    %}
    let (add_offsets) = get_label_location(add_offsets_start);
    let (mul_offsets) = get_label_location(mul_offsets_start);
    memcpy(range_check96_ptr, values, 8);
    run_mod_p_circuit(
        p=[p], values_ptr=cast(range_check96_ptr, UInt384*), add_mod_offsets_ptr=add_offsets, add_mod_n=2,
        mul_mod_offsets_ptr=mul_offsets, mul_mod_n=3,
    );
    memcpy(output_ptr, range_check96_ptr, 28);
    let output_ptr = output_ptr + 28;
    let range_check96_ptr = range_check96_ptr + 28;
    return ();

    add_offsets_start:
    dw 0;
    dw 4;
    dw 8;
    dw 12;
    dw 20;
    dw 8;

    mul_offsets_start:
    dw 0;
    dw 4;
    dw 12;
    dw 4;
    dw 16;
    dw 0;
    dw 20;
    dw 20;
    dw 24;
}
