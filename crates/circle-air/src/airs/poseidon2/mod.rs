//! A Merkle tree of Poseidon2 hashes.

mod constants;
mod permutation;

use field::{Field, M31};
use gpu_hal::Recurrence;
use num_traits::One;
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::PcsConfig;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, RelationEntry};

use self::permutation::{SBOXES, WIDTH, permute};
use super::lookup::{Lookup, check_sums, denominator};
use super::sequences::{count_from, steps};
use super::{AirInfo, ParamInfo, ShippedAir, column, flag};
use crate::convert::base;
use crate::{AirComponent, BuildError, ClaimedSumError, ConfigError, PreprocessedColumn, Statement};

pub(super) const INFO: AirInfo = AirInfo {
    name: "poseidon2",
    summary: "the root of a Merkle tree of 2^n - 1 Poseidon2 compressions over secret leaves",
    least_log_rows: 1,
    most_log_rows: 29,
    params: &[ParamInfo {
        name: "s",
        summary: "a number that the leaves and so the root depend on, below 2^31 - 1",
        default: Some(0),
        is_public: true,
    }],
};

const IDS: [&str; 3] = ["index", "is_node", "is_inner"];
/// Elements of a digest.
const DIGEST: usize = WIDTH / 2;
/// An index and a digest.
const TUPLE: usize = 1 + DIGEST;
/// Inputs, then the square and the fifth power of every S-box.
const COLUMNS: usize = WIDTH + 2 * SBOXES;

type Digest = [M31; DIGEST];

/// Row `i >= 1` is node `i` of a binary tree of `n - 1` nodes, the root being node 1. It compresses 16 elements to the first 8
/// of their Poseidon2 permutation: an inner node (`i < n/2`) the digests of nodes `2i` and `2i + 1`, the others secret data.
/// Public is the root's digest. Row 0 is not looked at.
///
/// Each node adds `(i, digest)` to a relation, each inner node takes its children's out of it; what remains is the root.
#[derive(Clone, Debug)]
pub struct Poseidon2 {
    log_size: u32,
    start: M31,
    root: Digest,
}

impl Poseidon2 {
    /// The tree of `2^log_size - 1` nodes whose leaf `i` compresses `start + 16 i + j`, `j = 0..16`.
    ///
    /// # Errors
    /// [`BuildError::BadParam`] if there are too few or too many.
    pub fn new(log_size: u32, start: M31) -> Result<Self, BuildError> {
        INFO.check_rows(log_size)?;
        let mut this = Self { log_size, start, root: [M31::ZERO; DIGEST] };
        this.root = this.walk(|_, _| {});
        Ok(this)
    }

    /// The public digest.
    pub fn root(&self) -> [M31; DIGEST] {
        self.root
    }

    /// Computes all nodes, the last first, and hands out each row's columns; returns the root's digest.
    fn walk(&self, mut visit: impl FnMut(usize, &[M31])) -> Digest {
        let rows = 1usize << self.log_size;
        let mut digests = vec![[M31::ZERO; DIGEST]; rows];
        let mut values = Vec::with_capacity(COLUMNS);
        for row in (0..rows).rev() {
            let input: [M31; WIDTH] = match row {
                0 => [M31::ZERO; WIDTH],
                _ if row < rows / 2 => std::array::from_fn(|j| digests[2 * row + j / DIGEST][j % DIGEST]),
                _ => std::array::from_fn(|j| self.start + M31::reduce((WIDTH * row + j) as u64)),
            };
            values.clear();
            values.extend(input);
            let output = permute(input.map(base), |x| {
                let square = x * x;
                let power = square * square * x;
                values.extend([square, power].map(|value| M31::new(value.0)));
                power
            });
            digests[row] = std::array::from_fn(|i| M31::new(output[i].0));
            visit(row, &values);
        }
        digests[1]
    }
}

#[derive(Clone)]
struct Eval {
    log_size: u32,
    lookup: Lookup<TUPLE>,
}

impl FrameworkEval for Eval {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [index, is_node, is_inner] =
            IDS.map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
        let input: [E::F; WIDTH] = std::array::from_fn(|_| eval.next_trace_mask());
        // The fifth power in two steps of degree 2 and 3; what goes in is linear in the columns.
        let output = permute(input.clone(), |x| {
            let square = eval.next_trace_mask();
            let power = eval.next_trace_mask();
            eval.add_constraint(square.clone() - x.square());
            eval.add_constraint(power.clone() - square.square() * x);
            power
        });
        let left = index.clone() + index.clone();
        let right = left.clone() + E::F::one();
        let entries = [
            (E::EF::from(is_inner.clone()), left, &input[..DIGEST]),
            (E::EF::from(is_inner), right, &input[DIGEST..]),
            (-E::EF::from(is_node), index, &output[..DIGEST]),
        ];
        for (multiplicity, index, digest) in entries {
            let tuple: Vec<E::F> = std::iter::once(index).chain(digest.iter().cloned()).collect();
            eval.add_to_relation(RelationEntry::new(&self.lookup, multiplicity, &tuple));
        }
        eval.finalize_logup_in_pairs();
        eval
    }
}

impl Statement for Poseidon2 {
    fn name(&self) -> &str {
        INFO.name
    }

    fn words(&self) -> Vec<u32> {
        [5, self.log_size].into_iter().chain(self.root.map(M31::value)).collect()
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

    fn preprocessed_program(&self, _lifting: Option<u32>) -> Option<Vec<Recurrence<M31>>> {
        let (log_size, half) = (self.log_size, (1usize << self.log_size) / 2);
        Some(vec![
            count_from(log_size, M31::ZERO),
            steps(log_size, &[(0, M31::ZERO), (1, M31::ONE)]),
            steps(log_size, &[(0, M31::ZERO), (1, M31::ONE), (half, M31::ZERO)]),
        ])
    }

    fn draws(&self) -> usize {
        2
    }

    fn components(&self, drawn: &[SecureField]) -> Vec<Box<dyn AirComponent>> {
        vec![Box::new(Eval { log_size: self.log_size, lookup: Lookup::new(drawn) })]
    }

    /// Only the root is not taken by another node.
    fn check_claimed_sums(&self, drawn: &[SecureField], sums: &[SecureField]) -> Result<(), ClaimedSumError> {
        check_sums(drawn, sums, 1, |z, alpha| {
            Some(-denominator(z, alpha, std::iter::once(M31::ONE).chain(self.root)).inverse()?)
        })
    }

    fn check_config(&self, _config: &PcsConfig) -> Result<(), ConfigError> {
        Ok(())
    }

    /// The root is in the claimed sum alone.
    fn variant(&self) -> Option<Box<dyn Statement>> {
        None
    }
}

impl ShippedAir for Poseidon2 {
    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let mut columns = vec![vec![M31::ZERO; 1 << self.log_size]; COLUMNS];
        self.walk(|row, values| {
            for (column, &value) in columns.iter_mut().zip(values) {
                column[row] = value;
            }
        });
        vec![columns]
    }
}
