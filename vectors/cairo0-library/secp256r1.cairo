// Points of secp256r1: by their x coordinate, doubled, added, multiplied.
%builtins output range_check
from starkware.cairo.common.alloc import alloc
from starkware.cairo.common.cairo_secp.bigint3 import BigInt3
from starkware.cairo.common.cairo_secp.ec_point import EcPoint
from starkware.cairo.common.secp256r1.ec import ec_add, ec_double, ec_mul, ec_mul_by_uint256, try_get_point_from_x
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
    at(2, 0);
    at(5, 1);
    at(5, 0);
    at(7, 1);
    let (local p: EcPoint*) = alloc();
    let (_) = try_get_point_from_x(BigInt3(5, 0, 0), 0, p);
    let (double) = ec_double([p]);
    show(double.x);
    let (triple) = ec_add(double, [p]);
    show(triple.y);
    let (same) = ec_add([p], [p]);
    show(same.x);
    let (r) = ec_mul_by_uint256([p], Uint256(2 ** 128 - 3, 2 ** 127 + 12345));
    show(r.x);
    show(r.y);
    let (r) = ec_mul([p], BigInt3(3, 2, 1));
    show(r.x);
    return ();
}
