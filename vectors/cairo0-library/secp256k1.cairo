// Points of secp256k1: by their x coordinate, multiplied, and the key of a signature.
%builtins output range_check
from starkware.cairo.common.alloc import alloc
from starkware.cairo.common.cairo_secp.bigint3 import BigInt3
from starkware.cairo.common.cairo_secp.ec import ec_mul_by_uint256
from starkware.cairo.common.cairo_secp.ec_point import EcPoint
from starkware.cairo.common.cairo_secp.signature import get_generator_point, recover_public_key, try_get_point_from_x
from starkware.cairo.common.serialize import serialize_word
from starkware.cairo.common.uint256 import Uint256

func show{output_ptr: felt*}(n: BigInt3) {
    serialize_word(n.d0);
    serialize_word(n.d1);
    serialize_word(n.d2);
    return ();
}

func at{output_ptr: felt*, range_check_ptr}(x, v) {
    alloc_locals;
    let (local point: EcPoint*) = alloc();
    let (found) = try_get_point_from_x(BigInt3(x, 0, 0), v, point);
    serialize_word(found);
    if (found == 0) {
        return ();
    }
    show(point.y);
    return ();
}

func main{output_ptr: felt*, range_check_ptr}() {
    alloc_locals;
    at(1, 0);
    at(1, 1);
    at(5, 0);
    at(6, 1);
    let (g) = get_generator_point();
    let (r) = ec_mul_by_uint256(g, Uint256(2 ** 128 - 3, 2 ** 127 + 12345));
    show(r.x);
    show(r.y);
    let (r) = ec_mul_by_uint256(g, Uint256(0, 0));
    show(r.x);
    let (key) = recover_public_key(
        msg_hash=BigInt3(12345, 678, 9), r=BigInt3(1, 0, 0), s=BigInt3(77, 88, 99), v=1
    );
    show(key.x);
    show(key.y);
    return ();
}
