//! Domains of the circle over M31.

use alloc::vec::Vec;

use crate::circle::{self, CirclePoint, Coset, MAX_LOG_DOMAIN, neighbour_index};
use crate::{M31, bit_reverse};

use super::Domain;

/// A domain of the circle protocol. Storage order is the bit reversal of the natural order given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CircleDomain {
    /// A circle domain of `2^log_size` points: a half coset with step `g_{log_size-1}`, then its conjugates in the same
    /// order (`g_k` generates the subgroup of order `2^k`). It holds the points at `block << log_size ..` in storage
    /// order of the *canonic* domain of `2^log_coset` points, whose half coset begins at `g_{log_coset+1}`, and it is
    /// canonic itself if it has as many points.
    Circle {
        /// Log2 of the number of points.
        log_size: u32,
        /// Log2 of the number of points of the canonic domain, at least `log_size`.
        log_coset: u32,
        /// The number of its block of the canonic domain, below `2^(log_coset - log_size)`; 0 is a prefix.
        block: u32,
    },
    /// x-coordinates of a coset with step `g_{log_size}`: the values at `block << log_size ..` in storage order of the
    /// *whole* line of `2^log_coset` points, whose coset begins at `g_{log_coset+2}`.
    Line {
        /// Log2 of the number of points.
        log_size: u32,
        /// Log2 of the number of points of the whole line, at least `log_size`.
        log_coset: u32,
        /// The number of its block of the whole line, below `2^(log_coset - log_size)`.
        block: u32,
    },
}

impl CircleDomain {
    /// The canonic circle domain of `2^log_size` points.
    pub const fn canonic(log_size: u32) -> Self {
        Self::Circle { log_size, log_coset: log_size, block: 0 }
    }

    /// The whole line of `2^log_size` points.
    pub const fn line(log_size: u32) -> Self {
        Self::Line { log_size, log_coset: log_size, block: 0 }
    }

    /// The first `2^log_size` points in storage order of the canonic circle domain of `2^log_coset` points.
    pub const fn prefix_of(log_coset: u32, log_size: u32) -> Self {
        Self::Circle { log_size, log_coset, block: 0 }
    }
}

/// `2^log_size` points of the half coset of `2^log_coset`: natural positions of a block share their low bits, the block
/// number reversed.
fn half_odds(log_size: u32, log_coset: u32, block: u32) -> Coset {
    let whole = Coset::half_odds(log_coset);
    Coset::new(whole.index_at(bit_reverse(block as usize, log_coset - log_size)), log_size)
}

impl Domain for CircleDomain {
    type Field = M31;
    /// On a line `y` is not used.
    type At = CirclePoint<M31>;

    const LIFTS: bool = true;

    fn log_size(&self) -> u32 {
        match *self {
            Self::Circle { log_size, .. } | Self::Line { log_size, .. } => log_size,
        }
    }

    fn log_whole(&self) -> u32 {
        match *self {
            Self::Circle { log_coset, .. } | Self::Line { log_coset, .. } => log_coset,
        }
    }

    fn block_index(&self) -> u32 {
        match *self {
            Self::Circle { block, .. } | Self::Line { block, .. } => block,
        }
    }

    fn is_valid(&self) -> bool {
        let is_block = self.log_size() <= self.log_whole()
            && u64::from(self.block_index()) >> (self.log_whole() - self.log_size()).min(63) == 0;
        is_block
            && match *self {
                Self::Circle { log_size, log_coset, .. } => 1 <= log_size && log_coset <= MAX_LOG_DOMAIN,
                Self::Line { log_coset, .. } => log_coset < MAX_LOG_DOMAIN,
            }
    }

    /// Rows follow the coset on a circle, and the natural order on a line.
    fn row_to_storage(&self, row: usize) -> usize {
        match *self {
            Self::Circle { log_size, .. } => circle::coset_row_to_storage(row, log_size),
            Self::Line { log_size, .. } => bit_reverse(row, log_size),
        }
    }

    fn points(&self) -> Vec<CirclePoint<M31>> {
        let natural: Vec<CirclePoint<M31>> = match *self {
            Self::Circle { log_size, log_coset, block } => {
                let half = half_odds(log_size - 1, log_coset - 1, block);
                half.points().chain(half.points().map(CirclePoint::conjugate)).collect()
            }
            Self::Line { log_size, log_coset, block } => half_odds(log_size, log_coset, block).points().collect(),
        };
        (0..natural.len()).map(|index| natural[bit_reverse(index, self.log_size())]).collect()
    }

    fn power(at: CirclePoint<M31>, log_power: u32) -> M31 {
        CirclePoint::repeated_double_x(at.x, log_power)
    }

    fn neighbour(&self, index: usize, offset: i32, log_trace: u32) -> usize {
        // A block of more points than the trace has rows is closed under the steps of the trace's subgroup, and the
        // steps are the same in every block.
        neighbour_index(index, i64::from(offset), log_trace, self.log_size())
    }

    fn block(&self, log_size: u32, index: u32) -> Option<Self> {
        let log_blocks = self.log_size().checked_sub(log_size)?;
        if u64::from(index) >> log_blocks != 0 {
            return None;
        }
        let numbered = |block: u32| (block << log_blocks) + index;
        match *self {
            Self::Circle { log_coset, block, .. } if log_size > 0 => {
                Some(Self::Circle { log_size, log_coset, block: numbered(block) })
            }
            Self::Circle { .. } => None,
            Self::Line { log_coset, block, .. } => Some(Self::Line { log_size, log_coset, block: numbered(block) }),
        }
    }

    fn sibling(&self, index: u32) -> Option<Self> {
        let other = match *self {
            Self::Circle { log_size, log_coset, .. } => Self::Circle { log_size, log_coset, block: index },
            Self::Line { log_size, log_coset, .. } => Self::Line { log_size, log_coset, block: index },
        };
        other.is_valid().then_some(other)
    }

    fn folded(&self) -> Option<Self> {
        match *self {
            Self::Circle { log_size, log_coset, block } | Self::Line { log_size, log_coset, block } => {
                Some(Self::Line { log_size: log_size.checked_sub(1)?, log_coset: log_coset - 1, block })
            }
        }
    }

    fn twin(&self, at: CirclePoint<M31>) -> M31 {
        match self {
            Self::Circle { .. } => at.y,
            Self::Line { .. } => at.x,
        }
    }

    fn fold_point(&self, at: CirclePoint<M31>) -> CirclePoint<M31> {
        match self {
            Self::Circle { .. } => at,
            Self::Line { .. } => at.double(),
        }
    }

    fn same_basis(&self, other: &Self) -> bool {
        matches!(self, Self::Circle { .. }) == matches!(other, Self::Circle { .. })
    }

    fn lift_index(index: usize, log_height: u32, log_table: u32) -> usize {
        circle::lift_index(index, log_table, log_height)
    }

    fn split_index(index: usize, part: usize, _: usize, log_part: u32) -> usize {
        (part << log_part) + index
    }
}
