//! Parameters of a compact proof (section 2).

use alloc::vec::Vec;

use field::{Field, Goldilocks};
use gpu_hal::{CosetDomain, CosetProtocol};

use super::limits::{MAX_FOLDS, MAX_LOG_LAST, MAX_STEP};
use super::{Sizes, Suite};
use crate::grinding::MAX_BITS;
use crate::lambdaworks;
use crate::options::OptionsError;
use crate::{Draw, Hiding};

/// The degree of the extension, the only one of this format.
const DEGREE: usize = 3;

/// The prover's choices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// LDE points per trace row, `b`: a power of two, 2 to 128.
    pub blowup: u32,
    /// Number of queries, `q`: 1 to 65536.
    pub queries: u32,
    /// First point of the LDE domain, `h`: below p, neither zero nor in the subgroup of the LDE's order.
    pub coset_offset: u64,
    /// Out-of-domain points, `A`: 1 or 2.
    pub points: u32,
    /// Log2 of the factor of each fold, `s_0, ..., s_r`. The first is 0 where the DEEP quotient has a tree of its own.
    pub folds: Vec<u32>,
    /// Log2 of the coefficients of the last layer, `d`.
    pub log_last: u32,
    /// Bits of the proof of work before each draw, in the order of [`Draw::all`].
    pub work: Vec<u32>,
    /// Hash functions.
    pub suite: Suite,
    /// Whether the witness is hidden.
    pub hiding: Hiding,
}

/// Checks that folds are in their range.
pub(super) fn check_folds(folds: &[u32]) -> Result<(), OptionsError> {
    if !(1..=MAX_FOLDS).contains(&folds.len()) {
        return Err(OptionsError::Folds(folds.len()));
    }
    for (fold, &step) in folds.iter().enumerate() {
        if step > MAX_STEP || (step == 0 && fold > 0) {
            return Err(OptionsError::FoldStep { fold, step });
        }
    }
    Ok(())
}

impl Options {
    /// Layers with a tree, `r`.
    pub fn layers(&self) -> usize {
        self.folds.len().saturating_sub(1)
    }

    /// Bits of the proof of work before a draw.
    pub fn work_of(&self, draw: Draw) -> u32 {
        let position = Draw::all(self.folds.len()).position(|other| other == draw);
        position.and_then(|position| self.work.get(position)).copied().unwrap_or(0)
    }

    /// The options that proofs of every format have.
    fn common(&self) -> lambdaworks::Options {
        let Self { blowup, queries, coset_offset, .. } = *self;
        lambdaworks::Options { blowup, queries, coset_offset, grinding: 0, ..lambdaworks::Options::default() }
    }

    /// Checks everything that does not depend on the statement.
    ///
    /// # Errors
    /// The first option that is out of its range.
    pub fn validate_alone(&self) -> Result<(), OptionsError> {
        self.common().validate_alone()?;
        if !(1..=2).contains(&self.points) {
            return Err(OptionsError::Points(self.points));
        }
        check_folds(&self.folds)?;
        if self.log_last > MAX_LOG_LAST {
            return Err(OptionsError::LogLast(self.log_last));
        }
        let draws = Draw::all(self.folds.len()).count();
        if self.work.len() != draws {
            return Err(OptionsError::WorkLength { expected: draws, found: self.work.len() });
        }
        for (draw, &bits) in Draw::all(self.folds.len()).zip(&self.work) {
            if bits > MAX_BITS {
                return Err(OptionsError::Work { draw, bits });
            }
            if bits > 0 && draw == Draw::Fold(0) && self.folds[0] == 0 {
                return Err(OptionsError::WorkOfNothing(draw));
            }
        }
        Ok(())
    }

    /// Checks the options that proofs of every format have, for a statement.
    pub(super) fn validate_common(&self, sizes: &Sizes) -> Result<(), OptionsError> {
        self.common().validate(sizes.log_rows, sizes.parts)
    }

    /// Checks the options for a statement. Call this before all other uses, in the prover and in the verifier.
    ///
    /// # Errors
    /// The first option that is out of its range, or does not fit the statement.
    pub fn validate<P: CosetProtocol>(&self, sizes: &Sizes) -> Result<(), OptionsError> {
        self.validate_alone()?;
        if P::DEGREE != DEGREE {
            return Err(OptionsError::Extension(P::DEGREE));
        }
        self.validate_common(sizes)?;
        let steps = self.folds.iter().sum::<u32>() + self.log_last;
        if steps != sizes.log_rows {
            return Err(OptionsError::FoldSum { steps, log_rows: sizes.log_rows });
        }
        if sizes.challenges == 0 && self.work_of(Draw::Challenges) > 0 {
            return Err(OptionsError::WorkOfNothing(Draw::Challenges));
        }
        Ok(())
    }

    /// Log2 of the blowup.
    pub fn log_blowup(&self) -> u32 {
        self.blowup.trailing_zeros()
    }

    /// Log2 of the rows of a leaf of the first trees, `s_0`.
    pub fn log_leaf(&self) -> u32 {
        self.folds.first().copied().unwrap_or(0)
    }

    /// The domain of the rows of the first trees, `D_0`.
    pub fn lde_domain(&self, log_rows: u32) -> CosetDomain<Goldilocks> {
        self.common().lde_domain(log_rows)
    }

    /// The domains of the layers, `D_1` to `D_{r+1}`.
    pub fn layer_domains(&self, log_rows: u32) -> impl Iterator<Item = CosetDomain<Goldilocks>> {
        let mut domain = self.lde_domain(log_rows);
        self.folds.iter().map(move |&step| {
            domain = CosetDomain::new(domain.shift.pow_two_to(step), domain.log_size - step);
            domain
        })
    }

    /// The bytes of the options, `26 + 2r` of them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(26 + 2 * self.layers());
        out.push(self.log_blowup() as u8);
        out.extend_from_slice(&self.queries.to_be_bytes());
        out.extend_from_slice(&self.coset_offset.to_be_bytes());
        out.extend_from_slice(&self.suite.number().to_be_bytes());
        out.push(self.hiding.number());
        out.push(self.points as u8);
        out.push(self.layers() as u8);
        out.extend(self.folds.iter().map(|&step| step as u8));
        out.push(self.log_last as u8);
        out.extend(self.work.iter().map(|&bits| bits as u8));
        out
    }
}
