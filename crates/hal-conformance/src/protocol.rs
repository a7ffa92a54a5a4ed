//! The suite's knowledge of a protocol, to draw arguments for its operations.

use backend_reference::ReferenceProtocol;
use field::circle::CirclePoint;
use field::{ExtensionField, Field, Goldilocks, M31, QM31};
use gpu_hal::{CircleDomain, CircleStark, CosetDomain, GoldilocksStark};

use crate::Random;

/// A protocol that the suite can test.
pub trait TestProtocol: ReferenceProtocol {
    /// Log2 size of the smallest trace domain.
    const MIN_LOG: u32;

    /// Some domain of `2^log_size` points for transforms.
    fn domain(random: &mut Random, log_size: u32) -> Self::Domain;

    /// A domain of the kind that traces are evaluated on; `log_size` is at least [`Self::MIN_LOG`].
    fn trace_domain(random: &mut Random, log_size: u32) -> Self::Domain;

    /// A domain of `2^log_size` points on which the polynomials of `from` can be evaluated.
    fn target(random: &mut Random, from: &Self::Domain, log_size: u32) -> Self::Domain;

    /// A domain that does not exist.
    fn no_domain() -> Self::Domain;

    /// A point outside all domains that the suite uses.
    fn point(random: &mut Random) -> Self::Point;

    /// A slope of a term of the quotient.
    fn slope(random: &mut Random) -> Self::Ext;

    /// The point of a domain at which a quotient meets a zero denominator, if the protocol's points can be there.
    fn first_point(domain: &Self::Domain) -> Option<Self::Point>;

    /// A base element that the factors of a divisor meet on the domain: their value is zero at some point.
    fn root(domain: &Self::Domain, log_power: u32) -> Self::Base;
}

impl<E: ExtensionField<Goldilocks>> TestProtocol for GoldilocksStark<E> {
    const MIN_LOG: u32 = 0;

    fn domain(random: &mut Random, log_size: u32) -> CosetDomain<Goldilocks> {
        let shift = match random.below(4) {
            0 => Goldilocks::ONE,
            1 => Goldilocks::new(7),
            2 => Goldilocks::new(3),
            _ => random.nonzero(),
        };
        CosetDomain::new(shift, log_size)
    }

    fn trace_domain(random: &mut Random, log_size: u32) -> CosetDomain<Goldilocks> {
        Self::domain(random, log_size)
    }

    fn target(random: &mut Random, _: &CosetDomain<Goldilocks>, log_size: u32) -> CosetDomain<Goldilocks> {
        Self::domain(random, log_size)
    }

    fn no_domain() -> CosetDomain<Goldilocks> {
        CosetDomain::new(Goldilocks::ZERO, 3)
    }

    fn point(random: &mut Random) -> E {
        random.point()
    }

    fn slope(_: &mut Random) -> E {
        E::ZERO
    }

    fn first_point(domain: &CosetDomain<Goldilocks>) -> Option<E> {
        Some(E::from(domain.shift))
    }

    fn root(domain: &CosetDomain<Goldilocks>, log_power: u32) -> Goldilocks {
        domain.shift.pow_two_to(log_power)
    }
}

impl TestProtocol for CircleStark {
    const MIN_LOG: u32 = 1;

    fn domain(random: &mut Random, log_size: u32) -> CircleDomain {
        if log_size == 0 || random.one_in(3) { CircleDomain::line(log_size) } else { CircleDomain::canonic(log_size) }
    }

    fn trace_domain(_: &mut Random, log_size: u32) -> CircleDomain {
        CircleDomain::canonic(log_size)
    }

    fn target(_: &mut Random, from: &CircleDomain, log_size: u32) -> CircleDomain {
        match from {
            CircleDomain::Circle { .. } => CircleDomain::canonic(log_size),
            CircleDomain::Line { .. } => CircleDomain::line(log_size),
        }
    }

    fn no_domain() -> CircleDomain {
        CircleDomain::canonic(31)
    }

    fn point(random: &mut Random) -> CirclePoint<QM31> {
        loop {
            if let Some(point) = CirclePoint::from_parameter(random.point::<M31, QM31>()) {
                return point;
            }
        }
    }

    fn slope(random: &mut Random) -> QM31 {
        random.ext::<M31, QM31>()
    }

    fn first_point(_: &CircleDomain) -> Option<CirclePoint<QM31>> {
        None
    }

    fn root(domain: &CircleDomain, log_power: u32) -> M31 {
        let first = match *domain {
            CircleDomain::Circle { log_size, .. } => field::circle::CanonicDomain::new(log_size).at(0),
            CircleDomain::Line { log_size, .. } => field::circle::Coset::half_odds(log_size).at(0),
        };
        CirclePoint::repeated_double_x(first.x, log_power)
    }
}
