//! Gates on field elements: equality, and sums, differences and products of two kinds.

use stwo_constraint_framework::EvalAtRow;

use super::row::{Constraints, Row, number};

/// Two wires have the same value.
#[derive(Clone, Copy)]
pub(super) struct Eq;

impl Constraints for Eq {
    fn evaluate<E: EvalAtRow>(self, row: &mut Row<'_, E>) {
        let value: [_; 4] = row.columns();
        row.uses_wire("eq_in0_address", &value);
        row.uses_wire("eq_in1_address", &value);
    }
}

/// A wire is the sum, the difference, the product, or the product word by word, of two others.
#[derive(Clone, Copy)]
pub(super) struct Qm31Ops;

impl Constraints for Qm31Ops {
    fn evaluate<E: EvalAtRow>(self, row: &mut Row<'_, E>) {
        let a: [E::F; 4] = row.columns();
        let b: [E::F; 4] = row.columns();
        let out: [E::F; 4] = row.columns();
        let flags = ["add", "sub", "mul", "pointwise_mul"].map(|op| row.preprocessed(format!("qm31_ops_{op}_flag")));
        let [add, sub, mul, pointwise] = flags.clone();
        let one = number::<E>(1);
        row.constrain(add.clone() + sub.clone() + mul.clone() + pointwise.clone() - one.clone());
        for flag in flags {
            row.constrain(flag.clone() * (flag - one.clone()));
        }
        let product = product::<E>(&a, &b);
        for (k, product) in product.into_iter().enumerate() {
            let [a, b] = [a[k].clone(), b[k].clone()];
            let expected = mul.clone() * product
                + add.clone() * (a.clone() + b.clone())
                + sub.clone() * (a.clone() - b.clone())
                + pointwise.clone() * (a * b);
            row.constrain(out[k].clone() - expected);
        }
        row.uses_wire("qm31_ops_in0_address", &a);
        row.uses_wire("qm31_ops_in1_address", &b);
        let multiplicity = row.preprocessed("qm31_ops_mults".to_owned());
        row.yields_wire(multiplicity, "qm31_ops_out_address", &out);
    }
}

/// The words of the product of two extension elements: `i^2 = -1`, `u^2 = 2 + i`.
fn product<E: EvalAtRow>(a: &[E::F; 4], b: &[E::F; 4]) -> [E::F; 4] {
    let of = |i: usize, j: usize| a[i].clone() * b[j].clone();
    let two = number::<E>(2);
    [
        of(0, 0) - of(1, 1) + two.clone() * (of(2, 2) - of(3, 3)) - of(2, 3) - of(3, 2),
        of(0, 1) + of(1, 0) + two * (of(2, 3) + of(3, 2)) + of(2, 2) - of(3, 3),
        of(0, 2) - of(1, 3) + of(2, 0) - of(3, 1),
        of(0, 3) + of(1, 2) + of(2, 1) + of(3, 0),
    ]
}
