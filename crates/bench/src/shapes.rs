//! The named sizes of `bench ops`.

use clap::ValueEnum;
use gpu_hal::{Digest, HashFn, Operation, Protocol};

/// How large the operations are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Size {
    /// The largest up to the full sizes that the device's memory holds and, all together, a processor measures in a
    /// minute
    Auto,
    /// A 256th of the full sizes
    Small,
    /// Sizes of large proofs: 2^24 leaves, 2^28 elements
    Full,
}

/// Different columns of an input; wider ones repeat them. The content of a column does not matter to the time.
pub(crate) const SEEDS: u64 = 4;
/// Log2 of the blowup of extensions, and of the domains of constraints over their traces.
pub(crate) const LOG_BLOWUP: u32 = 2;
/// Points of `eval_at` and of the DEEP quotient.
pub(crate) const POINTS: usize = 2;
/// Queries of `open`, the default of a proof.
pub(crate) const QUERIES: usize = 41;
/// Parts of `split`.
pub(crate) const PARTS: usize = 2;

/// An AIR whose constraints are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [(&'static str, u64)],
    /// Base columns on the extended domain, the result included, at most.
    pub(crate) width: u64,
}

/// An operation with the size of its arguments; `log` is log2 of the rows of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Upload {
        width: u64,
        log: u32,
    },
    Download {
        width: u64,
        log: u32,
    },
    /// On the same device.
    CopyTo {
        width: u64,
        log: u32,
    },
    Sync,
    /// Between coefficients and storage order, on the domain of the rows (for Goldilocks the subgroup) or on one of an
    /// extension.
    Ntt {
        width: u64,
        log: u32,
        inverse: bool,
        on_rows: bool,
    },
    /// By `2^LOG_BLOWUP`, from coefficients or from rows.
    Lde {
        width: u64,
        log: u32,
        from_rows: bool,
    },
    /// From rows.
    UploadLde {
        width: u64,
        log: u32,
    },
    /// One extension column into [`PARTS`].
    Split {
        log: u32,
    },
    Select {
        width: u64,
        log: u32,
    },
    /// One row a leaf.
    Merkle {
        hash: HashFn,
        width: u64,
        log: u32,
    },
    Root {
        log: u32,
    },
    /// Rows and paths of [`QUERIES`] queries.
    Open {
        width: u64,
        log: u32,
    },
    /// The program of an example.
    Prepare {
        example: Example,
    },
    /// Running columns over the fractions that the protocol has for it.
    Running {
        ratio: &'static str,
        /// The same fractions as columns of lookups.
        is_logup: bool,
        log: u32,
    },
    /// The Fibonacci sequence.
    Recurrence {
        log: u32,
    },
    /// Two products of columns.
    Map {
        log: u32,
    },
    /// A product of the values that two children hand up, and its square, which goes up.
    TreeMap {
        log: u32,
    },
    /// Limbs of two values that are read by index, their product, and counts of the limbs.
    Rows {
        log: u32,
    },
    Accumulate {
        width: u64,
        log: u32,
    },
    /// All rows.
    Random {
        width: u64,
        log: u32,
    },
    /// Two extension columns.
    Bind {
        log: u32,
    },
    /// The products of two columns whose first variable is 0 and 2; weights by halves.
    Sum {
        log: u32,
    },
    /// The same of columns whose first variable is bound before.
    BindSum {
        log: u32,
    },
    /// On the domain that a proof takes; `log` is of the trace.
    Constraints {
        example: Example,
        log: u32,
    },
    /// From rows.
    EvalAt {
        width: u64,
        log: u32,
    },
    /// Every column at every point.
    Deep {
        width: u64,
        log: u32,
    },
    /// From the domain of the quotient or, on a circle, from a line.
    Fold {
        log: u32,
        on_line: bool,
    },
    Grind {
        bits: u32,
    },
}

/// Operations that every protocol measures at the same size.
const SHARED: [Shape; 9] = [
    Shape::Accumulate { width: 64, log: 20 },
    Shape::Random { width: 1, log: 24 },
    Shape::Recurrence { log: 24 },
    Shape::Map { log: 24 },
    Shape::TreeMap { log: 24 },
    Shape::Rows { log: 20 },
    Shape::Bind { log: 24 },
    Shape::Sum { log: 24 },
    Shape::BindSum { log: 24 },
];

/// Columns of [`Shape::Rows`]: the limbs of two factors of 28 and their product.
pub(crate) const PRODUCT_COLUMNS: u64 = 28 + 28 + 55;
/// Columns, of 27 bits each, and log2 of the rows of the table that it reads.
pub(crate) const PRODUCT_TABLE: (u64, u32) = (10, 16);
/// Log2 of the places of its counter: pairs of limbs of 9 bits.
pub(crate) const LOG_PAIRS: u32 = 18;

/// Log2 of the ratio of full and small sizes.
const LOG_SMALL: u32 = 8;

impl Shape {
    /// The operations at their full sizes: a protocol's own, and the ones that both measure.
    fn all(of_protocol: &[Self]) -> Vec<Self> {
        [of_protocol, &SHARED].concat()
    }

    /// The same at another size.
    pub(crate) fn sized(of_protocol: &[Self], size: Size) -> Vec<Self> {
        let all = Self::all(of_protocol);
        match size {
            Size::Auto | Size::Full => all,
            Size::Small => all.into_iter().map(|shape| shape.resized(|log| log - LOG_SMALL)).collect(),
        }
    }

    /// The same with another size; as it is if it has none.
    pub(crate) fn resized(mut self, new: impl FnOnce(u32) -> u32) -> Self {
        if let Some(size) = self.size_mut() {
            *size = new(*size);
        }
        self
    }

    /// Log2 of the rows of the input, or of the nonces that are tried; `None` if neither is there.
    fn size_mut(&mut self) -> Option<&mut u32> {
        match self {
            Self::Sync | Self::Prepare { .. } => None,
            Self::Upload { log, .. }
            | Self::Download { log, .. }
            | Self::CopyTo { log, .. }
            | Self::Ntt { log, .. }
            | Self::Lde { log, .. }
            | Self::UploadLde { log, .. }
            | Self::Split { log }
            | Self::Select { log, .. }
            | Self::Merkle { log, .. }
            | Self::Root { log }
            | Self::Open { log, .. }
            | Self::Running { log, .. }
            | Self::Recurrence { log }
            | Self::Map { log }
            | Self::TreeMap { log }
            | Self::Rows { log }
            | Self::Bind { log }
            | Self::Sum { log }
            | Self::BindSum { log }
            | Self::Accumulate { log, .. }
            | Self::Random { log, .. }
            | Self::Constraints { log, .. }
            | Self::EvalAt { log, .. }
            | Self::Deep { log, .. }
            | Self::Fold { log, .. }
            | Self::Grind { bits: log } => Some(log),
        }
    }

    /// Every shape that has rows at every size of a sweep, once.
    pub(crate) fn swept(of_protocol: &[Self], logs: impl Iterator<Item = u32> + Clone) -> Vec<Self> {
        let rowless = |shape: &Self| matches!(shape, Self::Sync | Self::Prepare { .. } | Self::Grind { .. });
        Self::all(of_protocol)
            .into_iter()
            .filter(|shape| !rowless(shape))
            .flat_map(|shape| logs.clone().map(move |new| shape.resized(|_| new)))
            .collect()
    }

    /// The method of the trait.
    pub(crate) const fn operation(&self) -> Operation {
        match self {
            Self::Upload { .. } => Operation::Upload,
            Self::Download { .. } => Operation::Download,
            Self::CopyTo { .. } => Operation::CopyTo,
            Self::Sync => Operation::Sync,
            Self::Ntt { .. } => Operation::Ntt,
            Self::Lde { .. } => Operation::Lde,
            Self::UploadLde { .. } => Operation::UploadLde,
            Self::Split { .. } => Operation::Split,
            Self::Select { .. } => Operation::Select,
            Self::Merkle { .. } => Operation::Merkle,
            Self::Root { .. } => Operation::Root,
            Self::Open { .. } => Operation::Open,
            Self::Prepare { .. } => Operation::Prepare,
            Self::Running { .. } => Operation::Running,
            Self::Recurrence { .. } => Operation::Recurrence,
            Self::Map { .. } => Operation::Map,
            Self::TreeMap { .. } => Operation::TreeMap,
            Self::Rows { .. } => Operation::Rows,
            Self::Accumulate { .. } => Operation::Accumulate,
            Self::Random { .. } => Operation::Random,
            Self::Bind { .. } => Operation::Bind,
            Self::Sum { .. } => Operation::Sum,
            Self::BindSum { .. } => Operation::BindSum,
            Self::Constraints { .. } => Operation::ConstraintEval,
            Self::EvalAt { .. } => Operation::EvalAt,
            Self::Deep { .. } => Operation::DeepQuotient,
            Self::Fold { .. } => Operation::FriFold,
            Self::Grind { .. } => Operation::Grind,
        }
    }

    /// Its description without its size.
    pub(crate) fn series(&self) -> String {
        let name = self.operation().name();
        match self {
            Self::Sync | Self::Root { .. } | Self::Grind { .. } => name.to_owned(),
            Self::Fold { on_line, .. } => format!("{name}{}", if *on_line { ", line" } else { "" }),
            Self::Upload { width, .. }
            | Self::Download { width, .. }
            | Self::CopyTo { width, .. }
            | Self::Select { width, .. }
            | Self::Accumulate { width, .. }
            | Self::Random { width, .. } => {
                format!("{name} x {width}")
            }
            Self::Ntt { width, inverse, on_rows, .. } => {
                let what = [(*inverse, ", inverse"), (*on_rows, ", on the rows")];
                let said: String = what.into_iter().filter_map(|(is, text)| is.then_some(text)).collect();
                format!("{name} x {width}{said}")
            }
            Self::Lde { width, from_rows, .. } => {
                let from = if *from_rows { "rows" } else { "coefficients" };
                format!("{name} by {} x {width}, from {from}", 1 << LOG_BLOWUP)
            }
            Self::UploadLde { width, .. } => format!("{name} by {} x {width}, from rows", 1 << LOG_BLOWUP),
            Self::Split { .. } => format!("{name} into {PARTS}"),
            Self::Merkle { hash, width, .. } => format!("{name} {hash} x {width}"),
            Self::Open { width, .. } => format!("{name} {QUERIES} of x {width}"),
            Self::Prepare { example } | Self::Constraints { example, .. } => format!("{name} {}", example.name),
            Self::Running { ratio, is_logup, .. } => {
                format!("{name} {ratio}{}", if *is_logup { ", as lookups" } else { "" })
            }
            Self::Recurrence { .. } => format!("{name} of order 2"),
            Self::Map { .. } | Self::TreeMap { .. } => format!("{name} to 2"),
            Self::Rows { .. } => format!("{name} of a product of limbs"),
            Self::Bind { .. } => format!("{name} x 2"),
            Self::Sum { .. } | Self::BindSum { .. } => format!("{name} of products at 2 places"),
            Self::EvalAt { width, .. } | Self::Deep { width, .. } => format!("{name} x {width}, {POINTS} points"),
        }
    }

    /// Log2 of the rows of the input; `None` if it has none.
    pub(crate) fn log(mut self) -> Option<u32> {
        match self {
            Self::Grind { .. } => None,
            _ => self.size_mut().copied(),
        }
    }

    /// With its size.
    pub(crate) fn name(&self) -> String {
        match (self, self.log()) {
            (Self::Grind { bits }, _) => format!("{} {bits} bits", self.series()),
            (_, Some(log)) => format!("{} 2^{log}", self.series()),
            (_, None) => self.series(),
        }
    }

    /// Bytes of tables and trees that must fit at once, the making of the inputs included.
    pub(crate) fn memory<P: Protocol>(&self) -> u64 {
        let degree = P::DEGREE as u64;
        let table = |width: u64, log: u32| (width << log).saturating_mul(size_of::<P::Base>() as u64);
        let seeded = |width: u64, log: u32| table(width + SEEDS.min(width), log);
        let tree = |log: u32| (size_of::<Digest>() as u64) << (log + 1);
        match *self {
            Self::Sync | Self::Prepare { .. } | Self::Grind { .. } => 0,
            Self::Upload { width, log } | Self::Download { width, log } | Self::Random { width, log } => {
                table(width, log)
            }
            Self::Ntt { width, log, .. } => seeded(width, log),
            Self::Lde { width, log, from_rows } => {
                table(width, log) + table(width, log + LOG_BLOWUP) + if from_rows { table(width, log) } else { 0 }
            }
            Self::UploadLde { width, log } => 2 * table(width, log) + table(width, log + LOG_BLOWUP),
            Self::Split { log } => 2 * table(degree, log),
            Self::CopyTo { width, log } | Self::Select { width, log } | Self::Accumulate { width, log } => {
                2 * table(width, log)
            }
            Self::Merkle { width, log, .. } | Self::Open { width, log } => seeded(width, log) + tree(log),
            Self::Root { log } => table(1, log) + tree(log),
            // Inputs, numerators and denominators, results; two columns at most.
            Self::Running { log, .. } => table(2 + 6 * degree, log),
            Self::Recurrence { log } => table(1, log),
            // Inputs, results; and the values that go up.
            Self::Map { log } | Self::TreeMap { log } => table(4, log),
            Self::Rows { log } => {
                table(PRODUCT_COLUMNS, log) + table(PRODUCT_TABLE.0, PRODUCT_TABLE.1) + table(1, LOG_PAIRS)
            }
            // The halves that are made.
            Self::Bind { log } | Self::BindSum { log } => seeded(2 * degree, log) + table(degree, log),
            Self::Sum { log } => seeded(2 * degree, log),
            Self::Constraints { example, log } => table(example.width, log + LOG_BLOWUP),
            Self::EvalAt { width, log } => seeded(width, log) + table(degree, log),
            Self::Deep { width, log } => seeded(width, log) + table(degree, log),
            Self::Fold { log, .. } => table(2 * degree, log),
        }
    }
}

#[cfg(test)]
mod tests;
