//! The proof systems, as far as a backend must know them: fields and domains.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

use field::circle::CirclePoint;
use field::{ExtensionField, Field, Fp3, Goldilocks, M31, PrimeField, QM31, TwoAdicField};

/// Host-side facts of a proof system. Two implementations: [`GoldilocksStark`] and [`CircleStark`].
pub trait Protocol: Copy + Clone + Debug + Default + Eq + Hash + Send + Sync + 'static {
    /// Stable name, for files and messages.
    const NAME: &'static str;
    /// Field of the columns.
    type Base: PrimeField;
    /// Field of challenges; a column over it is `DEGREE` base columns.
    type Ext: ExtensionField<Self::Base>;
    /// An evaluation domain.
    type Domain: Copy + Eq + Hash + Debug + Send + Sync;
    /// A point outside the domains.
    type Point: Copy + PartialEq + Debug + Send + Sync;

    /// Degree of the extension: base columns per extension column.
    const DEGREE: usize = <Self::Ext as ExtensionField<Self::Base>>::DEGREE;

    /// Log2 of the number of points of a domain.
    fn log_size(domain: &Self::Domain) -> u32;

    /// Whether the domain exists: not larger than the field allows, shift not zero.
    fn is_valid(domain: &Self::Domain) -> bool;

    /// The domain that [`crate::StarkBackend::fri_fold`] maps `domain` to; `None` if it has one point.
    fn folded(domain: &Self::Domain) -> Option<Self::Domain>;
}

/// A coset `shift * <root(log_size)>` of a two-adic subgroup. Natural order: point `i` is `shift * root^i`; storage order is
/// the bit reversal of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CosetDomain<F> {
    /// First point.
    pub shift: F,
    /// Log2 of the number of points.
    pub log_size: u32,
}

impl<F: TwoAdicField> CosetDomain<F> {
    /// The coset of the given first point.
    pub fn new(shift: F, log_size: u32) -> Self {
        Self { shift, log_size }
    }

    /// The subgroup itself.
    pub fn subgroup(log_size: u32) -> Self {
        Self { shift: F::ONE, log_size }
    }

    /// Generator of the subgroup.
    pub fn generator(&self) -> F {
        F::two_adic_generator(self.log_size)
    }

    /// The coset of the first `2^log_size` points in storage order: same first point, smaller subgroup.
    pub fn prefix(&self, log_size: u32) -> Self {
        Self { shift: self.shift, log_size }
    }
}

/// STARKs over the Goldilocks field with FRI on multiplicative cosets; `E` is the field of the challenges, [`Fp3`] or, for
/// tests, the base field itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GoldilocksStark<E = Fp3>(PhantomData<E>);

impl<E: ExtensionField<Goldilocks>> Protocol for GoldilocksStark<E> {
    const NAME: &'static str = "goldilocks";
    type Base = Goldilocks;
    type Ext = E;
    type Domain = CosetDomain<Goldilocks>;
    type Point = E;

    fn log_size(domain: &Self::Domain) -> u32 {
        domain.log_size
    }

    fn is_valid(domain: &Self::Domain) -> bool {
        domain.log_size <= Goldilocks::TWO_ADICITY && !domain.shift.is_zero()
    }

    fn folded(domain: &Self::Domain) -> Option<Self::Domain> {
        let log_size = domain.log_size.checked_sub(1)?;
        Some(CosetDomain { shift: domain.shift.square(), log_size })
    }
}

/// A domain of the circle protocol. Storage order is the bit reversal of the natural order given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CircleDomain {
    /// The canonic circle domain of `2^log_size` points: the half coset with first point `g_{n+1}` and step `g_{n-1}`, then
    /// its conjugates in the same order (`g_k` generates the subgroup of order `2^k`).
    Circle {
        /// Log2 of the number of points.
        log_size: u32,
    },
    /// x-coordinates of the coset with first point `g_{l+2}` and step `g_l`.
    Line {
        /// Log2 of the number of points.
        log_size: u32,
    },
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

    fn log_size(domain: &Self::Domain) -> u32 {
        match *domain {
            CircleDomain::Circle { log_size } | CircleDomain::Line { log_size } => log_size,
        }
    }

    fn is_valid(domain: &Self::Domain) -> bool {
        match *domain {
            CircleDomain::Circle { log_size } => (1..=30).contains(&log_size),
            CircleDomain::Line { log_size } => log_size <= 29,
        }
    }

    fn folded(domain: &Self::Domain) -> Option<Self::Domain> {
        let log_size = Self::log_size(domain).checked_sub(1)?;
        Some(CircleDomain::Line { log_size })
    }
}

/// A protocol on multiplicative cosets: what the Goldilocks prover and verifier are written for. Points outside the domain
/// are extension elements. Implemented by every [`GoldilocksStark`].
pub trait CosetProtocol:
    Protocol<Base = Goldilocks, Domain = CosetDomain<Goldilocks>, Point = <Self as Protocol>::Ext>
{
}

impl<P> CosetProtocol for P where
    P: Protocol<Base = Goldilocks, Domain = CosetDomain<Goldilocks>, Point = <P as Protocol>::Ext>
{
}
