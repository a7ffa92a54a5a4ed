%builtins output range_check bitwise ec_op

from starkware.cairo.common.alloc import alloc
from starkware.cairo.common.cairo_builtins import BitwiseBuiltin, EcOpBuiltin
from starkware.cairo.common.cairo_secp.bigint import bigint_to_uint256, uint256_to_bigint
from starkware.cairo.common.cairo_secp.signature import recover_public_key, verify_eth_signature_uint256
from starkware.cairo.common.ec import chained_ec_op, ec_add, ec_double, ec_mul, ec_op, is_x_on_curve, recover_y
from starkware.cairo.common.ec_point import EcPoint
from starkware.cairo.common.serialize import serialize_word
from starkware.cairo.common.uint256 import Uint256

func show{output_ptr: felt*}(point: EcPoint) {
    serialize_word(point.x);
    serialize_word(point.y);
    return ();
}

// p, q: x coordinates of points; any: of a point or not; m, n: scalars; hash, r, s, v: of a signature.
func main{output_ptr: felt*, range_check_ptr, bitwise_ptr: BitwiseBuiltin*, ec_op_ptr: EcOpBuiltin*}() {
    alloc_locals;
    local p;
    local q;
    local any;
    local scalars: felt*;
    local hash: Uint256*;
    local r: Uint256*;
    local s: Uint256*;
    local v;
    %{
        ids.p = program_input['p']
        ids.q = program_input['q']
        ids.any = program_input['any']
        ids.scalars = segments.gen_arg(program_input['scalars'])
        ids.hash = segments.gen_arg(program_input['hash'])
        ids.r = segments.gen_arg(program_input['r'])
        ids.s = segments.gen_arg(program_input['s'])
        ids.v = program_input['v']
    %}
    let is_on_curve = is_x_on_curve(any);
    serialize_word(is_on_curve);
    let (local first) = recover_y(p);
    let (local second) = recover_y(q);
    show(first);
    let (sum) = ec_add(first, second);
    show(sum);
    let (twice) = ec_double(first);
    show(twice);
    let (product) = ec_mul(scalars[0], first);
    show(product);
    let (result) = ec_op(first, scalars[1], second);
    show(result);
    let (points: EcPoint*) = alloc();
    assert points[0] = first;
    assert points[1] = second;
    let (chained) = chained_ec_op(second, scalars, points, 2);
    show(chained);
    let (hash_bigint) = uint256_to_bigint([hash]);
    let (r_bigint) = uint256_to_bigint([r]);
    let (s_bigint) = uint256_to_bigint([s]);
    let (key) = recover_public_key(hash_bigint, r_bigint, s_bigint, v);
    let (x) = bigint_to_uint256(key.x);
    serialize_word(x.low);
    serialize_word(x.high);
    return ();
}
