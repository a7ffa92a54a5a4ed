//! The run of a Cairo program that is to be proven.

use std::sync::Arc;

use cairo::Version;
use cairo::preprocessed::Variant;
use cairo::prove::CairoProver;
use cairo::witness::smallest_variant;
use cairo_run::{Loaded, Run};
use circle_proof::{CircleOptions, Policy, SecurityKind, Suite};
use gpu_hal::CircleStark;
use prover_core::circle::{GivenColumns, Keep, PreprocessedTrace};

use crate::devices::backend::AnyBackend;
use crate::error::Error;

/// The options of the reference's tool: a blowup factor of 2, 70 queries, 26 bits of work.
pub const CAIRO_OPTIONS: CircleOptions = CircleOptions {
    pow_bits: 26,
    log_blowup: 1,
    queries: 70,
    fold_step: 1,
    log_last: 0,
    lifting: None,
    suite: Suite::Blake2s,
};

/// A run that is to be proven.
#[derive(Clone, Copy, Debug)]
pub struct CairoRequest<'a> {
    /// The run, as [`Loaded::run`] has it: of a program that ran here, or of a file ([`cairo_run::read_prover_input`]).
    pub input: &'a Run,
    /// The variant of the preprocessed columns.
    pub variant: Variant,
    /// The options of the proof.
    pub options: CircleOptions,
    /// The number that is mixed into the transcript first, below 2^31 - 1; the reference's is 0. Another one gives
    /// another proof of the same run.
    pub salt: u32,
    /// Whether the proof samples all preprocessed columns, as verifiers in circuits take it, and not those alone that a
    /// component reads: the reference's `include_all_preprocessed_columns`. A run that is shorter than the longest
    /// column needs a lifting to that column's height then.
    pub samples_all: bool,
    /// The figure of security that is asked for, which the verification reports beside the others. The proof is the
    /// same.
    pub kind: SecurityKind,
    /// Data that the proof keeps on the device; `None` for as much as its memory allows. The proof is the same.
    pub keep: Option<Keep>,
}

impl<'a> CairoRequest<'a> {
    /// A run with the smallest variant of the preprocessed columns that holds it, and the options of the reference's
    /// tool.
    ///
    /// # Errors
    /// [`super::CairoError::Refusal`] if no variant holds it.
    pub fn new(loaded: &'a Loaded) -> Result<Self, Error> {
        let input = &loaded.run;
        let variant = smallest_variant::<Version>(input)?;
        Ok(Self::of(input, variant, CAIRO_OPTIONS))
    }

    /// A run with these preprocessed columns and options, and the other parameters of the reference's tool.
    pub fn of(input: &'a Run, variant: Variant, options: CircleOptions) -> Self {
        Self { input, variant, options, salt: 0, samples_all: false, kind: Policy::ANY.kind, keep: None }
    }

    /// The prover of the run, which keeps the requested columns, with preprocessed columns that are there already or
    /// with new ones.
    pub(super) fn prover(
        &self,
        backend: &Arc<AnyBackend<CircleStark>>,
        columns: Option<GivenColumns<AnyBackend<CircleStark>>>,
    ) -> Result<Prover<'a>, Error> {
        let Self { input, variant, options, salt, samples_all, keep, .. } = *self;
        let prover = CairoProver::with_columns(backend.clone(), input, variant, &options, salt, samples_all, columns)?;
        Ok(match keep {
            Some(keep) => prover.keeping(keep)?,
            None => prover,
        })
    }
}

/// The prover of a run.
pub(super) type Prover<'a> = CairoProver<Version, AnyBackend<CircleStark>, &'a Run>;

/// Preprocessed columns on a device.
pub(super) type Columns = Arc<PreprocessedTrace<AnyBackend<CircleStark>>>;
