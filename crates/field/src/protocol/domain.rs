//! Evaluation domains: which points there are, in which order, and which index belongs to which.
//!
//! A backend that is written by the definitions needs nothing else of a protocol's geometry. All functions are exact
//! and take and give *storage* indices (bit-reversed order) unless they say otherwise.

use alloc::vec::Vec;
use core::fmt::Debug;
use core::hash::Hash;

use crate::PrimeField;

/// A domain of a protocol.
pub trait Domain: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// Field of the points' coordinates.
    type Field: PrimeField;
    /// A point of the domain.
    type At: Copy + Debug + Send + Sync;

    /// Whether columns of different heights share a tree or a quotient, the lower ones lifted ([`Self::lift_index`]).
    const LIFTS: bool;

    /// Log2 of the number of points.
    fn log_size(&self) -> u32;

    /// Log2 of the number of points of the domain that this one is a block of, as far as the domain tells.
    fn log_whole(&self) -> u32;

    /// The number of the block that this is of that domain ([`Self::block`]); 0 for the first one and for a whole
    /// domain.
    fn block_index(&self) -> u32;

    /// Whether the domain exists: not larger than the field allows, shift not zero.
    fn is_valid(&self) -> bool;

    /// The index in storage order of a row of a trace on this domain.
    fn row_to_storage(&self, row: usize) -> usize;

    /// The points in storage order.
    fn points(&self) -> Vec<Self::At>;

    /// The value at a point that divisors are made of: `x^(2^log_power)` on a coset, the x-coordinate of the point
    /// after `log_power` doublings on a circle.
    fn power(at: Self::At, log_power: u32) -> Self::Field;

    /// The index of the point `offset` rows after the point at `index`, for a trace of `2^log_trace` rows on this
    /// domain. The domain may be a block if it is closed under such steps: on a coset it has at least the rows of the
    /// trace, on a circle more than these.
    fn neighbour(&self, index: usize, offset: i32, log_trace: u32) -> usize;

    /// The domain of the points at `index << log_size ..` of this one, `2^log_size` of them, in the same order; `None`
    /// if there are not enough points or the protocol has no name for such a domain.
    fn block(&self, log_size: u32, index: u32) -> Option<Self>;

    /// Another block, by its number, of as many points of the domain that this one is a block of, as far as the domain
    /// tells.
    fn sibling(&self, _index: u32) -> Option<Self> {
        None
    }

    /// The domain of the first `2^log_size` points.
    fn prefix(&self, log_size: u32) -> Option<Self> {
        self.block(log_size, 0)
    }

    /// The domain that a fold of FRI maps this one to: neighbours in storage order, `2k` and
    /// `2k + 1`, become the point `k`. `None` if there is only one point.
    fn folded(&self) -> Option<Self>;

    /// The coordinate in which the point's neighbour `2k` or `2k + 1` differs by its sign: `x` on a coset and on a
    /// line, `y` on a circle.
    fn twin(&self, at: Self::At) -> Self::Field;

    /// The point of [`Self::folded`] that a point and its neighbour become.
    fn fold_point(&self, at: Self::At) -> Self::At;

    /// Whether polynomials on one domain are polynomials on the other.
    fn same_basis(&self, other: &Self) -> bool;

    /// The index in a table of `2^log_table` rows of the row that its lift to `2^log_height` rows has at `index`.
    fn lift_index(index: usize, log_height: u32, log_table: u32) -> usize;

    /// The coefficient that becomes number `index` of part `part` when a polynomial is split into `parts` parts of
    /// `2^log_part` coefficients.
    fn split_index(index: usize, part: usize, parts: usize, log_part: u32) -> usize;
}
