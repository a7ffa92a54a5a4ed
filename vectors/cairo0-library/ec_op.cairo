// The builtin ec_op done by instructions.
%builtins output
from starkware.cairo.common.cairo_ec_op.ec_op import cairo_ec_op, ec_mul_cairo
from starkware.cairo.common.ec import StarkCurve
from starkware.cairo.common.ec_point import EcPoint
from starkware.cairo.common.serialize import serialize_word

func main{output_ptr: felt*}() {
    alloc_locals;
    local g: EcPoint = EcPoint(StarkCurve.GEN_X, StarkCurve.GEN_Y);
    let (local a) = ec_mul_cairo(m=5, p=g);
    serialize_word(a.x);
    serialize_word(a.y);
    let (b) = cairo_ec_op(p=a, m=-7, q=g);
    serialize_word(b.x);
    serialize_word(b.y);
    return ();
}
