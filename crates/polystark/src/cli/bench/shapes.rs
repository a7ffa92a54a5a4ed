//! The named sizes of `bench ops`.

use std::collections::BTreeMap;

use clap::ValueEnum;
use polystark::hal::Operation;
use polystark::{HashFn, Request};

use super::work::{DEGREE, DIGEST, ELEMENT};

/// How large the operations are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Size {
    /// A 256th of the full sizes
    Small,
    /// Sizes of large proofs: 2^24 leaves, 2^28 elements
    Full,
}

/// Log2 of the blowup of extensions, and of the domains of constraints over their traces.
pub(super) const LOG_BLOWUP: u32 = 2;
/// Points of `eval_at` and of the DEEP quotient.
pub(super) const POINTS: usize = 2;
/// Queries of `open`, the default of a proof.
pub(super) const QUERIES: usize = 41;
/// Parts of `split`.
pub(super) const PARTS: usize = 2;

/// An AIR whose constraints are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Example {
    FibonacciRap,
    /// 64 columns, degree 3.
    Wide,
}

/// Columns and degree of [`Example::Wide`].
const WIDE: [(&str, u64); 2] = [("width", 64), ("degree", 3)];

impl Example {
    const fn name(self) -> &'static str {
        match self {
            Self::FibonacciRap => "fibonacci-rap",
            Self::Wide => "wide",
        }
    }

    /// With `2^log` rows.
    pub(super) fn request(self, log: u32) -> Request {
        let parameters: BTreeMap<String, u64> = match self {
            Self::FibonacciRap => BTreeMap::new(),
            Self::Wide => WIDE.map(|(name, value)| (name.to_owned(), value)).into(),
        };
        Request { parameters, ..Request::new(self.name(), 1 << log) }
    }
}

/// An operation with the size of its arguments; `log` is log2 of the rows of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Upload {
        width: u64,
        log: u32,
    },
    Download {
        width: u64,
        log: u32,
    },
    Sync,
    /// Between coefficients and storage order.
    Ntt {
        width: u64,
        log: u32,
        inverse: bool,
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
    Prepare,
    /// The running column of fibonacci-rap.
    Running {
        log: u32,
    },
    /// The same column as one of fractions.
    Logup {
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
    /// A product of what two children hand up, and its square, which goes up.
    TreeMap {
        log: u32,
    },
    Accumulate {
        width: u64,
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
    Fold {
        log: u32,
    },
    Grind {
        bits: u32,
    },
}

/// Log2 of the ratio of full and small sizes.
const LOG_SMALL: u32 = 8;

impl Shape {
    /// Every operation of the trait at a size.
    pub(super) fn all(size: Size) -> Vec<Self> {
        let full = [
            Self::Upload { width: 64, log: 20 },
            Self::Download { width: 64, log: 20 },
            Self::Sync,
            Self::Ntt { width: 16, log: 24, inverse: false },
            Self::Ntt { width: 16, log: 24, inverse: true },
            Self::Ntt { width: 256, log: 20, inverse: false },
            Self::Lde { width: 64, log: 20, from_rows: false },
            Self::Lde { width: 64, log: 20, from_rows: true },
            Self::UploadLde { width: 64, log: 20 },
            Self::Split { log: 22 },
            Self::Select { width: 64, log: 20 },
            Self::Merkle { hash: HashFn::Keccak256, width: 8, log: 24 },
            Self::Merkle { hash: HashFn::Poseidon2, width: 8, log: 24 },
            Self::Root { log: 20 },
            Self::Open { width: 8, log: 20 },
            Self::Prepare,
            Self::Running { log: 22 },
            Self::Logup { log: 22 },
            Self::Recurrence { log: 24 },
            Self::Map { log: 24 },
            Self::TreeMap { log: 24 },
            Self::Accumulate { width: 64, log: 20 },
            Self::Constraints { example: Example::FibonacciRap, log: 22 },
            Self::Constraints { example: Example::Wide, log: 20 },
            Self::EvalAt { width: 64, log: 20 },
            Self::Deep { width: 64, log: 22 },
            Self::Fold { log: 24 },
            Self::Grind { bits: 24 },
        ];
        match size {
            Size::Full => full.to_vec(),
            Size::Small => full.map(|shape| shape.resized(|log| log - LOG_SMALL)).to_vec(),
        }
    }

    /// The same with another size; as it is if it has none.
    fn resized(mut self, new: impl FnOnce(u32) -> u32) -> Self {
        match &mut self {
            Self::Sync | Self::Prepare => {}
            Self::Upload { log, .. }
            | Self::Download { log, .. }
            | Self::Ntt { log, .. }
            | Self::Lde { log, .. }
            | Self::UploadLde { log, .. }
            | Self::Split { log }
            | Self::Select { log, .. }
            | Self::Merkle { log, .. }
            | Self::Root { log }
            | Self::Open { log, .. }
            | Self::Running { log }
            | Self::Logup { log }
            | Self::Recurrence { log }
            | Self::Map { log }
            | Self::TreeMap { log }
            | Self::Accumulate { log, .. }
            | Self::Constraints { log, .. }
            | Self::EvalAt { log, .. }
            | Self::Deep { log, .. }
            | Self::Fold { log }
            | Self::Grind { bits: log } => *log = new(*log),
        }
        self
    }

    /// Every shape that has rows at every size of a sweep, once.
    pub(super) fn sweep(size: Size, logs: impl Iterator<Item = u32> + Clone) -> Vec<Self> {
        let rowless = |shape: &Self| matches!(shape, Self::Sync | Self::Prepare | Self::Grind { .. });
        Self::all(size)
            .into_iter()
            .filter(|shape| !rowless(shape))
            .flat_map(|shape| logs.clone().map(move |new| shape.resized(|_| new)))
            .collect()
    }

    /// The method of the trait.
    pub(super) const fn operation(&self) -> Operation {
        match self {
            Self::Upload { .. } => Operation::Upload,
            Self::Download { .. } => Operation::Download,
            Self::Sync => Operation::Sync,
            Self::Ntt { .. } => Operation::Ntt,
            Self::Lde { .. } => Operation::Lde,
            Self::UploadLde { .. } => Operation::UploadLde,
            Self::Split { .. } => Operation::Split,
            Self::Select { .. } => Operation::Select,
            Self::Merkle { .. } => Operation::Merkle,
            Self::Root { .. } => Operation::Root,
            Self::Open { .. } => Operation::Open,
            Self::Prepare => Operation::Prepare,
            Self::Running { .. } => Operation::Running,
            Self::Logup { .. } => Operation::Logup,
            Self::Recurrence { .. } => Operation::Recurrence,
            Self::Map { .. } => Operation::Map,
            Self::TreeMap { .. } => Operation::TreeMap,
            Self::Accumulate { .. } => Operation::Accumulate,
            Self::Constraints { .. } => Operation::ConstraintEval,
            Self::EvalAt { .. } => Operation::EvalAt,
            Self::Deep { .. } => Operation::DeepQuotient,
            Self::Fold { .. } => Operation::FriFold,
            Self::Grind { .. } => Operation::Grind,
        }
    }

    /// What it is but for its size.
    pub(super) fn series(&self) -> String {
        let name = self.operation().name();
        match self {
            Self::Sync | Self::Root { .. } | Self::Fold { .. } | Self::Grind { .. } => name.to_owned(),
            Self::Upload { width, .. }
            | Self::Download { width, .. }
            | Self::Select { width, .. }
            | Self::Accumulate { width, .. } => {
                format!("{name} x {width}")
            }
            Self::Ntt { width, inverse, .. } => format!("{name} x {width}{}", if *inverse { ", inverse" } else { "" }),
            Self::Lde { width, from_rows, .. } => {
                let from = if *from_rows { "rows" } else { "coefficients" };
                format!("{name} by {} x {width}, from {from}", 1 << LOG_BLOWUP)
            }
            Self::UploadLde { width, .. } => format!("{name} by {} x {width}, from rows", 1 << LOG_BLOWUP),
            Self::Split { .. } => format!("{name} into {PARTS}"),
            Self::Merkle { hash, width, .. } => format!("{name} {hash} x {width}"),
            Self::Open { width, .. } => format!("{name} {QUERIES} of x {width}"),
            Self::Prepare => format!("{name} wide"),
            Self::Running { .. } | Self::Logup { .. } => format!("{name} fibonacci-rap"),
            Self::Recurrence { .. } => format!("{name} of order 2"),
            Self::Map { .. } | Self::TreeMap { .. } => format!("{name} to 2"),
            Self::Constraints { example, .. } => format!("{name} {}", example.name()),
            Self::EvalAt { width, .. } | Self::Deep { width, .. } => format!("{name} x {width}, {POINTS} points"),
        }
    }

    /// Log2 of the rows of the input; `None` if it has none.
    pub(super) const fn log(&self) -> Option<u32> {
        match *self {
            Self::Sync | Self::Prepare | Self::Grind { .. } => None,
            Self::Upload { log, .. }
            | Self::Download { log, .. }
            | Self::Ntt { log, .. }
            | Self::Lde { log, .. }
            | Self::UploadLde { log, .. }
            | Self::Split { log }
            | Self::Select { log, .. }
            | Self::Merkle { log, .. }
            | Self::Root { log }
            | Self::Open { log, .. }
            | Self::Running { log }
            | Self::Logup { log }
            | Self::Recurrence { log }
            | Self::Map { log }
            | Self::TreeMap { log }
            | Self::Accumulate { log, .. }
            | Self::Constraints { log, .. }
            | Self::EvalAt { log, .. }
            | Self::Deep { log, .. }
            | Self::Fold { log } => Some(log),
        }
    }

    /// With its size.
    pub(super) fn name(&self) -> String {
        match (self, self.log()) {
            (Self::Grind { bits }, _) => format!("{} {bits} bits", self.series()),
            (_, Some(log)) => format!("{} 2^{log}", self.series()),
            (_, None) => self.series(),
        }
    }

    /// Bytes of tables and trees that must fit at once, the making of the inputs included.
    pub(super) fn memory(&self) -> u64 {
        let table = |width: u64, log: u32| (width << log).saturating_mul(ELEMENT);
        let tree = |log: u32| DIGEST << (log + 1);
        match *self {
            Self::Sync | Self::Prepare | Self::Grind { .. } => 0,
            Self::Upload { width, log } | Self::Download { width, log } => table(width, log),
            Self::Ntt { width, log, .. } => table(width + super::inputs::SEEDS.min(width), log),
            Self::Lde { width, log, from_rows } => {
                table(width, log) + table(width, log + LOG_BLOWUP) + if from_rows { table(width, log) } else { 0 }
            }
            Self::UploadLde { width, log } => 2 * table(width, log) + table(width, log + LOG_BLOWUP),
            Self::Split { log } => 2 * table(DEGREE, log),
            Self::Select { width, log } | Self::Accumulate { width, log } => 2 * table(width, log),
            Self::Merkle { width, log, .. } | Self::Open { width, log } => {
                table(width + super::inputs::SEEDS.min(width), log) + tree(log)
            }
            Self::Root { log } => table(1, log) + tree(log),
            // Inputs, numerators and denominators, result.
            Self::Running { log } | Self::Logup { log } => table(2 + 3 * DEGREE, log),
            Self::Recurrence { log } => table(1, log),
            // Inputs, results; and what goes up.
            Self::Map { log } | Self::TreeMap { log } => table(4, log),
            // Main columns, an auxiliary one, multipliers, result; at most.
            Self::Constraints { example: Example::FibonacciRap, log } => {
                table(2 + DEGREE + 3 + DEGREE, log + LOG_BLOWUP)
            }
            Self::Constraints { example: Example::Wide, log } => table(64 + 2 + DEGREE, log + LOG_BLOWUP),
            Self::EvalAt { width, log } => table(width + super::inputs::SEEDS.min(width), log) + table(DEGREE, log),
            Self::Deep { width, log } => table(width + super::inputs::SEEDS.min(width) + DEGREE, log),
            Self::Fold { log } => table(2 * DEGREE, log),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_operation_has_a_size_and_a_name_of_its_own() {
        for size in [Size::Small, Size::Full] {
            let all = Shape::all(size);
            let operations: BTreeSet<Operation> = all.iter().map(Shape::operation).collect();
            assert_eq!(operations.len(), Operation::ALL.len());
            assert_eq!(all.iter().map(Shape::name).collect::<BTreeSet<_>>().len(), all.len());
        }
        let swept = Shape::sweep(Size::Small, 4..=5);
        assert!(swept.iter().all(|shape| matches!(shape.log(), Some(4 | 5))));
        assert_eq!(swept.iter().map(Shape::name).collect::<BTreeSet<_>>().len(), swept.len());
    }
}
