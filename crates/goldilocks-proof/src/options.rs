//! Why parameters of a proof are refused, in every format.

use proof_format::policy::MAX_QUERIES;

use crate::Draw;
use crate::compact::limits::{MAX_FOLDS, MAX_LOG_LAST, MAX_STEP};

/// Reasons to refuse parameters, with the allowed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// Blowup is not a power of two in 2..=128.
    #[error("blowup {0} is not allowed: take a power of two from 2 to 128")]
    Blowup(u32),
    /// Number of queries is not in 1..=65536.
    #[error("{0} queries are not allowed: take 1 to {MAX_QUERIES}")]
    Queries(u32),
    /// More than 64 bits of grinding.
    #[error("grinding {0} is not allowed: take 0 to 64 bits")]
    Grinding(u32),
    /// Trace shorter than 4 rows: there would be no FRI layer.
    #[error("a trace of 2^{0} rows is too short: take at least 4 rows")]
    TraceTooShort(u32),
    /// LDE larger than the largest subgroup.
    #[error("2^{log_trace} rows times blowup {blowup} are more than 2^32 points: take a smaller blowup or fewer rows")]
    DomainTooLarge {
        /// Log2 of the rows.
        log_trace: u32,
        /// The blowup.
        blowup: u32,
    },
    /// The AIR has no composition part.
    #[error("0 composition parts are not allowed: the AIR must declare at least 1")]
    NoParts,
    /// The composition has a higher degree than the LDE domain holds.
    #[error("{parts} composition parts need a blowup of at least {parts}, not {blowup}")]
    TooManyParts {
        /// Parts.
        parts: usize,
        /// The blowup.
        blowup: u32,
    },
    /// The coset offset is zero.
    #[error("coset offset 0 is not allowed: take 3 or 7")]
    ZeroOffset,
    /// The coset offset is not below p: it would be a second name of a smaller one.
    #[error("coset offset {0} is not below the prime of the field: take 3 or 7")]
    OffsetNotReduced(u64),
    /// The LDE domain is the subgroup itself, so it meets the trace domain.
    #[error("coset offset {offset} lies in the subgroup of order 2^{log_lde}: take 3 or 7")]
    OffsetInSubgroup {
        /// The offset.
        offset: u64,
        /// Log2 of the points of the LDE domain.
        log_lde: u32,
    },
    /// Not one or two out-of-domain points.
    #[error("{0} out-of-domain points are not allowed: take 1 or 2")]
    Points(u32),
    /// Not 1 to 32 folds.
    #[error("{0} folds are not allowed: take 1 to {MAX_FOLDS}")]
    Folds(usize),
    /// A fold by no power of two that leaves may have rows.
    #[error("fold {fold} by 2^{step} is not allowed: take 2^1 to 2^{MAX_STEP}, or 2^0 for fold 0")]
    FoldStep {
        /// The fold.
        fold: usize,
        /// Log2 of its factor.
        step: u32,
    },
    /// More coefficients of the last layer than 2^10.
    #[error("a last layer of 2^{0} coefficients is not allowed: take at most 2^{MAX_LOG_LAST}")]
    LogLast(u32),
    /// The folds do not lead from the rows to the last layer.
    #[error("folds and last layer are for 2^{steps} rows, the trace has 2^{log_rows}")]
    FoldSum {
        /// The sum of the folds and of the last layer.
        steps: u32,
        /// Log2 of the rows.
        log_rows: u32,
    },
    /// Not one number of bits of work for each draw.
    #[error("bits of work for {found} draws, these folds have {expected}")]
    WorkLength {
        /// Draws.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// More than 64 bits of work.
    #[error("{bits} bits of work before the {draw} are not allowed: take 0 to 64")]
    Work {
        /// The draw.
        draw: Draw,
        /// Its bits.
        bits: u32,
    },
    /// Work before a draw that there is not.
    #[error("there is no work before the {0}, because none are drawn")]
    WorkOfNothing(Draw),
    /// Another extension than the one of the format.
    #[error("an extension of degree {0} is not allowed: the compact format has degree 3")]
    Extension(usize),
    /// Not enough rows for the masks of a proof that hides its witness.
    #[error(
        "{needed} rows at the end must be free for masks, this AIR leaves {found}: no constraint may read them, so let its \
         transitions end earlier (`except_last`) and its boundaries stand above, as the parameter `free` of shipped AIRs \
         does; or take more rows, fewer queries, or a smaller first fold"
    )]
    FreeRows {
        /// Rows that the options need.
        needed: u64,
        /// Rows that no constraint reads.
        found: u64,
    },
    /// An option of compact proofs for one of another format.
    #[error("{0} are not options of this format: compact proofs alone have them")]
    OnlyCompact(&'static str),
    /// A transcript seed for a compact proof.
    #[error("a compact proof takes no transcript seed: its transcript always starts from the statement")]
    Seed,
}
