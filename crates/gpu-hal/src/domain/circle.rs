//! Domains of the circle over M31.

use field::circle::{CirclePoint, Coset, MAX_LOG_DOMAIN, neighbour_index};
use field::{M31, bit_reverse};

use super::Domain;

/// A domain of the circle protocol. Storage order is the bit reversal of the natural order given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CircleDomain {
    /// A circle domain of `2^log_size` points: a half coset with step `g_{log_size-1}`, then its conjugates in the same order
    /// (`g_k` generates the subgroup of order `2^k`). It holds the points at `block << log_size ..` in storage order of the
    /// *canonic* domain of `2^log_coset` points, whose half coset begins at `g_{log_coset+1}`, and it is canonic itself if it
    /// has as many points.
    Circle {
        /// Log2 of the number of points.
        log_size: u32,
        /// Log2 of the number of points of the canonic domain, at least `log_size`.
        log_coset: u32,
        /// Which block of the canonic domain it is, below `2^(log_coset - log_size)`; 0 is a prefix.
        block: u32,
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
        Self::Circle { log_size, log_coset: log_size, block: 0 }
    }

    /// The first `2^log_size` points in storage order of the canonic circle domain of `2^log_coset` points.
    pub const fn prefix_of(log_coset: u32, log_size: u32) -> Self {
        Self::Circle { log_size, log_coset, block: 0 }
    }
}

/// The half coset of a circle domain: the natural positions of a block share their low bits, the block number reversed.
fn half_coset(log_size: u32, log_coset: u32, block: u32) -> Coset {
    let whole = Coset::half_odds(log_coset - 1);
    Coset::new(whole.index_at(bit_reverse(block as usize, log_coset - log_size)), log_size - 1)
}

impl Domain for CircleDomain {
    type Field = M31;
    /// On a line `y` is not used.
    type At = CirclePoint<M31>;

    const LIFTS: bool = true;

    fn log_size(&self) -> u32 {
        match *self {
            Self::Circle { log_size, .. } | Self::Line { log_size } => log_size,
        }
    }

    fn log_whole(&self) -> u32 {
        match *self {
            Self::Circle { log_coset, .. } => log_coset,
            Self::Line { log_size } => log_size,
        }
    }

    fn block_index(&self) -> u32 {
        match *self {
            Self::Circle { block, .. } => block,
            Self::Line { .. } => 0,
        }
    }

    fn is_valid(&self) -> bool {
        match *self {
            Self::Circle { log_size, log_coset, block } => {
                1 <= log_size
                    && log_size <= log_coset
                    && log_coset <= MAX_LOG_DOMAIN
                    && u64::from(block) >> (log_coset - log_size) == 0
            }
            Self::Line { log_size } => log_size < MAX_LOG_DOMAIN,
        }
    }

    fn points(&self) -> Vec<CirclePoint<M31>> {
        let natural: Vec<CirclePoint<M31>> = match *self {
            Self::Circle { log_size, log_coset, block } => {
                let half = half_coset(log_size, log_coset, block);
                half.points().chain(half.points().map(CirclePoint::conjugate)).collect()
            }
            Self::Line { log_size } => Coset::half_odds(log_size).points().collect(),
        };
        (0..natural.len()).map(|index| natural[bit_reverse(index, self.log_size())]).collect()
    }

    fn power(at: CirclePoint<M31>, log_power: u32) -> M31 {
        CirclePoint::repeated_double_x(at.x, log_power)
    }

    fn neighbour(&self, index: usize, offset: i32, log_trace: u32) -> usize {
        // A block of more points than the trace has rows is closed under the steps of the trace's subgroup, and the steps
        // are the same in every block.
        neighbour_index(index, i64::from(offset), log_trace, self.log_size())
    }

    fn block(&self, log_size: u32, index: u32) -> Option<Self> {
        match *self {
            Self::Circle { log_size: of, log_coset, block } if (1..=of).contains(&log_size) => {
                let log_blocks = of - log_size;
                (u64::from(index) >> log_blocks == 0).then_some(Self::Circle {
                    log_size,
                    log_coset,
                    block: (block << log_blocks) + index,
                })
            }
            Self::Line { log_size: of } if log_size == of && index == 0 => Some(*self),
            _ => None,
        }
    }

    fn folded(&self) -> Option<Self> {
        match *self {
            // The x-coordinates of a block are no domain of a line.
            Self::Circle { log_size, log_coset, .. } if log_size != log_coset => None,
            _ => Some(Self::Line { log_size: self.log_size().checked_sub(1)? }),
        }
    }

    fn same_basis(&self, other: &Self) -> bool {
        matches!(self, Self::Circle { .. }) == matches!(other, Self::Circle { .. })
    }

    fn lift_index(index: usize, log_height: u32, log_table: u32) -> usize {
        field::circle::lift_index(index, log_table, log_height)
    }

    fn split_index(index: usize, part: usize, _: usize, log_part: u32) -> usize {
        (part << log_part) + index
    }
}
