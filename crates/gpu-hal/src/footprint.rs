//! The memory that things take of a device, asked before there are any: the parts of a plan.

use alloc::vec::Vec;
use core::convert::Infallible;

use crate::{
    BaseOf, Basis, Columns, Combination, DeepTerm, DeviceTree, Digest, DomainOf, HashFn, Leaves, OpenRequest,
    RowProgram, RunningForm, Types,
};

/// A table without its elements.
pub type Shape = Columns<()>;

/// The shapes of some tables.
pub fn shapes<Buf>(tables: &[Columns<Buf>]) -> Vec<Shape> {
    tables.iter().map(Columns::shape).collect()
}

/// A thing that takes memory, for [`crate::StarkBackend::footprint`]. The first three stay as long as their owner; the
/// others are the memory of an operation beside its arguments and its result, for as long as it runs.
pub enum Footprint<'a, T: Types> {
    /// Tables that the backend makes once and keeps for all statements, whether it has made them already or not.
    Kept {
        /// Log2 of the points of the largest domain of a statement, or of the domain that it is part of.
        log_domain: u32,
    },
    /// A table.
    Table(Shape),
    /// A tree.
    Tree {
        /// Log2 of the number of leaves.
        log_leaves: u32,
    },
    /// [`crate::StarkBackend::merkle`].
    Merkle {
        /// The tables.
        tables: &'a [Shape],
        /// How rows become leaves.
        leaves: Leaves,
        /// The hash function.
        hash: HashFn,
    },
    /// [`crate::StarkBackend::ntt`].
    Ntt {
        /// The table to transform.
        table: Shape,
        /// The meaning of its elements.
        from: Basis<DomainOf<T>>,
        /// The meaning of the result's elements.
        to: Basis<DomainOf<T>>,
    },
    /// [`crate::StarkBackend::lde`].
    Lde {
        /// The table to extend.
        table: Shape,
        /// The meaning of its elements.
        from: Basis<DomainOf<T>>,
    },
    /// [`crate::StarkBackend::upload_lde`].
    UploadLde {
        /// The table to upload.
        table: Shape,
        /// The meaning of its elements.
        from: Basis<DomainOf<T>>,
        /// Whether it is kept; if not, its memory meanwhile counts here.
        keep: bool,
    },
    /// One request of [`crate::StarkBackend::running`].
    Running {
        /// The prepared program.
        program: &'a T::Program,
        /// One for each group of the program.
        tables: &'a [Shape],
        /// Log2 of the number of rows.
        log_height: u32,
        /// The columns to build.
        form: RunningForm<'a>,
        /// Totals of all requests of the call.
        totals: usize,
    },
    /// [`crate::StarkBackend::recurrence`].
    Recurrence {
        /// Coefficients of the recurrence.
        order: usize,
        /// How often it starts, the first rows included.
        starts: usize,
        /// Log2 of the number of rows.
        log_height: u32,
    },
    /// [`crate::StarkBackend::map`].
    Map {
        /// The prepared program.
        program: &'a T::Program,
        /// One for each group of the program.
        tables: &'a [Shape],
        /// Log2 of the number of rows.
        log_height: u32,
        /// The columns to build.
        outputs: &'a [usize],
    },
    /// [`crate::StarkBackend::tree_map`].
    TreeMap {
        /// The prepared program of the leaves.
        leaf: &'a T::Program,
        /// The program of the other rows.
        node: &'a T::Program,
        /// One for each group of the leaves' program.
        tables: &'a [Shape],
        /// Log2 of the number of rows.
        log_height: u32,
        /// How many columns are built.
        width: usize,
    },
    /// One request of [`crate::StarkBackend::sum`], or of [`crate::StarkBackend::bind_sum`], of bound polynomials.
    Sum {
        /// The prepared program.
        program: &'a T::Program,
        /// One for each group of the program.
        tables: &'a [Shape],
        /// Variables of the polynomials, the first included.
        variables: u32,
        /// The outputs that are summed.
        outputs: &'a [usize],
        /// Sums of all requests of the call.
        sums: usize,
    },
    /// [`crate::StarkBackend::rows`].
    Rows {
        /// The program.
        program: &'a RowProgram<BaseOf<T>>,
        /// The parts of the source.
        source: &'a [Shape],
        /// The tables that are read.
        tables: &'a [Shape],
        /// Elements of all counters.
        counted: usize,
        /// Log2 of the number of rows.
        log_height: u32,
    },
    /// One request of [`crate::StarkBackend::constraint_eval`].
    ConstraintEval {
        /// The prepared program.
        program: &'a T::Program,
        /// One for each group of the program.
        tables: &'a [Shape],
        /// Log2 of the number of points.
        log_eval: u32,
        /// The combination to add up; weights do not matter.
        combination: &'a Combination<T::P>,
    },
    /// One request of [`crate::StarkBackend::eval_at`].
    EvalAt {
        /// The table.
        table: Shape,
        /// Log2 of the size of the domain.
        log_size: u32,
        /// How many points.
        points: usize,
        /// Values of all requests of the call.
        values: usize,
    },
    /// [`crate::StarkBackend::deep_quotient`].
    DeepQuotient {
        /// The tables.
        tables: &'a [Shape],
        /// How much lower they are than the tables that they are cut from ([`crate::Operations::deep_quotient`]).
        log_cut: u32,
        /// Where the quotient is evaluated.
        domain: DomainOf<T>,
        /// The terms to add up; only tables and columns of the weights matter.
        terms: &'a [DeepTerm<T::P>],
    },
    /// [`crate::StarkBackend::open`].
    Open {
        /// Numbers of rows and leaves, over all requests.
        numbers: usize,
        /// Base elements of all rows.
        elements: usize,
        /// Digests of all paths.
        digests: usize,
        /// For each request that asks for paths: the tables, and log2 of the leaves of the tree.
        trees: &'a [(Vec<Shape>, u32)],
    },
    /// One request of [`crate::PlacementOperations::open_stored`].
    OpenStored {
        /// How many rows.
        rows: usize,
        /// How many paths.
        leaves: usize,
        /// The tables.
        tables: &'a [Shape],
        /// Log2 of the leaves of the tree.
        log_leaves: u32,
    },
    /// [`crate::StarkBackend::grind`].
    Grind {
        /// Difficulty in bits.
        bits: u32,
    },
}

impl<T: Types> Footprint<'_, T> {
    /// Bytes of a table's elements, one that is uploaded and not kept included, and of all digests of a tree; nothing
    /// for the rest.
    pub fn plain(&self) -> u64 {
        match self {
            Self::Table(table) | Self::UploadLde { table, keep: false, .. } => {
                (size_of::<BaseOf<T>>() as u64 * table.width as u64) << table.log_height
            }
            Self::Tree { log_leaves } => ((2 << log_leaves) - 1) * size_of::<Digest>() as u64,
            _ => 0,
        }
    }

    /// The same thing of other types, whose program stands for this one's: for backends around others.
    pub fn with_program<U: Types<P = T::P>>(
        &self,
        of: impl for<'p> Fn(&'p T::Program) -> &'p U::Program,
    ) -> Footprint<'_, U> {
        match self.try_with_program::<U, Infallible>(|program| Ok(of(program))) {
            Ok(footprint) => footprint,
        }
    }

    /// [`Self::with_program`] where a program may have none that stands for it.
    ///
    /// # Errors
    /// The error of `of`.
    pub fn try_with_program<U: Types<P = T::P>, E>(
        &self,
        of: impl for<'p> Fn(&'p T::Program) -> Result<&'p U::Program, E>,
    ) -> Result<Footprint<'_, U>, E> {
        Ok(match *self {
            Self::Kept { log_domain } => Footprint::Kept { log_domain },
            Self::Table(table) => Footprint::Table(table),
            Self::Tree { log_leaves } => Footprint::Tree { log_leaves },
            Self::Merkle { tables, leaves, hash } => Footprint::Merkle { tables, leaves, hash },
            Self::Ntt { table, from, to } => Footprint::Ntt { table, from, to },
            Self::Lde { table, from } => Footprint::Lde { table, from },
            Self::UploadLde { table, from, keep } => Footprint::UploadLde { table, from, keep },
            Self::Running { program, tables, log_height, form, totals } => {
                Footprint::Running { program: of(program)?, tables, log_height, form, totals }
            }
            Self::Recurrence { order, starts, log_height } => Footprint::Recurrence { order, starts, log_height },
            Self::Map { program, tables, log_height, outputs } => {
                Footprint::Map { program: of(program)?, tables, log_height, outputs }
            }
            Self::TreeMap { leaf, node, tables, log_height, width } => {
                Footprint::TreeMap { leaf: of(leaf)?, node: of(node)?, tables, log_height, width }
            }
            Self::Sum { program, tables, variables, outputs, sums } => {
                Footprint::Sum { program: of(program)?, tables, variables, outputs, sums }
            }
            Self::Rows { program, source, tables, counted, log_height } => {
                Footprint::Rows { program, source, tables, counted, log_height }
            }
            Self::ConstraintEval { program, tables, log_eval, combination } => {
                Footprint::ConstraintEval { program: of(program)?, tables, log_eval, combination }
            }
            Self::EvalAt { table, log_size, points, values } => Footprint::EvalAt { table, log_size, points, values },
            Self::DeepQuotient { tables, log_cut, domain, terms } => {
                Footprint::DeepQuotient { tables, log_cut, domain, terms }
            }
            Self::Open { numbers, elements, digests, trees } => Footprint::Open { numbers, elements, digests, trees },
            Self::OpenStored { rows, leaves, tables, log_leaves } => {
                Footprint::OpenStored { rows, leaves, tables, log_leaves }
            }
            Self::Grind { bits } => Footprint::Grind { bits },
        })
    }
}

/// The openings of requests, from which [`Footprint::Open`] is made.
pub struct OpenSizes {
    numbers: usize,
    elements: usize,
    digests: usize,
    trees: Vec<(Vec<Shape>, u32)>,
}

impl OpenSizes {
    /// The openings of all requests of a call.
    pub fn of<T: Types>(requests: &[OpenRequest<'_, T>]) -> Self {
        let log_leaves = |request: &OpenRequest<'_, T>| request.tree.log_leaves();
        let with_paths = requests.iter().filter(|request| !request.leaves.is_empty());
        Self {
            numbers: requests.iter().map(|request| request.rows.len() + request.leaves.len()).sum(),
            elements: requests.iter().map(|request| request.rows.len() * request.width()).sum(),
            digests: requests.iter().map(|request| request.leaves.len() * log_leaves(request) as usize).sum(),
            trees: with_paths.map(|request| (shapes(request.columns), log_leaves(request))).collect(),
        }
    }

    /// The footprint of the call.
    pub fn footprint<T: Types>(&self) -> Footprint<'_, T> {
        let Self { numbers, elements, digests, ref trees } = *self;
        Footprint::Open { numbers, elements, digests, trees }
    }
}
