//! The computation of one kernel: a program, or a part of one.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::encoded::{Encoded, IS_CONSTANT, op};
use super::run::GROUP_WORDS;
use crate::text::Dialect;

/// Words of the interpreter's parameter blocks, as in the kernels, at most.
const PROGRAM_WORDS: u64 = 12;

/// Instructions for one kernel, with the parts of the program that they use.
pub struct Piece {
    /// As encoded, or with a register of its own for every value.
    pub(super) code: Vec<[u32; 4]>,
    /// Loads, by their numbers, in ascending order.
    pub(super) loads: Vec<usize>,
    /// Words of constants, in ascending order, without the ones that the text has itself.
    pub(super) constants: Vec<usize>,
    /// Groups of weighted outputs, in ascending order.
    pub(super) groups: Vec<PieceGroup>,
    /// Whether no kernel of the program runs before: the result has nothing yet.
    pub(super) is_first: bool,
}

/// A group of weighted outputs of which a kernel has some.
pub(super) struct PieceGroup {
    pub(super) number: usize,
    /// The common part of the group's sum on all rows, as the place of a constant, in the first kernel that adds to it.
    pub(super) total: Option<usize>,
}

/// The operands of an instruction that are constants: their places.
fn constants([operation, _, a, b]: [u32; 4]) -> impl Iterator<Item = usize> {
    let operands = if op::is_load(operation) {
        [None; 2]
    } else if op::is_store(operation) || op::NEG.contains(&operation) {
        [Some(a), None]
    } else {
        [Some(a), Some(b)]
    };
    let place = |operand: u32| (operand & IS_CONSTANT != 0).then_some((operand & !IS_CONSTANT) as usize);
    operands.into_iter().flatten().filter_map(place)
}

impl Piece {
    /// The part of a program with these instructions; `totals` are the totals of the program's groups that no kernel
    /// has added yet.
    pub(super) fn new(
        encoded: &Encoded,
        code: Vec<[u32; 4]>,
        degree: u32,
        is_first: bool,
        totals: &mut [Option<usize>],
    ) -> Self {
        let numbers: BTreeMap<u32, usize> = encoded.accumulators.iter().copied().zip(0..).collect();
        let (mut loads, mut groups, mut used) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for &instruction in &code {
            let [operation, place, load, _] = instruction;
            if [op::LOAD_BASE, op::LOAD_EXT].contains(&operation) {
                loads.insert(load as usize);
            } else if op::MAC.contains(&operation) {
                groups.extend(numbers.get(&place));
            }
            used.extend(constants(instruction).filter(|at| encoded.in_text.get(*at) != Some(&true)));
        }
        let groups: Vec<_> =
            groups.into_iter().map(|number| PieceGroup { number, total: totals[number].take() }).collect();
        used.extend(groups.iter().filter_map(|group| group.total));
        // The program's own are base elements; all others are of the extension.
        let words = |at| if at < encoded.program_constants { 1 } else { degree as usize };
        let constants = used.into_iter().flat_map(|at| at..at + words(at)).collect();
        Self { code, loads: loads.into_iter().collect(), constants, groups, is_first }
    }

    /// Whether a parameter block has room for the parts that are the same on all rows, with this many tables, `more`
    /// constants beside its own, and elements of this many bytes.
    pub fn fits_params(&self, dialect: Dialect, tables: usize, more: usize, element: u64) -> bool {
        let words: usize = self.array_lengths(tables).iter().sum();
        8 * (PROGRAM_WORDS + words as u64) + (self.known_length() + more) as u64 * element <= dialect.param_bytes
    }

    /// Words of the arrays that the parameter block has beside constants. None is empty.
    pub(super) fn array_lengths(&self, tables: usize) -> [usize; 3] {
        [self.loads.len(), tables, self.groups.len() * GROUP_WORDS].map(|length| length.max(1))
    }

    /// Elements of the array of constants.
    pub(super) fn known_length(&self) -> usize {
        self.constants.len().max(1)
    }
}
