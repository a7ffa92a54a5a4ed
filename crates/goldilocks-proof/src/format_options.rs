//! All that formats differ in, side by side, as the options of a proof say it.

use alloc::boxed::Box;

use field::{ExtensionField, Field, Goldilocks};
use gpu_hal::{CosetDomain, HashFn};

use crate::channel::Channel;
use crate::{Draw, Hiding, Part, compact, lambdaworks};

/// The options of a format of proofs, and with them the format: [`lambdaworks::Options`] or [`compact::Options`].
/// Nothing else can be. The options were checked for the statement.
pub trait FormatOptions: sealed::Sealed {
    /// A transcript that has absorbed these bytes, with which it starts.
    fn channel(&self, start: &[u8]) -> Box<dyn Channel>;

    /// Domain of the rows of the first trees.
    fn lde_domain(&self, log_rows: u32) -> CosetDomain<Goldilocks>;

    /// Hash function of the trees.
    fn tree(&self) -> HashFn;

    /// Rows in a leaf of the tree over a part.
    fn rows_per_leaf(&self, part: Part) -> usize;

    /// Hiding of the witness.
    fn hiding(&self) -> Hiding;

    /// Random base elements at the end of a row of the first trees.
    fn salts(&self) -> usize;

    /// Bits of the proof of work before a draw.
    fn work_of(&self, draw: Draw) -> u32;

    /// Whether the transcript gives a second out-of-domain point.
    fn has_second_point(&self) -> bool;

    /// Whether an element can be an out-of-domain point, for so many composition parts.
    fn is_out_of_domain<E: ExtensionField<Goldilocks>>(&self, z: E, log_rows: u32, parts: usize) -> bool;

    /// Whether the DEEP quotient is folded; if not, it is the first layer.
    fn folds_quotient(&self) -> bool;

    /// Number of queries.
    fn queries(&self) -> u32;

    /// Log2 of the indices that a query may have.
    fn log_indices(&self, log_rows: u32) -> u32;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::lambdaworks::Options {}
    impl Sealed for crate::compact::Options {}
}

/// Section 5.
impl FormatOptions for lambdaworks::Options {
    fn channel(&self, seed: &[u8]) -> Box<dyn Channel> {
        self.suite.channel(seed)
    }

    fn lde_domain(&self, log_rows: u32) -> CosetDomain<Goldilocks> {
        Self::lde_domain(self, log_rows)
    }

    fn tree(&self) -> HashFn {
        self.suite.tree()
    }

    fn rows_per_leaf(&self, part: Part) -> usize {
        lambdaworks::layout::rows_per_leaf(part)
    }

    fn hiding(&self) -> Hiding {
        Hiding::None
    }

    fn salts(&self) -> usize {
        0
    }

    fn work_of(&self, draw: Draw) -> u32 {
        if draw == Draw::Queries { self.grinding } else { 0 }
    }

    fn has_second_point(&self) -> bool {
        false
    }

    /// It is neither in the trace domain (`z^n = 1`) nor in the LDE domain (`(z/h)^N = 1`, asked as `z^N = h^N`), with
    /// `n` rows, `N` points, `h` the coset offset.
    fn is_out_of_domain<E: ExtensionField<Goldilocks>>(&self, z: E, log_rows: u32, _parts: usize) -> bool {
        let log_lde = self.log_lde(log_rows);
        let is_in = |z: Goldilocks| {
            z.pow_two_to(log_rows) == Goldilocks::ONE || z.pow_two_to(log_lde) == self.offset().pow_two_to(log_lde)
        };
        !z.as_base().is_some_and(is_in)
    }

    fn folds_quotient(&self) -> bool {
        true
    }

    fn queries(&self) -> u32 {
        self.queries
    }

    /// A query opens two points.
    fn log_indices(&self, log_rows: u32) -> u32 {
        self.log_lde(log_rows) - 1
    }
}

/// Section 2 of the compact format.
impl FormatOptions for compact::Options {
    fn channel(&self, statement: &[u8]) -> Box<dyn Channel> {
        self.suite.channel(statement)
    }

    fn lde_domain(&self, log_rows: u32) -> CosetDomain<Goldilocks> {
        Self::lde_domain(self, log_rows)
    }

    fn tree(&self) -> HashFn {
        self.suite.tree()
    }

    /// As many as the next fold takes.
    fn rows_per_leaf(&self, part: Part) -> usize {
        let fold = match part {
            Part::Main | Part::Aux | Part::Composition => 0,
            Part::Fri(layer) => layer,
        };
        1 << self.folds[fold]
    }

    fn hiding(&self) -> Hiding {
        self.hiding
    }

    fn salts(&self) -> usize {
        Self::salts(self)
    }

    fn work_of(&self, draw: Draw) -> u32 {
        Self::work_of(self, draw)
    }

    fn has_second_point(&self) -> bool {
        self.points > 1
    }

    /// Its power, by the number of composition parts, is not in the base field.
    fn is_out_of_domain<E: ExtensionField<Goldilocks>>(&self, z: E, _log_rows: u32, parts: usize) -> bool {
        z.pow(parts as u64).as_base().is_none()
    }

    fn folds_quotient(&self) -> bool {
        self.log_leaf() > 0
    }

    fn queries(&self) -> u32 {
        self.queries
    }

    /// A query opens a leaf of the first trees.
    fn log_indices(&self, log_rows: u32) -> u32 {
        self.lde_domain(log_rows).log_size - self.log_leaf()
    }
}
