//! Traces: the same rounds on numbers, with every value that a column takes written down.

use field::{Field, M31};
use gpu_hal::hash::blake2s::SIGMA;

use super::function::{CHAIN, ROUNDS, START, Words, round};
use super::{nodes, rounds, table};

/// Main columns of the three components under construction.
pub(super) struct Witness {
    pub(super) rounds: Vec<Vec<M31>>,
    pub(super) nodes: Vec<Vec<M31>>,
    uses: Vec<u32>,
}

impl Witness {
    /// Until rows are set, they are rows of a round of zeros and of a node of zeros, which no lookup uses.
    pub(super) fn new(log_rounds: u32, log_nodes: u32) -> Self {
        Self {
            rounds: vec![vec![M31::ZERO; 1 << log_rounds]; rounds::COLUMNS],
            nodes: vec![vec![M31::ZERO; 1 << log_nodes]; nodes::COLUMNS],
            uses: vec![0; 1 << table::LOG_SIZE],
        }
    }

    /// The multiplicities of the table.
    pub(super) fn uses(&self) -> Vec<M31> {
        self.uses.iter().map(|&uses| M31::new(uses)).collect()
    }

    /// Sets one row of rounds; `message` is in the order of the round. Returns the state after it.
    pub(super) fn set_round(&mut self, row: usize, state: [u32; 16], message: [u32; 16]) -> [u32; 16] {
        let mut values = Vec::with_capacity(rounds::COLUMNS);
        values.extend(state.iter().flat_map(|word| word.to_le_bytes()).map(u32::from));
        values.extend(message.iter().flat_map(|word| [word & 0xFFFF, word >> 16]));
        let after = round(&mut Numbers { values: &mut values, uses: &mut self.uses }, state, &message);
        set_row(&mut self.rounds, row, &values);
        after
    }

    /// Sets the rows of node `node` and, from `first_round`, of its rounds; returns its digest.
    pub(super) fn set_node(&mut self, node: usize, first_round: usize, message: [u32; 16]) -> [u32; 8] {
        let mut state = START;
        for (number, order) in SIGMA.iter().enumerate() {
            state = self.set_round(first_round + number, state, order.map(|word| message[word]));
        }
        self.set_ends(node, message, state)
    }

    /// Sets the row of a node of the given message and final state; returns its digest.
    pub(super) fn set_ends(&mut self, node: usize, message: [u32; 16], state: [u32; 16]) -> [u32; 8] {
        let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
        let (message, state, chain) = (bytes(&message), bytes(&state), bytes(&CHAIN));
        let mut xor = |x: u8, y: u8| {
            self.uses[usize::from(x) << 8 | usize::from(y)] += 1;
            x ^ y
        };
        let checks: Vec<u8> = message.chunks_exact(2).map(|pair| xor(pair[0], pair[1])).collect();
        let mixed: Vec<u8> = (0..32).map(|i| xor(state[i], state[32 + i])).collect();
        let digest: Vec<u8> = (0..32).map(|i| xor(mixed[i], chain[i])).collect();
        let values: Vec<u32> =
            [message, checks, state, mixed, digest.clone()].concat().into_iter().map(u32::from).collect();
        set_row(&mut self.nodes, node, &values);
        std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|j| digest[4 * i + j])))
    }
}

/// Rows of a node's rounds.
pub(super) const ROWS: usize = ROUNDS;

fn set_row(columns: &mut [Vec<M31>], row: usize, values: &[u32]) {
    assert_eq!(columns.len(), values.len(), "a row has a value in every column");
    for (column, &value) in columns.iter_mut().zip(values) {
        column[row] = M31::new(value);
    }
}

/// Words as numbers; writes the columns of a row in order and counts lookups.
struct Numbers<'a> {
    values: &'a mut Vec<u32>,
    uses: &'a mut [u32],
}

impl Numbers<'_> {
    fn count(&mut self, x: u32, y: u32) {
        self.uses[(x << 8 | y) as usize] += 1;
    }

    fn commit(&mut self, word: u32) -> u32 {
        self.values.extend(word.to_le_bytes().map(u32::from));
        word
    }
}

impl Words for Numbers<'_> {
    type Word = u32;
    type Message = u32;

    fn add(&mut self, a: &u32, b: &u32, message: Option<&u32>) -> u32 {
        self.commit(a.wrapping_add(*b).wrapping_add(message.copied().unwrap_or(0)))
    }

    fn xor(&mut self, a: &u32, b: &u32) -> u32 {
        for (x, y) in a.to_le_bytes().into_iter().zip(b.to_le_bytes()) {
            self.count(u32::from(x), u32::from(y));
        }
        self.commit(a ^ b)
    }

    fn rotate_bytes(&mut self, word: &u32, bytes: usize) -> u32 {
        word.rotate_right(8 * bytes as u32)
    }

    fn rotate_12(&mut self, word: &u32) -> u32 {
        let upper = word.to_le_bytes().map(|byte| u32::from(byte >> 4));
        self.values.extend(upper);
        for pair in upper.chunks_exact(2) {
            let (x, y) = (pair[0] << 4, pair[1] << 4);
            self.count(x, y);
            self.values.push(x ^ y);
        }
        word.rotate_right(12)
    }

    fn rotate_7(&mut self, word: &u32) -> u32 {
        self.values.extend(word.to_le_bytes().map(|byte| u32::from(byte >> 7)));
        word.rotate_right(7)
    }
}
