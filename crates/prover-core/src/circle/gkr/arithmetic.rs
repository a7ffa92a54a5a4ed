//! Extension arithmetic in programs: on extension values, or on base coordinates where outputs have to be base values.

use field::{ExtensionField, Field, M31, QM31};
use gpu_hal::CircleStark;
use gpu_hal::ir::{NodeId, ProgramBuilder};
use sumcheck::gkr::Gate;

/// A builder.
pub(super) type Builder = ProgramBuilder<CircleStark>;

/// Base coordinates of an extension element.
pub(super) const DEGREE: usize = <QM31 as ExtensionField<M31>>::DEGREE;

/// The arithmetic that a gate needs.
pub(super) trait Arithmetic {
    type Value: Copy;

    fn add(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;

    fn mul(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
}

/// The values of a node by those of its children, a column each: [`Gate::node`] as a program.
pub(super) fn node<A: Arithmetic>(gate: Gate, on: &mut A, left: &[A::Value], right: &[A::Value]) -> Vec<A::Value> {
    match gate {
        Gate::GrandProduct => vec![on.mul(left[0], right[0])],
        Gate::LogUp => {
            let [a, b] = [on.mul(right[1], left[0]), on.mul(left[1], right[0])];
            vec![on.add(a, b), on.mul(left[1], right[1])]
        }
    }
}

/// Values are nodes.
impl Arithmetic for Builder {
    type Value = NodeId;

    fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        Self::add(self, a, b)
    }

    fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        Self::mul(self, a, b)
    }
}

/// Values are nodes of their coordinates.
pub(super) struct Coordinates<'b>(pub(super) &'b mut Builder);

impl Arithmetic for Coordinates<'_> {
    type Value = [NodeId; DEGREE];

    fn add(&mut self, a: Self::Value, b: Self::Value) -> Self::Value {
        std::array::from_fn(|at| self.0.add(a[at], b[at]))
    }

    fn mul(&mut self, a: Self::Value, b: Self::Value) -> Self::Value {
        let mut sums = [self.0.constant(M31::ZERO); DEGREE];
        for (i, a) in a.into_iter().enumerate() {
            for (j, b) in b.into_iter().enumerate() {
                let product = self.0.mul(a, b);
                let of_basis = <QM31 as ExtensionField<M31>>::basis(i) * <QM31 as ExtensionField<M31>>::basis(j);
                for (sum, factor) in sums.iter_mut().zip(of_basis.0) {
                    let factor = self.0.constant(factor);
                    let term = self.0.mul(product, factor);
                    *sum = self.0.add(*sum, term);
                }
            }
        }
        sums
    }
}
