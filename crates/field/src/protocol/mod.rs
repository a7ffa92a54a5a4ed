//! The proof systems, as far as a backend must know them: fields and domains.

mod circle;
mod coset;
mod domain;

use core::fmt::Debug;
use core::hash::Hash;
use core::marker::PhantomData;

pub use self::circle::CircleDomain;
pub use self::coset::CosetDomain;
pub use self::domain::Domain;
use crate::circle::CirclePoint;
use crate::{ExtensionField, Fp3, Goldilocks, M31, PrimeField, QM31};

/// The fields of a proof system, and its domains. Two implementations: [`GoldilocksStark`] and [`CircleStark`].
pub trait Protocol: Copy + Debug + Default + Eq + Hash + Send + Sync + 'static {
    /// Stable name, for files and messages.
    const NAME: &'static str;
    /// Field of the columns.
    type Base: PrimeField;
    /// Field of challenges; a column over it is `DEGREE` base columns.
    type Ext: ExtensionField<Self::Base>;
    /// An evaluation domain.
    type Domain: Domain<Field = Self::Base>;
    /// A point outside the domains.
    type Point: Copy + PartialEq + Debug + Send + Sync;

    /// Degree of the extension: base columns per extension column.
    const DEGREE: usize = <Self::Ext as ExtensionField<Self::Base>>::DEGREE;
}

/// STARKs over the Goldilocks field with FRI on multiplicative cosets; `E` is the field of the challenges, [`Fp3`] or,
/// for tests, the base field itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GoldilocksStark<E = Fp3>(PhantomData<E>);

impl<E: ExtensionField<Goldilocks>> Protocol for GoldilocksStark<E> {
    const NAME: &'static str = "goldilocks";
    type Base = Goldilocks;
    type Ext = E;
    type Domain = CosetDomain<Goldilocks>;
    type Point = E;
}

/// Circle STARKs over M31 with challenges in QM31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CircleStark;

impl Protocol for CircleStark {
    const NAME: &'static str = "circle";
    type Base = M31;
    type Ext = QM31;
    type Domain = CircleDomain;
    type Point = CirclePoint<QM31>;
}

/// A protocol on multiplicative cosets, for which the Goldilocks prover and verifier are written. Points outside the
/// domain are extension elements. Implemented by every [`GoldilocksStark`].
pub trait CosetProtocol:
    Protocol<Base = Goldilocks, Domain = CosetDomain<Goldilocks>, Point = <Self as Protocol>::Ext>
{
}

impl<P> CosetProtocol for P where
    P: Protocol<Base = Goldilocks, Domain = CosetDomain<Goldilocks>, Point = <P as Protocol>::Ext>
{
}
