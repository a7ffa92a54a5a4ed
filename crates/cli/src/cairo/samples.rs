//! The preprocessed columns that a proof samples, as an argument.

use clap::{Args, ValueEnum};

/// The preprocessed columns that a proof samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Samples {
    /// The columns that a component of the run reads
    Read,
    /// All columns
    All,
}

impl Samples {
    /// All columns, or those alone that are read.
    pub(crate) fn of(all: bool) -> Self {
        if all { Self::All } else { Self::Read }
    }
}

/// The preprocessed columns that a proof samples.
#[derive(Args)]
pub(crate) struct SampleArguments {
    /// The preprocessed columns that a proof samples: those that a component of the run reads, or all, as verifiers in
    /// circuits take it; a run that is shorter than a column needs a lifting then. A verifier takes no others than it
    /// is told
    #[arg(long, value_enum, value_name = "read|all", default_value_t = Samples::Read)]
    preprocessed_samples: Samples,
}

impl SampleArguments {
    /// Whether all are sampled.
    pub(crate) fn all(&self) -> bool {
        self.preprocessed_samples == Samples::All
    }
}
