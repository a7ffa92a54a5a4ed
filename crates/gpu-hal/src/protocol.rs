//! The proof systems, as far as a backend must know them: fields and domains.

use core::fmt::Debug;
use core::marker::PhantomData;

use field::circle::CirclePoint;
use field::{ExtensionField, Fp3, Goldilocks, M31, QM31};
use ir::Fields;

use crate::{CircleDomain, CosetDomain, Domain};

/// Host-side facts of a proof system. Two implementations: [`GoldilocksStark`] and [`CircleStark`].
pub trait Protocol: Fields {
    /// An evaluation domain.
    type Domain: Domain<Field = Self::Base>;
    /// A point outside the domains.
    type Point: Copy + PartialEq + Debug + Send + Sync;

    /// Whether columns of different heights share a tree or a quotient, the lower ones lifted.
    const LIFTS: bool = Self::Domain::LIFTS;
}

/// STARKs over the Goldilocks field with FRI on multiplicative cosets; `E` is the field of the challenges, [`Fp3`] or, for
/// tests, the base field itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GoldilocksStark<E = Fp3>(PhantomData<E>);

impl<E: ExtensionField<Goldilocks>> Fields for GoldilocksStark<E> {
    const NAME: &'static str = "goldilocks";
    type Base = Goldilocks;
    type Ext = E;
}

impl<E: ExtensionField<Goldilocks>> Protocol for GoldilocksStark<E> {
    type Domain = CosetDomain<Goldilocks>;
    type Point = E;
}

/// Circle STARKs over M31 with challenges in QM31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CircleStark;

impl Fields for CircleStark {
    const NAME: &'static str = "circle";
    type Base = M31;
    type Ext = QM31;
}

impl Protocol for CircleStark {
    type Domain = CircleDomain;
    type Point = CirclePoint<QM31>;
}

/// A protocol on multiplicative cosets: what the Goldilocks prover and verifier are written for. Points outside the domain
/// are extension elements. Implemented by every [`GoldilocksStark`].
pub trait CosetProtocol:
    Protocol<Base = Goldilocks, Domain = CosetDomain<Goldilocks>, Point = <Self as Fields>::Ext>
{
}

impl<P> CosetProtocol for P where
    P: Protocol<Base = Goldilocks, Domain = CosetDomain<Goldilocks>, Point = <P as Fields>::Ext>
{
}
