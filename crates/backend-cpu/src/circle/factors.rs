//! The factors of transforms on the circle and on the line of its x-coordinates.
//!
//! Coefficient `b0 + 2 b1 + 4 b2 + ...` belongs to `y^b0 x^b1 pi(x)^b2 ...` on a circle domain and to
//! `x^b0 pi(x)^b1 ...` on a line domain, with `pi(x) = 2x^2 - 1`. In storage order the polynomial on an aligned block
//! of `2^(i+1)` points is `f_0 + t f_1`, where `t`, the factor of bit `i`, is one number on the first half of the block
//! and its opposite on the second.

use std::sync::OnceLock;

use field::circle::{Coset, MAX_LOG_DOMAIN};
use field::{Field, M31, batch_inverse, bit_reverse};
use gpu_hal::{CircleDomain, Domain};

/// The factors of all domains, made when first needed and kept: 16 bytes for each point of the largest domain.
#[derive(Debug, Default)]
pub(crate) struct CircleTables {
    /// Entry l: `x` at storage index `2h` of the line domain of `2^l` points, and the inverses.
    x: [OnceLock<Factors>; MAX_LOG_DOMAIN as usize + 1],
    /// Entry l: `y` at storage index `2h` of the circle domain of `2^l` points, and the inverses.
    y: [OnceLock<Factors>; MAX_LOG_DOMAIN as usize + 1],
}

#[derive(Debug)]
struct Factors {
    values: Vec<M31>,
    inverses: Vec<M31>,
}

/// The factors of a bit, from the first block of a domain on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer<'a> {
    /// The factor of each block.
    pub(crate) values: &'a [M31],
    /// Their inverses. Only the line of one point has a factor that is zero, and it is not folded.
    pub(crate) inverses: &'a [M31],
}

impl Factors {
    fn new(values: Vec<M31>) -> Self {
        let mut inverses = values.clone();
        batch_inverse(&mut inverses);
        Self { values, inverses }
    }
}

impl CircleTables {
    /// The factors of bit `layer`, which the domain has, for the blocks of it, and perhaps more.
    pub(crate) fn layer(&self, domain: &CircleDomain, layer: u32) -> Layer<'_> {
        // pi doubles points: bit i of a domain has the factors of bit 0 of the line domain 2^i times smaller. A part of
        // a domain has part of its factors.
        let log_size = domain.log_whole() - layer;
        let first = first_of(domain) >> (layer + 1);
        let factors = match domain {
            CircleDomain::Circle { .. } if layer == 0 => self.y[log_size as usize].get_or_init(|| {
                let points = Coset::half_odds(log_size - 1).points();
                Factors::new(reversed(points.map(|point| point.y), log_size - 1))
            }),
            _ => self.x[log_size as usize].get_or_init(|| {
                let points = Coset::half_odds(log_size).points().take(1 << log_size.saturating_sub(1));
                Factors::new(reversed(points.map(|point| point.x), log_size.saturating_sub(1)))
            }),
        };
        Layer { values: &factors.values[first..], inverses: &factors.inverses[first..] }
    }

    /// All layers of a domain, bit 0 first.
    pub(crate) fn layers(&self, domain: &CircleDomain) -> Vec<Layer<'_>> {
        (0..domain.log_size()).map(|layer| self.layer(domain, layer)).collect()
    }
}

/// The storage index of a domain's first point in the whole that the domain is a block of.
pub(crate) fn first_of(domain: &CircleDomain) -> usize {
    (domain.block_index() as usize) << domain.log_size()
}

/// Element `i` goes to `bit_reverse(i)`.
fn reversed(values: impl Iterator<Item = M31>, bits: u32) -> Vec<M31> {
    let mut result = vec![M31::ZERO; 1 << bits];
    for (i, value) in values.enumerate() {
        result[bit_reverse(i, bits)] = value;
    }
    result
}
