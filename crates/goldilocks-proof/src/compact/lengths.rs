//! The lengths of proofs.

use proof_format::wire::{DecodeError, DecodeErrorKind, Result};

use super::{Options, Sizes};
use crate::Draw;

/// Bytes of a digest.
pub(super) const DIGEST: usize = 32;
/// Bytes of a nonce.
pub(super) const NONCE: usize = 8;
/// Bytes of a base element, and of an element of the extension.
const BASE: u128 = 8;
const EXT: u128 = 24;

impl Sizes {
    /// Values at a second out-of-domain point.
    pub fn anchors(&self, options: &Options) -> usize {
        if options.points > 1 { self.columns() } else { 0 }
    }

    /// All out-of-domain values that are sent.
    pub fn out_of_domain(&self, options: &Options) -> usize {
        self.frame().saturating_add(self.anchors(options)).saturating_add(self.parts.saturating_sub(1))
    }

    /// Trees of rows of the statement.
    fn trees(&self) -> u128 {
        if self.aux > 0 { 3 } else { 2 }
    }

    /// Bytes of the head of a proof (section 7, parts 1 to 12).
    pub fn head_length(&self, options: &Options) -> u128 {
        let nonces = Draw::all(options.folds.len()).filter(|&draw| options.work_of(draw) > 0).count();
        let digests = self.trees() + options.layers() as u128;
        let elements = self.out_of_domain(options) as u128 + (1 << options.log_last);
        DIGEST as u128 * digests + EXT * elements + (NONCE * nonces) as u128
    }

    /// The most bytes of a proof (section 9, step 3): head and a path of its own for each query in each tree.
    pub fn most(&self, options: &Options) -> u128 {
        let extension = self.aux as u128 + self.parts as u128 + options.mask_words() as u128;
        let of_row = BASE * (self.main as u128 + options.salts() as u128 * self.trees()) + EXT * extension;
        let mut log_points = options.lde_domain(self.log_rows).log_size;
        let mut of_query = 0;
        for (layer, &step) in options.folds.iter().enumerate() {
            log_points -= step;
            let path = DIGEST as u128 * u128::from(log_points);
            of_query += match layer {
                0 => (of_row << step) + path * self.trees(),
                _ => EXT * ((1 << step) - 1) + path,
            };
        }
        self.head_length(options).saturating_add(of_query.saturating_mul(options.queries.into()))
    }

    /// Checks that a proof can have `found` bytes, which bounds all time and memory that it takes to verify it. The
    /// options were checked for the statement.
    ///
    /// # Errors
    /// [`DecodeErrorKind::Length`].
    pub fn check_length(&self, options: &Options, found: usize) -> Result<()> {
        let (least, most) = (self.head_length(options), self.most(options));
        if (least..=most).contains(&(found as u128)) {
            return Ok(());
        }
        Err(DecodeError { offset: 0, kind: DecodeErrorKind::Length { least, most, found } })
    }
}
