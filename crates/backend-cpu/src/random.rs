//! Uniform elements in the last rows of a table.

use field::PrimeField;
use gpu_hal::{Columns, RandomRows};
use rayon::prelude::*;

use crate::goldilocks::hash::{RANDOM_WORDS, RandomBlocks};
use crate::memory::CpuBuffer;
use crate::simd::{SimdLevel, dispatch};

/// Elements that a task makes.
const PIECE: usize = 1 << 12;
/// Blocks that are made before they are taken apart: some kilobytes.
const BLOCKS: usize = 64;

pub(crate) fn random<F: PrimeField>(level: SimdLevel, into: Columns<&mut CpuBuffer<F>>, rows: &RandomRows) {
    let log_height = into.log_height;
    let piece = PIECE.min(1 << log_height);
    into.data.values_mut().par_chunks_mut(piece).enumerate().for_each(|(number, target)| {
        let (column, start) = ((number * piece) >> log_height, (number * piece) & ((1 << log_height) - 1));
        let skipped = rows.from.saturating_sub(start).min(target.len());
        fill(level, rows, column as u64, rows.first + (start + skipped) as u64, &mut target[skipped..]);
    });
}

/// The elements from number `first` on of a column.
fn fill<F: PrimeField>(level: SimdLevel, rows: &RandomRows, column: u64, first: u64, target: &mut [F]) {
    let words = rows.key.as_chunks::<8>().0;
    let key = [words[0], words[1], words[2], words[3]].map(u64::from_le_bytes);
    let two_to_64 = F::from_u64(1 << 32).square();
    let (mut next, mut left) = (first, target);
    let mut blocks = [[0; RANDOM_WORDS]; BLOCKS];
    while !left.is_empty() {
        let skipped = (next % RandomRows::BLOCK) as usize;
        let needed = (skipped + left.len()).div_ceil(RandomRows::BLOCK as usize).min(BLOCKS);
        let (block, out) = (next / RandomRows::BLOCK, &mut blocks[..needed]);
        dispatch(level, RandomBlocks { key, stream: rows.stream, column, first: block, out });
        let pairs = blocks[..needed].as_flattened().as_chunks::<2>().0;
        let pairs = &pairs[skipped..];
        let (now, rest) = left.split_at_mut(pairs.len().min(left.len()));
        for (element, &[high, low]) in now.iter_mut().zip(pairs) {
            *element = F::from_u64(high) * two_to_64 + F::from_u64(low);
        }
        next += now.len() as u64;
        left = rest;
    }
}
