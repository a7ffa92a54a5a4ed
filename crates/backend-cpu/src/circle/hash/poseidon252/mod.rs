//! Poseidon252 of rows of M31 columns, of pairs of digests and of nonces: many permutations at a time, on lanes where
//! the processor multiplies 52 bits in each.

#[cfg(target_arch = "x86_64")]
mod ifma;

use field::stark252::hades::{self, State};
use field::stark252::lazy::Number;
use gpu_hal::hash::poseidon252::ELEMENTS;
use gpu_hal::{CircleStark, Digest, LOG_WINDOW};

use super::compress::BLOCK;
use super::leaves::{LeafStage, Leaves};
use crate::cpu::TreeLeaves;
use crate::merkle::TreeHash;
use crate::simd::SimdLevel;

/// The third element of a state that hashes two felts.
const PAIR: Number = [2, 0, 0, 0];

/// States that are permuted together.
const BATCH: usize = 64;

/// Hades, of each state.
fn permute(level: SimdLevel, states: &mut [State]) {
    #[cfg(target_arch = "x86_64")]
    if level == SimdLevel::Avx512 && is_x86_feature_detected!("avx512ifma") {
        for states in states.chunks_mut(ifma::STATES) {
            // Fewer than that would leave most lanes idle.
            if states.len() < 4 {
                states.iter_mut().for_each(hades::permute);
                continue;
            }
            let mut filled = [State::default(); ifma::STATES];
            filled[..states.len()].copy_from_slice(states);
            // SAFETY: these instructions and all of AVX-512 F were just found to be available.
            unsafe { ifma::permute(&mut filled) };
            states.copy_from_slice(&filled[..states.len()]);
        }
        return;
    }
    let _ = level;
    states.iter_mut().for_each(hades::permute);
}

fn number(digest: &Digest) -> Number {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(digest.as_chunks().0) {
        *limb = u64::from_le_bytes(*bytes);
    }
    limbs
}

fn digest(number: Number) -> Digest {
    let mut digest = Digest::default();
    for (bytes, limb) in digest.as_chunks_mut().0.iter_mut().zip(number) {
        *bytes = limb.to_le_bytes();
    }
    digest
}

/// `state += felt`; both are below `2^255`.
fn add(state: &mut Number, felt: Number) {
    let mut carry = 0u128;
    for (limb, added) in state.iter_mut().zip(felt) {
        carry += u128::from(*limb) + u128::from(added);
        (*limb, carry) = (carry as u64, carry >> 64);
    }
}

/// The first nonce of a window that does the work, as its number from the window's first nonce on.
pub(super) fn first_nonce(level: SimdLevel, prefix: &Digest, first: u64, bits: u32) -> Option<u64> {
    let prefix = number(prefix);
    let mut states = [State::default(); BATCH];
    for step in (0..1 << LOG_WINDOW).step_by(BATCH) {
        for (nonce, state) in (first + step..).zip(&mut states) {
            *state = [prefix, [nonce, 0, 0, 0], PAIR];
        }
        permute(level, &mut states);
        let zeros = |[low, high, ..]: Number| (u128::from(high) << 64 | u128::from(low)).trailing_zeros();
        if let Some(at) = states.iter().position(|[hash, ..]| zeros(*hash) >= bits) {
            return Some(step + at as u64);
        }
    }
    None
}

/// A tree's leaves and the instructions to use.
pub(super) struct Poseidon252<'a> {
    level: SimdLevel,
    leaves: Leaves<'a>,
}

impl<'a> Poseidon252<'a> {
    pub(super) fn new(of: &TreeLeaves<'_, 'a, CircleStark>) -> Self {
        Self { level: of.level, leaves: Leaves::new(of.tables, of.leaves) }
    }

    /// Words `words..` of a row of tables lifted by `lift` levels, a felt of as many as there are, eight at most; fewer
    /// are counted at bit 248.
    fn felt(&self, words: usize, row: usize, lift: u32) -> Number {
        let end = (words + ELEMENTS).min(self.leaves.words());
        let mut limbs = Number::default();
        for word in words..end {
            for at in (1..4).rev() {
                limbs[at] = limbs[at] << 31 | limbs[at - 1] >> 33;
            }
            limbs[0] = limbs[0] << 31 | u64::from(self.leaves.value(word, row, lift));
        }
        let count = (end - words) % ELEMENTS;
        limbs[3] |= (count as u64) << 56;
        limbs
    }

    /// The states of rows from `first` on, lifted as the last of the stages, after the full blocks of the stages.
    fn absorbed(&self, stages: &[LeafStage], first: usize, count: usize) -> Vec<State> {
        let Some((stage, below)) = stages.split_last() else { return vec![State::default(); count] };
        let mut states = match below.last() {
            None => vec![State::default(); count],
            Some(last) => {
                // Rows of even leaves are even, rows of odd leaves are odd.
                let lifted = |row| self.leaves.lifted(row, stage.lift, last.lift);
                let start = lifted(first) & !1;
                let states = self.absorbed(below, start, (lifted(first + count - 1) | 1) + 1 - start);
                (first..first + count).map(|row| states[lifted(row) - start]).collect()
            }
        };
        let full = self.leaves.words() / BLOCK;
        for block in stage.blocks.start..stage.blocks.end.min(full) {
            for (row, [a, b, _]) in (first..).zip(&mut states) {
                add(a, self.felt(block * BLOCK, row, stage.lift));
                add(b, self.felt(block * BLOCK + ELEMENTS, row, stage.lift));
            }
            permute(self.level, &mut states);
        }
        states
    }
}

impl TreeHash for Poseidon252<'_> {
    fn count(&self) -> usize {
        self.leaves.count()
    }

    fn elements(&self) -> usize {
        self.leaves.words()
    }

    fn leaves(&self, first: usize, out: &mut [Digest]) {
        let words = self.leaves.words();
        let rest = words - words % BLOCK;
        for (number, out) in out.chunks_mut(BATCH).enumerate() {
            let first = first + number * BATCH;
            let mut states = self.absorbed(self.leaves.stages(), first, out.len());
            for (row, state) in (first..).zip(&mut states) {
                // The last felts, and 1 after them.
                let felts = (words - rest).div_ceil(ELEMENTS);
                for (at, part) in state.iter_mut().enumerate().take(felts) {
                    add(part, self.felt(rest + at * ELEMENTS, row, 0));
                }
                // Two felts have the first permutation for themselves.
                if felts < 2 {
                    add(&mut state[felts], [1, 0, 0, 0]);
                }
            }
            permute(self.level, &mut states);
            if (words - rest).div_ceil(ELEMENTS) == 2 {
                states.iter_mut().for_each(|[a, ..]| add(a, [1, 0, 0, 0]));
                permute(self.level, &mut states);
            }
            for ([hash, ..], out) in states.into_iter().zip(out) {
                *out = digest(hash);
            }
        }
    }

    fn nodes(&self, children: &[Digest], out: &mut [Digest], _of_level: usize) {
        let mut states = [State::default(); BATCH];
        for (children, out) in children.as_chunks::<2>().0.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let states = &mut states[..out.len()];
            for ([left, right], state) in children.iter().zip(&mut *states) {
                *state = [number(left), number(right), PAIR];
            }
            permute(self.level, states);
            for ([hash, ..], out) in states.iter().zip(out) {
                *out = digest(*hash);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gpu_hal::hash::poseidon252::{self, Felt252};

    use super::*;

    /// Numbers with all limbs, small ones, and numbers next to multiples of p and to `2^256`.
    fn numbers(count: usize) -> Vec<Number> {
        let mut random = 1u64;
        let mut word = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random ^ random >> 31
        };
        let top = poseidon252::MODULUS[3];
        let edges =
            [[0; 4], [1, 0, 0, 0], [u64::MAX; 4], [0, 0, 0, top], [1, 0, 0, top], [2, 0, 0, top], [0, 0, 0, 2 * top]];
        (0..count)
            .map(|at| match at % 3 {
                0 => edges[(word() % 7) as usize],
                1 => [word(), 0, 0, 0],
                _ => [word(), word(), word(), word()],
            })
            .collect()
    }

    #[test]
    fn permutations_are_those_of_the_definition() {
        for level in SimdLevel::available() {
            for count in [1, 3, 4, 15, 16, 17, 300] {
                let mut states: Vec<State> = numbers(3 * count).as_chunks().0.to_vec();
                let expected = states.clone().into_iter().map(|state| {
                    let mut state = state.map(Felt252::reduced);
                    poseidon252::permute(&mut state);
                    state.map(Felt252::limbs)
                });
                let expected: Vec<State> = expected.collect();
                permute(level, &mut states);
                assert_eq!(states, expected, "{level:?}, {count} states");
            }
        }
    }
}
