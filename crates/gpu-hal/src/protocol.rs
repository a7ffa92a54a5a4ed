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

    /// Whether columns of different heights share a tree or a quotient, the lower ones lifted.
    const LIFTS: bool;

    /// Degree of the extension: base columns per extension column.
    const DEGREE: usize = <Self::Ext as ExtensionField<Self::Base>>::DEGREE;

    /// Log2 of the number of points of a domain.
    fn log_size(domain: &Self::Domain) -> u32;

    /// Whether the domain exists: not larger than the field allows, shift not zero.
    fn is_valid(domain: &Self::Domain) -> bool;

    /// The domain that [`crate::StarkBackend::fri_fold`] maps `domain` to; `None` if it has one point.
    fn folded(domain: &Self::Domain) -> Option<Self::Domain>;

    /// The storage index in a table of `2^log_table` rows of what its lift to `2^log_height` rows has at storage index `index`.
    fn lift_index(index: usize, log_height: u32, log_table: u32) -> usize;

    /// Log2 of the number of points of the domain that `domain` is a prefix of in storage order, as far as the domain tells.
    fn log_whole(domain: &Self::Domain) -> u32;
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
    const LIFTS: bool = false;
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

    fn lift_index(index: usize, log_height: u32, log_table: u32) -> usize {
        index >> (log_height - log_table)
    }

    fn log_whole(domain: &Self::Domain) -> u32 {
        domain.log_size
    }
}

/// A domain of the circle protocol. Storage order is the bit reversal of the natural order given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CircleDomain {
    /// A circle domain of `2^log_size` points: the half coset with first point `g_{log_coset+1}` and step `g_{log_size-1}`, then
    /// its conjugates in the same order (`g_k` generates the subgroup of order `2^k`). It is the first `2^log_size` points in
    /// storage order of the *canonic* domain of `2^log_coset` points, and canonic itself if the two are equal.
    Circle {
        /// Log2 of the number of points.
        log_size: u32,
        /// Log2 of the number of points of the canonic domain, at least `log_size`.
        log_coset: u32,
    },
    /// x-coordinates of the coset with first point `g_{l+2}` and step `g_l`.
    Line {
        /// Log2 of the number of points.
        log_size: u32,
    },
}

impl CircleDomain {
    /// The canonic circle domain of `2^log_size` points.
    pub const fn canonic(log_size: u32) -> Self {
        Self::Circle { log_size, log_coset: log_size }
    }

    /// The first `2^log_size` points in storage order of the canonic circle domain of `2^log_coset` points.
    pub const fn prefix_of(log_coset: u32, log_size: u32) -> Self {
        Self::Circle { log_size, log_coset }
    }
}

/// Circle STARKs over M31 with challenges in QM31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CircleStark;

impl Protocol for CircleStark {
    const NAME: &'static str = "circle";
    const LIFTS: bool = true;
    type Base = M31;
    type Ext = QM31;
    type Domain = CircleDomain;
    type Point = CirclePoint<QM31>;

    fn log_size(domain: &Self::Domain) -> u32 {
        match *domain {
            CircleDomain::Circle { log_size, .. } | CircleDomain::Line { log_size } => log_size,
        }
    }

    fn is_valid(domain: &Self::Domain) -> bool {
        match *domain {
            CircleDomain::Circle { log_size, log_coset } => 1 <= log_size && log_size <= log_coset && log_coset <= 30,
            CircleDomain::Line { log_size } => log_size <= 29,
        }
    }

    fn folded(domain: &Self::Domain) -> Option<Self::Domain> {
        match *domain {
            // The x-coordinates of a prefix are no domain of a line.
            CircleDomain::Circle { log_size, log_coset } if log_size != log_coset => None,
            _ => Some(CircleDomain::Line { log_size: Self::log_size(domain).checked_sub(1)? }),
        }
    }

    fn lift_index(index: usize, log_height: u32, log_table: u32) -> usize {
        field::circle::lift_index(index, log_table, log_height)
    }

    fn log_whole(domain: &Self::Domain) -> u32 {
        match *domain {
            CircleDomain::Circle { log_coset, .. } => log_coset,
            CircleDomain::Line { log_size } => log_size,
        }
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
