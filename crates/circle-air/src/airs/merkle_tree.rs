//! A Merkle tree of compressions, one a row: the common part of the AIRs of algebraic hashes.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Mul};

use field::{Field, M31, QM31};
use gpu_hal::LinearRecurrence;
use num_traits::One;
use stwo::core::fields::m31::BaseField;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, RelationEntry};

use super::lazy::{Lazy, goes_on_at};
use super::lookup::Lookup;
use super::sequences::{count_from, steps};
use super::{AirInfo, ParamInfo, ParamKind, ShippedAir, column, flag};
use crate::framework::base;
use crate::framework::tape::Value;
use crate::lower::row_program;
use crate::{
    AirComponent, BuildError, ColumnProgram, PreprocessedColumn, PublicCount, PublicLookup, SourceColumn, Statement,
    TableProgram, TupleKind,
};

/// Elements of a digest.
pub(super) const DIGEST: usize = 8;
/// Elements that are compressed to a digest: two digests, or as much secret data.
pub(super) const INPUT: usize = 2 * DIGEST;
/// An index and a digest.
const TUPLE: usize = 1 + DIGEST;

const IDS: [&str; 3] = ["index", "is_node", "is_inner"];

/// The values that linear layers compute with: field elements, or expressions of constraints.
pub trait Element: Clone + Add<Output = Self> + Mul<BaseField, Output = Self> + AddAssign<BaseField> {}

impl<T: Clone + Add<Output = T> + Mul<BaseField, Output = T> + AddAssign<BaseField>> Element for T {}

/// A compression of 16 elements to 8, as the columns and the constraints of a row.
pub trait Compression: Clone + fmt::Debug + Send + Sync + 'static {
    /// The description of the AIR of its trees.
    const INFO: AirInfo;
    /// The number of the family of statements.
    const FAMILY: u32;
    /// Columns besides the inputs.
    const COLUMNS: usize;

    /// The digest; hands out the columns besides the inputs, in order.
    fn compress<T: Element + Mul<Output = T>>(input: &[T; INPUT], column: impl FnMut(T)) -> [T; DIGEST];

    /// The digest, with constraints on the columns that [`Self::compress`] hands out, of degree 3 at most.
    fn constrain<E: EvalAtRow>(eval: &mut E, input: &[E::F; INPUT]) -> [E::F; DIGEST];
}

/// The description of the AIR of a compression's trees.
pub(super) const fn info(name: &'static str, summary: &'static str) -> AirInfo {
    const PARAMS: &[ParamInfo] = &[ParamInfo {
        name: "s",
        summary: "a number that the leaves and so the root depend on, below 2^31 - 1",
        default: Some(0),
        kind: ParamKind::Preimage,
    }];
    AirInfo { name, summary, least_log_rows: 1, most_log_rows: 29, params: PARAMS }
}

/// Row `i >= 1` is node `i` of a binary tree of `n - 1` nodes, the root being node 1. It compresses 16 elements to 8:
/// an inner node (`i < n/2`) the digests of nodes `2i` and `2i + 1`, the others secret data. Public is the root's
/// digest. Row 0 is not looked at.
///
/// Each node adds `(i, digest)` to a relation, each inner node takes its children's out of it; the root remains.
///
/// A prover knows the leaves: `L` is [`M31`], the number that they are made from. A verifier does not: `L` is
/// [`Secret`].
#[derive(Clone, Debug)]
pub struct MerkleTree<C, L = M31> {
    log_size: u32,
    leaves: L,
    root: Lazy<[M31; DIGEST]>,
    compression: PhantomData<C>,
}

/// Leaves that are not known: the statement is the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret;

/// Knowledge of the leaves of a tree.
pub trait Leaves: Clone + fmt::Debug + Send + Sync + 'static {
    /// The number that they are made from, if it is known.
    fn start(&self) -> Option<M31>;
}

impl Leaves for M31 {
    fn start(&self) -> Option<M31> {
        Some(*self)
    }
}

impl Leaves for Secret {
    fn start(&self) -> Option<M31> {
        None
    }
}

impl<C: Compression> MerkleTree<C> {
    /// The tree of `2^log_size - 1` nodes whose leaf `i` compresses `start + 16 i + j`, `j = 0..16`.
    ///
    /// # Errors
    /// [`BuildError::BadParam`] if there are too few or too many.
    pub fn new(log_size: u32, start: M31) -> Result<Self, BuildError> {
        C::INFO.check_rows(log_size)?;
        Ok(Self { log_size, leaves: start, root: Lazy::unknown(), compression: PhantomData })
    }
}

impl<C: Compression, L: Leaves> MerkleTree<C, L> {
    /// Computes all nodes, the last first, and hands out each row's columns; returns the root's digest. `None` if it is
    /// not to go on, or if the leaves are not known.
    fn walk(&self, mut visit: impl FnMut(usize, &[M31]), goes_on: &dyn Fn() -> bool) -> Option<[M31; DIGEST]> {
        let (rows, start) = (1usize << self.log_size, self.leaves.start()?);
        let mut digests = vec![[M31::ZERO; DIGEST]; rows];
        let mut values = Vec::with_capacity(INPUT + C::COLUMNS);
        for row in (0..rows).rev() {
            if !goes_on_at(row, goes_on) {
                return None;
            }
            let input: [M31; INPUT] = match row {
                0 => [M31::ZERO; INPUT],
                _ if row < rows / 2 => std::array::from_fn(|j| digests[2 * row + j / DIGEST][j % DIGEST]),
                _ => std::array::from_fn(|j| start + M31::reduce((INPUT * row + j) as u64)),
            };
            values.clear();
            values.extend(input);
            let output = C::compress(&input.map(base), |value| values.push(M31::new(value.0)));
            digests[row] = output.map(|value| M31::new(value.0));
            visit(row, &values);
        }
        Some(digests[1])
    }

    /// The public digest. If the leaves are known, the first call computes it.
    pub fn root(&self) -> [M31; DIGEST] {
        self.root.get(|goes_on| self.walk(|_, _| {}, goes_on))
    }
}

impl<C: Compression> MerkleTree<C, Secret> {
    /// The statement that somebody knows a tree of `2^log_size - 1` nodes with this root.
    ///
    /// # Errors
    /// [`BuildError::BadParam`] if there are too few or too many.
    pub fn of_root(log_size: u32, root: [M31; DIGEST]) -> Result<Self, BuildError> {
        C::INFO.check_rows(log_size)?;
        Ok(Self { log_size, leaves: Secret, root: Lazy::known(root), compression: PhantomData })
    }
}

#[derive(Clone)]
struct Eval<C> {
    log_size: u32,
    lookup: Lookup<TUPLE>,
    compression: PhantomData<C>,
}

impl<C: Compression> FrameworkEval for Eval<C> {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [index, is_node, is_inner] =
            IDS.map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
        let input: [E::F; INPUT] = std::array::from_fn(|_| eval.next_trace_mask());
        let output = C::constrain(&mut eval, &input);
        let left = index.clone() + index.clone();
        let right = left.clone() + E::F::one();
        let entries = [
            (E::EF::from(is_inner.clone()), left, &input[..DIGEST]),
            (E::EF::from(is_inner), right, &input[DIGEST..]),
            (-E::EF::from(is_node), index, &output[..]),
        ];
        for (multiplicity, index, digest) in entries {
            let tuple: Vec<E::F> = std::iter::once(index).chain(digest.iter().cloned()).collect();
            eval.add_to_relation(RelationEntry::new(&self.lookup, multiplicity, &tuple));
        }
        eval.finalize_logup_in_pairs();
        eval
    }
}

impl<C: Compression, L: Leaves> Statement for MerkleTree<C, L> {
    fn name(&self) -> &str {
        C::INFO.name
    }

    fn prepare(&self, goes_on: &dyn Fn() -> bool) -> bool {
        self.root.prepare(|| self.walk(|_, _| {}, goes_on))
    }

    fn words(&self) -> Vec<u32> {
        [C::FAMILY, self.log_size].into_iter().chain(self.root().map(M31::value)).collect()
    }

    /// A node has one digest, computed from data that the prover knows.
    fn tuple_kinds(&self) -> Vec<TupleKind> {
        vec![TupleKind::new(0, None, "node").with_keys(1)]
    }

    fn preprocessed(&self, _lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        IDS.map(|id| PreprocessedColumn::new(id, self.log_size)).into()
    }

    fn preprocessed_values(&self, _lifting: Option<u32>) -> Vec<Vec<M31>> {
        let (log_size, half) = (self.log_size, (1usize << self.log_size) / 2);
        vec![
            column(log_size, |row| M31::new(row as u32)),
            column(log_size, |row| flag(row >= 1)),
            column(log_size, |row| flag((1..half).contains(&row))),
        ]
    }

    fn preprocessed_program(&self, _lifting: Option<u32>) -> Option<Vec<LinearRecurrence<M31>>> {
        let (log_size, half) = (self.log_size, (1usize << self.log_size) / 2);
        Some(vec![
            count_from(log_size, M31::ZERO),
            steps(log_size, &[(0, M31::ZERO), (1, M31::ONE)]),
            steps(log_size, &[(0, M31::ZERO), (1, M31::ONE), (half, M31::ZERO)]),
        ])
    }

    /// Leaves compress numbers that a recurrence counts, row 0 zeros, a node the digests that its children hand up.
    fn trace_program(&self) -> Option<Vec<TableProgram>> {
        let log_size = self.log_size;
        let [width, zero] = [M31::new(INPUT as u32), M31::ZERO];
        let first = self.leaves.start()? + width;
        // `start + 16 i` in row `i`, but zero in row 0.
        let counted = LinearRecurrence {
            coefficients: vec![-M31::ONE, M31::new(2)],
            initial: vec![zero, zero],
            restarts: vec![(1, vec![first, first + width])],
            log_height: log_size,
        };
        let is_node = steps(log_size, &[(0, zero), (1, M31::ONE)]);
        let sources = [counted, is_node].map(SourceColumn::Recurrence).into();
        let outputs = |input: [Value; INPUT]| {
            let mut outputs = input.to_vec();
            let digest = C::compress(&input, |column| outputs.push(column));
            outputs.extend(digest);
            outputs
        };
        let leaf = row_program(&[1, 1], |load| {
            let [counted, is_node] = [load(0, 0), load(1, 0)];
            outputs(std::array::from_fn(|j| counted + is_node * BaseField::from(j)))
        });
        let node = row_program(&[1, 1, INPUT], |load| outputs(std::array::from_fn(|j| load(2, j))));
        let columns = ColumnProgram::Tree { leaf: leaf.ok()?, node: node.ok()?, width: INPUT + C::COLUMNS };
        Some(vec![TableProgram { sources, columns }])
    }

    fn draws(&self) -> usize {
        2
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let (log_size, lookup) = (self.log_size, Lookup::new(drawn));
        vec![Box::new(Eval { log_size, lookup, compression: self.compression })]
    }

    /// Only the root is not taken by another node.
    fn public_lookups(&self) -> Vec<PublicLookup> {
        let tuple = std::iter::once(M31::ONE).chain(self.root()).collect();
        vec![PublicLookup { relation: 0, tuple, multiplicity: M31::ONE }]
    }

    /// The root is hashed by and by, and how often it is looked up is known.
    fn public_count(&self) -> PublicCount {
        PublicCount { lookups: 1, width: TUPLE }
    }
}

impl<C: Compression> ShippedAir for MerkleTree<C> {
    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let mut columns = vec![vec![M31::ZERO; 1 << self.log_size]; INPUT + C::COLUMNS];
        let visit = |row: usize, values: &[M31]| {
            for (column, &value) in columns.iter_mut().zip(values) {
                column[row] = value;
            }
        };
        let root = self.walk(visit, &|| true);
        // Nobody computes it again.
        self.root.prepare(|| root);
        vec![columns]
    }
}
