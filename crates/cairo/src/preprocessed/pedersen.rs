//! Tables of points, from which Pedersen hashes are sums.
//!
//! With windows of w bits there are `n = 252/w` windows for an operand. For each of the two operands, with points (P0,
//! P1) and (P2, P3), the table has n blocks of `2^w` rows. Row r of a block is
//! `-S + sum of the points B_j over the bits j of r`, S the shift point:
//!
//! - in block b below `n - 1`, `B_j = 2^(wb + j) P0`;
//! - in the last block `B_j = 2^(w(n-1) + j) P0` for `j < w - 4`, then `2^(j - w + 4) P1`: the top four bits of an
//!   operand have a point of their own.
//!
//! Rows up to the next power of two repeat row 0. A row has 56 columns: 28 limbs of 9 bits of x, then of y, lowest
//! first.
//!
//! A block is made bit by bit: the rows with bit j are the rows without it, plus `B_j`. So all additions of a bit have
//! one operand in common, and one inversion serves them all.

use cairo_run::{Felt252, PEDERSEN_POINTS, PEDERSEN_SHIFT};
use field::M31;
use rayon::prelude::*;

/// Columns of a table.
pub(super) const COLUMNS: usize = 2 * LIMBS;
/// Limbs of a coordinate.
const LIMBS: usize = 28;
/// Bits of a limb.
const LIMB_BITS: usize = 9;
/// Words of 27 bits of a coordinate.
const WORDS: usize = 10;
/// Bits of such a word.
const WORD_BITS: usize = 27;
/// Bits of an operand.
const OPERAND_BITS: u32 = 252;
/// Bits of an operand that have the second point.
const HIGH_BITS: u32 = 4;
/// Rows that are written to all columns before the next: their coordinates stay in the cache.
const TILE: usize = 2048;

/// The shift point.
const SHIFT: Point = Point::new(PEDERSEN_SHIFT);
/// The points of each operand's lower and upper bits.
const OPERANDS: [[Point; 2]; 2] = {
    let [low, high, other_low, other_high] = PEDERSEN_POINTS;
    [[Point::new(low), Point::new(high)], [Point::new(other_low), Point::new(other_high)]]
};

/// Bits of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Window {
    Bits9,
    Bits18,
}

impl Window {
    fn bits(self) -> u32 {
        match self {
            Self::Bits9 => 9,
            Self::Bits18 => 18,
        }
    }

    /// The beginning of the columns' names.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bits9 => "pedersen_points_small",
            Self::Bits18 => "pedersen_points",
        }
    }

    /// Log2 of the rows, padding included.
    pub(super) fn log_size(self) -> u32 {
        (self.blocks() << self.bits()).next_power_of_two().ilog2()
    }

    /// Blocks of `2^bits` rows, without the padding.
    fn blocks(self) -> u32 {
        2 * OPERAND_BITS / self.bits()
    }

    /// Some columns of the table, by their numbers. All threads work.
    pub(super) fn columns(self, numbers: &[usize]) -> Vec<Vec<M31>> {
        let block_rows = 1_usize << self.bits();
        let mut columns = vec![vec![M31::new(0); 1 << self.log_size()]; numbers.len()];
        let mut parts: Vec<_> = columns.iter_mut().map(|column| column.chunks_mut(block_rows)).collect();
        // One block after the other, where columns are one after the other.
        let mut blocks = Vec::new();
        while let Some(block) = parts.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>()
            && !block.is_empty()
        {
            blocks.push(block);
        }
        let bases = self.bases();
        blocks.into_par_iter().enumerate().for_each(|(block, mut columns)| match bases.get(block) {
            Some(bases) => write(&rows(SHIFT.negated(), bases), numbers, &mut columns),
            None => {
                let first = SHIFT.negated().limbs();
                columns.iter_mut().zip(numbers).for_each(|(column, number)| column.fill(first[*number]));
            }
        });
        columns
    }

    /// Points of which the rows of the table are sums, as x and y of [`WORDS`] words of 27 bits each: 20 columns. There
    /// are 56 blocks of 512 rows, as in the table of 9 bits except for the start of their rows, and a padding of zeros.
    ///
    /// With windows of 9 bits they are the rows. With 18 bits, row r of block b is the sum of row `r mod 512` of block
    /// 2b, which starts with -2S, and of row `r >> 9` of block 2b + 1, which starts with S: no multiple of S is the sum
    /// of other bases, as far as is known, so that the two have two x. A table of 2^15 rows is in a cache where one of
    /// 2^23 is not.
    pub(super) fn parts(self) -> Vec<Vec<M31>> {
        let negated = SHIFT.negated();
        let first = |block: usize| match self {
            Self::Bits9 => negated,
            Self::Bits18 if block.is_multiple_of(2) => negated.double(),
            Self::Bits18 => SHIFT,
        };
        let blocks = Self::Bits9.bases().into_par_iter().enumerate();
        let points: Vec<Point> = blocks.flat_map_iter(|(block, bases)| rows(first(block), &bases)).collect();
        let word = |column: usize, point: &Point| {
            let coordinate = if column < WORDS { point.x } else { point.y };
            digit(&coordinate.to_le_digits(), WORD_BITS, column % WORDS)
        };
        let column = |column| {
            let mut words: Vec<_> = points.iter().map(|point| word(column, point)).collect();
            words.resize(1 << Self::Bits9.log_size(), M31::new(0));
            words
        };
        (0..2 * WORDS).into_par_iter().map(column).collect()
    }

    /// The points `B_j` of each block.
    fn bases(self) -> Vec<Vec<Point>> {
        let mut bases = Vec::with_capacity(self.blocks() as usize);
        for [low, high] in OPERANDS {
            let low = low.doublings(OPERAND_BITS - HIGH_BITS);
            let points = [low, high.doublings(HIGH_BITS)].concat();
            bases.extend(points.chunks(self.bits() as usize).map(<[Point]>::to_vec));
        }
        bases
    }
}

/// A point of the curve `y^2 = x^3 + x + b` over the field of Cairo, not the one at infinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Point {
    x: Felt252,
    y: Felt252,
}

impl Point {
    const fn new([x, y]: [Felt252; 2]) -> Self {
        Self { x, y }
    }

    fn negated(self) -> Self {
        Self { x: self.x, y: -self.y }
    }

    /// `P, 2P, 4P, ...`, `count` of them. The order of the curve is a prime above 2, so that no y is zero.
    fn doublings(self, count: u32) -> Vec<Self> {
        std::iter::successors(Some(self), |point| Some(point.double())).take(count as usize).collect()
    }

    fn double(&self) -> Self {
        let square = self.x.square();
        let slope = (square.double() + square + Felt252::ONE) * inverse(self.y.double());
        self.third(slope, self.x)
    }

    /// The negative of the third point of the curve on the line through this one, with that slope and a second point at
    /// `x`.
    fn third(&self, slope: Felt252, x: Felt252) -> Self {
        let third = slope.square() - self.x - x;
        Self { x: third, y: slope * (self.x - third) - self.y }
    }

    /// The 28 limbs of x, then the limbs of y.
    fn limbs(&self) -> [M31; COLUMNS] {
        let digits = [self.x.to_le_digits(), self.y.to_le_digits()];
        std::array::from_fn(|column| limb(&digits[column / LIMBS], column % LIMBS))
    }
}

/// Limb number `index` of a coordinate's four words.
fn limb(words: &[u64; 4], index: usize) -> M31 {
    digit(words, LIMB_BITS, index)
}

/// Digit number `index` of `bits` bits of a coordinate's four words.
fn digit(words: &[u64; 4], bits: usize, index: usize) -> M31 {
    let (word, shift) = (bits * index / 64, bits * index % 64);
    let next = words.get(word + 1).copied().unwrap_or(0);
    let above = if shift + bits > 64 { next << (64 - shift) } else { 0 };
    M31::new(((words[word] >> shift | above) & ((1 << bits) - 1)) as u32)
}

/// The sums of a point and each choice of bases: the rows of a block.
fn rows(first: Point, bases: &[Point]) -> Vec<Point> {
    let mut rows = Vec::with_capacity(1 << bases.len());
    rows.push(first);
    // Products of all differences before one.
    let mut products = Vec::with_capacity(1 << bases.len() >> 1);
    for base in bases {
        products.clear();
        let mut product = Felt252::ONE;
        for row in &rows {
            products.push(product);
            product *= row.x - base.x;
        }
        let count = rows.len();
        rows.resize(2 * count, *base);
        let mut inverse = inverse(product);
        for index in (0..count).rev() {
            let row = rows[index];
            let slope = (row.y - base.y) * (inverse * products[index]);
            inverse *= row.x - base.x;
            rows[count + index] = row.third(slope, base.x);
        }
    }
    rows
}

/// The inverse of a number that is not zero: no two points that are added have one x, as the values of the finished
/// table show, which are known.
fn inverse(of: Felt252) -> Felt252 {
    of.inverse().unwrap_or_default()
}

/// Writes limbs of the rows of a block to its part of the columns.
fn write(rows: &[Point], numbers: &[usize], columns: &mut [&mut [M31]]) {
    for (tile, points) in rows.chunks(TILE).enumerate() {
        let digits: Vec<_> = points.iter().map(|point| [point.x.to_le_digits(), point.y.to_le_digits()]).collect();
        for (column, number) in columns.iter_mut().zip(numbers) {
            let (coordinate, index) = (number / LIMBS, number % LIMBS);
            let cells = &mut column[tile * TILE..][..digits.len()];
            cells.iter_mut().zip(&digits).for_each(|(cell, digits)| *cell = limb(&digits[coordinate], index));
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::LazyLock;

    use stwo_cairo_common::preprocessed_columns::pedersen::PedersenPoints;

    use super::*;

    /// Row r of a block, point by point: no batch, no table.
    fn row(bases: &[Point], row: usize) -> Point {
        let add = |sum: Point, base: &Point| sum.third((sum.y - base.y) * inverse(sum.x - base.x), base.x);
        let bits = bases.iter().enumerate().filter(|(bit, _)| row >> bit & 1 == 1);
        bits.map(|(_, base)| base).fold(SHIFT.negated(), add)
    }

    /// A row of the large table, by column: for tests that look at a few.
    pub(crate) fn large_point(number: usize) -> [M31; COLUMNS] {
        static BASES: LazyLock<Vec<Vec<Point>>> = LazyLock::new(|| Window::Bits18.bases());
        BASES.get(number >> 18).map_or(SHIFT.negated(), |bases| row(bases, number)).limbs()
    }

    #[test]
    fn the_small_table_is_the_reference_s() {
        let numbers: Vec<usize> = (0..COLUMNS).collect();
        let columns = Window::Bits9.columns(&numbers);
        for (number, column) in numbers.into_iter().zip(columns) {
            let expected = PedersenPoints::<9>::new(number);
            let expected = expected.get_data().iter();
            assert!(column.iter().map(|value| value.value()).eq(expected.map(|value| value.0)), "{number}");
        }
    }

    #[test]
    fn blocks_of_the_large_table_are_sums() {
        let bases = Window::Bits18.bases();
        assert_eq!(bases.len(), 28);
        for (block, bases) in bases.iter().enumerate().step_by(9) {
            let rows = rows(SHIFT.negated(), bases);
            for index in [0, 1, 2, 3, 0x3fff, 0x4000, 0x1_2345, 0x3_ffff] {
                assert_eq!(rows[index], row(bases, index), "block {block}, row {index}");
            }
        }
    }

    #[test]
    fn rows_of_both_tables_are_sums_of_parts() {
        let point = |parts: &[Vec<M31>], row: usize| {
            let words: Vec<_> = parts.iter().map(|column| Felt252::from(column[row].value())).collect();
            let radix = Felt252::from(1u64 << WORD_BITS);
            let coordinate = |words: &[Felt252]| words.iter().rev().fold(Felt252::ZERO, |sum, word| sum * radix + word);
            Point { x: coordinate(&words[..WORDS]), y: coordinate(&words[WORDS..]) }
        };
        let (small, large) = (Window::Bits9.parts(), Window::Bits18.parts());
        assert_eq!([small.len(), large.len()], [20; 2]);
        for (block, bases) in Window::Bits9.bases().iter().enumerate() {
            assert_eq!(point(&small, 512 * block + 0x155), row(bases, 0x155), "block {block}");
        }
        for (block, bases) in Window::Bits18.bases().iter().enumerate() {
            for index in [0, 1, 0x1ff, 0x200, 0x1_2345, 0x3_ffff] {
                let low = point(&large, 1024 * block + index % 512);
                let high = point(&large, 1024 * block + 512 + index / 512);
                let sum = low.third((low.y - high.y) * inverse(low.x - high.x), high.x);
                assert_eq!(sum, row(bases, index), "block {block}, row {index}");
            }
        }
    }
}
