//! Points of domains, and where the rows around a point are stored.

use field::circle::{CirclePoint, Coset, neighbour_index};
use field::{ExtensionField, Field, Goldilocks, M31, bit_reverse};
use gpu_hal::{CircleDomain, CircleStark, CosetDomain, GoldilocksStark, Protocol};

use super::coset_fft;

/// What constraint evaluation needs of a protocol's domains.
pub(crate) trait Geometry: Protocol {
    /// A point of a domain.
    type At: Copy;

    /// The first `2^log_size` points of a domain in storage order.
    fn points(domain: &Self::Domain, log_size: u32) -> Vec<Self::At>;

    /// `x^(2^log_power)` on a coset, the x-coordinate after `log_power` doublings on a circle.
    fn power(at: Self::At, log_power: u32) -> Self::Base;

    /// The storage index of the point `offset` rows on from index `storage`, one of the first `2^log_eval`.
    fn neighbour(storage: usize, offset: i32, log_trace: u32, log_eval: u32, log_size: u32) -> usize;
}

impl<E: ExtensionField<Goldilocks>> Geometry for GoldilocksStark<E> {
    type At = Goldilocks;

    fn points(domain: &CosetDomain<Goldilocks>, log_size: u32) -> Vec<Goldilocks> {
        coset_fft::points(&domain.prefix(log_size))
    }

    fn power(at: Goldilocks, log_power: u32) -> Goldilocks {
        at.pow_two_to(log_power)
    }

    fn neighbour(storage: usize, offset: i32, log_trace: u32, _: u32, log_size: u32) -> usize {
        // x * g^offset, with g the generator of the trace domain: 2^(log_size - log_trace) points on for every row.
        let rows = i64::from(offset).rem_euclid(1 << log_trace) as usize;
        let natural = bit_reverse(storage, log_size) + (rows << (log_size - log_trace));
        bit_reverse(natural % (1 << log_size), log_size)
    }
}

impl Geometry for CircleStark {
    type At = CirclePoint<M31>;

    fn points(domain: &CircleDomain, log_size: u32) -> Vec<CirclePoint<M31>> {
        let natural: Vec<CirclePoint<M31>> = match *domain {
            CircleDomain::Circle { log_coset, .. } => {
                let half = Coset::new(Coset::half_odds(log_coset - 1).initial, log_size - 1);
                half.points().chain(half.points().map(CirclePoint::conjugate)).collect()
            }
            CircleDomain::Line { log_size } => Coset::half_odds(log_size).points().collect(),
        };
        (0..1 << log_size).map(|storage| natural[bit_reverse(storage, log_size)]).collect()
    }

    fn power(at: CirclePoint<M31>, log_power: u32) -> M31 {
        CirclePoint::repeated_double_x(at.x, log_power)
    }

    fn neighbour(storage: usize, offset: i32, log_trace: u32, log_eval: u32, _: u32) -> usize {
        // A prefix of a domain is closed under the steps of the trace's subgroup.
        neighbour_index(storage, i64::from(offset), log_trace, log_eval)
    }
}
