//! The data that the text of a kernel is written from: runs with equal keys have equal texts. A key is made in a
//! fraction of the time.

use alloc::vec;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

use super::encoded::NONE;
use super::run::{GROUP_WORDS, Purpose, Run};

/// All that a text depends on, as numbers. It is of one dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    digest: u64,
    words: Vec<u64>,
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.digest);
    }
}

impl Key {
    /// The key of the texts of a program's kernels, which [`super::cut`] and [`super::kernel`] make.
    pub fn new(run: &Run<'_>, purpose: Purpose) -> Self {
        let encoded = run.encoded;
        // A text has the place of a constant that is a parameter.
        let program_constants = encoded.constants.iter().zip(&encoded.in_text);
        let program_constants =
            program_constants.map(|(constant, is_in_text)| if *is_in_text { *constant } else { NONE });
        // A text has the kind of a factor, and the place of its words.
        let kind = |group: &[u64]| {
            let multiplier = if group[1] == NONE { 0 } else { 1 + u64::from(group[1] >> 56 == 0) };
            multiplier << 1 | u64::from(group[2] == NONE)
        };
        let load = |&(group, _, offset): &(usize, usize, i32)| (group as u64) << 32 | u64::from(offset as u32);
        let pair = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
        let mut words = vec![
            purpose as u64,
            run.element,
            encoded.constants.len() as u64,
            encoded.program_constants as u64,
            encoded.loads.len() as u64,
            run.slots.len() as u64,
            (run.groups.len() / GROUP_WORDS) as u64,
            encoded.accumulators.len() as u64,
            encoded.code.len() as u64,
        ];
        words.reserve(encoded.program_constants + encoded.loads.len() + run.slots.len() + 2 * encoded.code.len());
        words.extend(program_constants);
        words.extend(encoded.loads.iter().map(load));
        if purpose == Purpose::BoundSums {
            // Its text has the columns by their numbers.
            words.extend(encoded.loads.iter().map(|(_, column, _)| *column as u64));
        }
        words.extend(run.slots);
        words.extend(run.groups.chunks_exact(GROUP_WORDS).map(kind));
        words.extend(encoded.accumulators.iter().map(|place| u64::from(*place)));
        words.extend(encoded.totals.iter().map(|total| total.map_or(0, |at| at as u64 + 1)));
        words.extend(encoded.code.as_flattened().chunks_exact(2).map(pair));
        // Only to find a key among others, which are then compared.
        let digest = words
            .iter()
            .fold(0, |digest: u64, word| (digest.rotate_left(25) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Self { digest, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Dialect;
    use crate::text::constraints::encoded::{Encoded, IS_CONSTANT, op};
    use crate::text::constraints::{cut, kernel};

    /// The weighted sum of a difference of two loads, times the program's constant.
    fn encoded() -> Encoded {
        let code = vec![
            [op::LOAD_BASE, 0, 0, 0],
            [op::LOAD_BASE, 1, 1, 0],
            [op::SUB[0], 2, 0, 1],
            [op::MUL[0], 3, 2, IS_CONSTANT],
            [op::MAC[0], 8, 3, IS_CONSTANT | 1],
        ];
        let (constants, loads) = (vec![5, 1, 2, 3, 4], vec![(0, 0, 0), (1, 2, -1)]);
        Encoded {
            code,
            program_constants: 1,
            in_text: vec![true],
            constants,
            loads,
            registers: 16,
            accumulators: vec![8],
            totals: vec![None],
        }
    }

    fn more_outputs(encoded: &mut Encoded, count: u32) {
        let first = encoded.constants.len() as u32;
        encoded.code.extend((0..count).map(|n| [op::MAC[0], 8, 3, IS_CONSTANT | (first + 4 * n)]));
        encoded.constants.extend(vec![0; 4 * count as usize]);
    }

    #[test]
    fn keys_of_bound_columns_have_their_numbers() {
        let dialect = Dialect { block_threads: 256, param_bytes: 3584 };
        let of = |column, purpose| {
            let code = vec![[op::LOAD_EXT, 0, 0, 0], [op::STORE[1], 0, 0, 0]];
            let encoded = Encoded { code, loads: vec![(0, column, 1)], ..encoded() };
            let (slots, loads, groups) = (&[0], &[3, 4], &[]);
            let run = Run { encoded: &encoded, slots, loads, groups, element: 4, dialect };
            let text = kernel(&run, &cut(&encoded, 4, 600).pieces[0], purpose).text;
            (Key::new(&run, purpose), text)
        };
        for purpose in [Purpose::Sums, Purpose::BoundSums] {
            let [(key, text), (other, other_text)] = [0, 1].map(|column| of(column, purpose));
            assert_eq!((key == other, text == other_text), (purpose == Purpose::Sums, purpose == Purpose::Sums));
        }
    }

    #[test]
    fn keys_are_equal_where_texts_are() {
        let changed = |change: fn(&mut Encoded, &mut [u64; 2], &mut [u64; 4])| {
            let (mut encoded, mut slots, mut groups) = (encoded(), [0, 1], [8, 7, 6, 5]);
            change(&mut encoded, &mut slots, &mut groups);
            let dialect = Dialect { block_threads: 256, param_bytes: 3584 };
            let (loads, element) = (&[3, 4, 5, 6], 4);
            let run = Run { encoded: &encoded, slots: &slots, loads, groups: &groups, element, dialect };
            let pieces = cut(&encoded, 4, 600).pieces;
            let texts: Vec<_> = pieces.iter().map(|piece| kernel(&run, piece, Purpose::Constraints).text).collect();
            (Key::new(&run, Purpose::Constraints), texts.join("\n"))
        };
        let all = [
            changed(|_, _, _| ()),
            // Data that does not affect the text: weights, the place of a factor.
            changed(|encoded, _, _| encoded.constants[1] = 9),
            changed(|_, _, groups| groups[1] = 8),
            changed(|encoded, _, _| encoded.code[2][0] = op::ADD[0]),
            changed(|encoded, _, _| encoded.constants[0] = 6),
            // A constant that is a parameter, of any value.
            changed(|encoded, _, _| encoded.in_text[0] = false),
            changed(|encoded, _, _| (encoded.in_text[0], encoded.constants[0]) = (false, 7000)),
            changed(|encoded, _, _| encoded.loads[1].2 = 1),
            changed(|encoded, _, _| encoded.loads[1].0 = 0),
            changed(|_, slots, _| slots[1] = 2),
            changed(|_, _, groups| groups[1] = 1 << 56),
            changed(|_, _, groups| groups[1] = NONE),
            changed(|_, _, groups| groups[2] = NONE),
            // Too long for a parameter block, and for one kernel.
            changed(|encoded, _, _| more_outputs(encoded, 120)),
            changed(|encoded, _, _| more_outputs(encoded, 250)),
        ];
        for (key, text) in &all {
            for (other, other_text) in &all {
                assert_eq!(key == other, text == other_text, "\n{text}\n{other_text}");
            }
        }
    }
}
