//! The parts that options of every format have, by one name.

use gpu_hal::HashFn;

use crate::Draw;
use crate::file_options::AnyOptions;

proof_format::named! {
    /// The formats by their names.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum FormatName {
        /// [`crate::Format::Lambdaworks`]: proofs as lambdaworks' prover makes them.
        Lambdaworks = "lambdaworks",
        /// [`crate::compact`]: shorter ones.
        Compact = "compact",
    }
    parse "no format '{}' of this protocol: {}"
}

impl AnyOptions {
    /// Their format.
    pub const fn format(&self) -> FormatName {
        match self {
            Self::Lambdaworks(_) => FormatName::Lambdaworks,
            Self::Compact(_) => FormatName::Compact,
        }
    }

    /// The name of their suite, which says the hash functions and the format.
    pub fn suite(&self) -> &'static str {
        match self {
            Self::Lambdaworks(options) => options.suite.name(),
            Self::Compact(options) => options.suite.name(),
        }
    }

    /// LDE points per trace row.
    pub const fn blowup(&self) -> u32 {
        match self {
            Self::Lambdaworks(options) => options.blowup,
            Self::Compact(options) => options.blowup,
        }
    }

    /// Number of queries.
    pub const fn queries(&self) -> u32 {
        match self {
            Self::Lambdaworks(options) => options.queries,
            Self::Compact(options) => options.queries,
        }
    }

    /// Bits of the proof of work before the queries.
    pub fn grinding(&self) -> u32 {
        match self {
            Self::Lambdaworks(options) => options.grinding,
            Self::Compact(options) => options.work_of(Draw::Queries),
        }
    }

    /// First point of the LDE domain.
    pub const fn coset_offset(&self) -> u64 {
        match self {
            Self::Lambdaworks(options) => options.coset_offset,
            Self::Compact(options) => options.coset_offset,
        }
    }

    /// The hash function of the trees.
    pub const fn tree(&self) -> HashFn {
        match self {
            Self::Lambdaworks(options) => options.suite.tree(),
            Self::Compact(options) => options.suite.tree(),
        }
    }
}
