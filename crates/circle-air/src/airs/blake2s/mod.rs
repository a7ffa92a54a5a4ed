//! A Merkle tree of Blake2s hashes.

mod function;
mod nodes;
mod relation;
mod rounds;
mod table;
mod witness;

use field::{Field, M31, PrimeField, QM31};
use stwo::core::vcs::blake2_hash::{Blake2sHash, Blake2sHasher};

use self::nodes::Nodes;
use self::rounds::Rounds;
use self::table::Table;
use self::witness::{ROWS, Witness};
use super::lazy::{Lazy, goes_on_at};
use super::lookup::Lookup;
use super::{AirInfo, ParamInfo, ParamKind, Secret, ShippedAir, column, flag};
use crate::{AirComponent, BuildError, PreprocessedColumn, PublicCount, PublicLookup, Statement, TupleKind};

pub(super) const INFO: AirInfo = AirInfo {
    name: "blake2s",
    summary: "the root of a Merkle tree of Blake2s-256 hashes of 64 bytes over secret leaves, ten of 2^n rows a hash",
    least_log_rows: 5,
    most_log_rows: MOST_LOG_ROWS,
    params: &[ParamInfo {
        name: "s",
        summary: "a number that the leaves and so the root depend on, below 2^32",
        default: Some(0),
        kind: ParamKind::Preimage,
    }],
};

/// With more rows one entry of the table could be used `2^31 - 1` times, which is none: a row uses at most 144.
const MOST_LOG_ROWS: u32 = 23;

/// Node 1 is the root of a binary tree of an odd number of nodes, as many as there are rounds for; node `i` has the
/// children `2i` and `2i + 1`, if there are such nodes. It hashes 64 bytes: their two digests, or secret data. Public
/// is the root's digest.
///
/// Three components: rounds, one a row, ten for each node; nodes, with message and digest; and a table of the exclusive
/// ors of bytes. Nodes give messages to rounds and digests to nodes, rounds give final states to nodes, through one
/// relation.
///
/// A prover knows the leaves: `L` is the number that they are made from. A verifier does not: `L` is [`Secret`].
#[derive(Clone, Debug)]
pub struct Blake2s<L = u32> {
    log_rounds: u32,
    leaves: L,
    root: Root,
}

/// The root's digest, and the number that the leaves are made from, if it is known.
#[derive(Clone, Debug)]
struct Root {
    start: Option<u32>,
    digest: Lazy<[u32; 8]>,
}

impl Blake2s {
    /// The tree whose hashes take at most `2^log_rounds` rows, and whose leaf `i` hashes the little-endian words
    /// `start + 16 i + j`, `j = 0..16`.
    ///
    /// # Errors
    /// [`BuildError::BadParam`] if there are too few or too many.
    pub fn new(log_rounds: u32, start: u32) -> Result<Self, BuildError> {
        INFO.check_rows(log_rounds)?;
        Ok(Self { log_rounds, leaves: start, root: Root { start: Some(start), digest: Lazy::unknown() } })
    }

    /// All main columns.
    fn witness(&self) -> Witness {
        let count = self.node_count();
        let mut witness = Witness::new(self.log_rounds, self.log_nodes());
        let mut digests = vec![[0u32; 8]; count + 1];
        for node in (1..=count).rev() {
            let message: [u32; 16] = if self.is_inner(node) {
                std::array::from_fn(|i| digests[2 * node + i / 8][i % 8])
            } else {
                std::array::from_fn(|i| leaf_word(self.leaves, node, i))
            };
            digests[node] = witness.set_node(node, ROWS * (node - 1), message);
        }
        for row in ROWS * count..1 << self.log_rounds {
            witness.set_round(row, [0; 16], [0; 16]);
        }
        for row in std::iter::once(0).chain(count + 1..1 << self.log_nodes()) {
            witness.set_ends(row, [0; 16], [0; 16]);
        }
        witness
    }
}

/// Word `i` of the data that leaf `node` hashes.
fn leaf_word(start: u32, node: usize, i: usize) -> u32 {
    start.wrapping_add((16 * node + i) as u32)
}

impl<L> Blake2s<L> {
    /// The root's digest, without the columns. `None` if it is not to go on, or if the leaves are not known.
    fn hash_all(&self, goes_on: &dyn Fn() -> bool) -> Option<[u32; 8]> {
        let (count, start) = (self.node_count(), self.root.start?);
        let mut digests = vec![Blake2sHash::default(); count + 1];
        for node in (1..=count).rev() {
            if !goes_on_at(node, goes_on) {
                return None;
            }
            digests[node] = if self.is_inner(node) {
                Blake2sHasher::concat_and_hash(&digests[2 * node], &digests[2 * node + 1])
            } else {
                let words = (0..16).map(|i| leaf_word(start, node, i));
                Blake2sHasher::hash(&words.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
            };
        }
        let root = digests[1].0;
        Some(std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|j| root[4 * i + j]))))
    }
}

impl Blake2s<Secret> {
    /// The statement that somebody knows a tree with this root whose hashes take at most `2^log_rounds` rows.
    ///
    /// # Errors
    /// [`BuildError::BadParam`] if there are too few or too many.
    pub fn of_root(log_rounds: u32, root: [u32; 8]) -> Result<Self, BuildError> {
        INFO.check_rows(log_rounds)?;
        Ok(Self { log_rounds, leaves: Secret, root: Root { start: None, digest: Lazy::known(root) } })
    }
}

impl<L> Blake2s<L> {
    /// The public digest as little-endian words. If the leaves are known, the first call computes it.
    pub fn root(&self) -> [u32; 8] {
        self.root.digest.get(|goes_on| self.hash_all(goes_on))
    }

    /// Number of hashes: an odd number.
    pub fn node_count(&self) -> usize {
        ((1usize << self.log_rounds) / ROWS - 1) | 1
    }

    /// Log2 of the rows of the component of nodes: at least `1 + node_count` rows, because `2^n / 10 < 2^(n-3)` and the
    /// right side is even.
    fn log_nodes(&self) -> u32 {
        self.log_rounds - 3
    }

    /// The tuple that node 1 hands up: its number and its digest, which only the public value uses.
    fn root_tuple(&self) -> impl Iterator<Item = M31> {
        let halves = self.root().into_iter().flat_map(|word| [word & 0xFFFF, word >> 16]);
        [relation::NODE, 1].into_iter().chain(halves).map(M31::new)
    }

    fn is_inner(&self, node: usize) -> bool {
        node >= 1 && 2 * node < self.node_count()
    }
}

impl<L: Send + Sync> Statement for Blake2s<L> {
    fn name(&self) -> &str {
        INFO.name
    }

    fn prepare(&self, goes_on: &dyn Fn() -> bool) -> bool {
        self.root.digest.prepare(|| self.hash_all(goes_on))
    }

    fn words(&self) -> Vec<u32> {
        [6, self.log_rounds].into_iter().chain(self.root()).collect()
    }

    fn preprocessed(&self, _lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        let of =
            |ids: &[&'static str], log_size| ids.iter().map(move |id| PreprocessedColumn::new(id, log_size)).collect();
        let columns: [Vec<PreprocessedColumn>; 3] =
            [of(&rounds::IDS, self.log_rounds), of(&nodes::IDS, self.log_nodes()), of(&table::IDS, table::LOG_SIZE)];
        columns.concat()
    }

    /// A node has one message, one final state, one digest.
    fn tuple_kinds(&self) -> Vec<TupleKind> {
        let kind = |kind, name| TupleKind::new(0, Some(kind), name);
        vec![
            kind(relation::XOR, "xor").with_xor(8),
            kind(relation::MESSAGE, "message").with_chosen(2),
            kind(relation::STATE, "state").with_keys(1),
            kind(relation::NODE, "node").with_keys(1),
        ]
    }

    /// All but node numbers, round numbers and the table are flags.
    fn preprocessed_most(&self, _lifting: Option<u32>) -> Option<Vec<u64>> {
        let any = M31::ORDER;
        let mut most = vec![any, any, 1, 1, 1, any, 1, 1];
        most.resize(most.len() + table::IDS.len(), any);
        Some(most)
    }

    fn preprocessed_values(&self, _lifting: Option<u32>) -> Vec<Vec<M31>> {
        let (count, number) = (self.node_count(), |value: usize| M31::new(value as u32));
        let round = |value: &dyn Fn(usize, usize) -> M31| {
            column(self.log_rounds, |row| if row < ROWS * count { value(row / ROWS, row % ROWS) } else { M31::ZERO })
        };
        let node = |value: &dyn Fn(usize) -> M31| column(self.log_nodes(), value);
        let mut columns = vec![
            round(&|node, _| number(node + 1)),
            round(&|_, round| number(round)),
            round(&|_, _| M31::ONE),
            round(&|_, round| flag(round == 0)),
            round(&|_, round| flag(round + 1 == ROWS)),
            node(&number),
            node(&|node| flag((1..=count).contains(&node))),
            node(&|node| flag(self.is_inner(node))),
        ];
        columns.extend(table::values());
        columns
    }

    fn draws(&self) -> usize {
        2
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let lookup = Lookup::new(drawn);
        vec![
            Box::new(Rounds { log_size: self.log_rounds, lookup: lookup.clone() }),
            Box::new(Nodes { log_size: self.log_nodes(), lookup: lookup.clone() }),
            Box::new(Table { lookup }),
        ]
    }

    /// Only the root is not taken by another node.
    fn public_lookups(&self) -> Vec<PublicLookup> {
        vec![PublicLookup { relation: 0, tuple: self.root_tuple().collect(), multiplicity: M31::ONE }]
    }

    /// The root is hashed by and by, and how often it is looked up is known.
    fn public_count(&self) -> PublicCount {
        PublicCount { lookups: 1, width: relation::NODE_TUPLE }
    }
}

impl ShippedAir for Blake2s {
    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let witness = self.witness();
        let uses = witness.uses();
        vec![witness.rounds, witness.nodes, vec![uses]]
    }
}
