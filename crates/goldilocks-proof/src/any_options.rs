//! Options of every format, and the parts that they all have.

use gpu_hal::HashFn;

use crate::{Draw, Format, compact, lambdaworks};

/// Options of any format.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnyOptions {
    /// Options of lambdaworks' format.
    Lambdaworks(lambdaworks::Options),
    /// Options of the compact format.
    Compact(compact::Options),
}

impl AnyOptions {
    /// The default options of a format for a trace of `rows` rows.
    pub fn for_rows(format: Format, rows: u64) -> Self {
        match format {
            Format::Lambdaworks => lambdaworks::Options::for_rows(rows).into(),
            Format::Compact => compact::Options::for_rows(rows).into(),
        }
    }
}

impl From<lambdaworks::Options> for AnyOptions {
    fn from(options: lambdaworks::Options) -> Self {
        Self::Lambdaworks(options)
    }
}

impl From<compact::Options> for AnyOptions {
    fn from(options: compact::Options) -> Self {
        Self::Compact(options)
    }
}

impl AnyOptions {
    /// Their format.
    pub const fn format(&self) -> Format {
        match self {
            Self::Lambdaworks(_) => Format::Lambdaworks,
            Self::Compact(_) => Format::Compact,
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
