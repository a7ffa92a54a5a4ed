//! The row programs of the gates. A row is a gate: its wires are read at the addresses that the preprocessed columns
//! have, and tell all columns and all rows of tables that are looked up.

use field::M31;
use gpu_hal::ir::{Element, RowProgramError};

use super::machine::{ComponentProgram, Machine, Table, W, record};

/// An element of a row program.
type E<'r> = Element<'r, M31>;

/// All programs, in the order of their components.
pub(super) fn all() -> Result<[ComponentProgram; 5], RowProgramError> {
    Ok([eq()?, qm31_ops()?, triple_xor()?, m31_to_u32()?, blake_g()?])
}

fn eq() -> Result<ComponentProgram, RowProgramError> {
    record(0, 0..2, |machine| {
        let [a, b] = [0, 1].map(|input| machine.wire(machine.input(input)));
        machine.columns(a);
        machine.recorder().assert("wires that must be equal are equal", a.same(b));
    })
}

/// Rows of a permutation come in pairs, of which the first hands an input to a bus, and the second an output from it:
/// the bus has no value of its own, as it has another address than any wire.
fn qm31_ops() -> Result<ComponentProgram, RowProgramError> {
    record(1, 4..7, |machine| {
        let recorder = machine.recorder();
        let [a, b, out] = [0, 1, 2].map(|input| machine.input(input));
        let row = recorder.row();
        let [in_products, in_pointwise, of_permutation] = [1, 2, 3].map(|kind| row.less(machine.first_row(kind)) ^ 1);
        let in_differences = row.less(machine.first_row(0)) ^ 1;
        let hands_on = (row - machine.first_row(3)) & 1;
        let b_wire = recorder.select(of_permutation & hands_on, out, b);
        let out_wire = recorder.select(of_permutation & (hands_on ^ 1), b, out);
        let [a, b, out] = [a, b_wire, out_wire].map(|wire| machine.wire(wire));
        [a, b, out].into_iter().for_each(|wire| machine.columns(wire));
        // Rows of permutations are sums with zero.
        let made = recorder.select(in_differences, differences(a, b), sums(a, b));
        let made = recorder.select(in_products, product(a, b), made);
        let made = recorder.select(in_pointwise, word_by_word(a, b, |x, y| x * y), made);
        let made = recorder.select(of_permutation, sums(a, b), made);
        machine.holds(out.same(made));
    })
}

fn sums<'r>(a: W<'r>, b: W<'r>) -> W<'r> {
    word_by_word(a, b, |x, y| x + y)
}

fn differences<'r>(a: W<'r>, b: W<'r>) -> W<'r> {
    word_by_word(a, b, |x, y| x - y)
}

fn word_by_word<'r>(a: W<'r>, b: W<'r>, of: impl Fn(E<'r>, E<'r>) -> E<'r>) -> W<'r> {
    let words: Vec<_> = a.iter().zip(b.iter()).map(|(x, y)| of(x.element(), y.element()).word()).collect();
    a.recorder().pack(&words)
}

/// The product of extension elements: `i^2 = -1`, `u^2 = 2 + i`.
fn product<'r>(a: W<'r>, b: W<'r>) -> W<'r> {
    let of = |i: usize, j: usize| a.at(i).element() * b.at(j).element();
    let two = a.recorder().element(M31::new(2));
    let words = [
        of(0, 0) - of(1, 1) + two * (of(2, 2) - of(3, 3)) - of(2, 3) - of(3, 2),
        of(0, 1) + of(1, 0) + two * (of(2, 3) + of(3, 2)) + of(2, 2) - of(3, 3),
        of(0, 2) - of(1, 3) + of(2, 0) - of(3, 1),
        of(0, 3) + of(1, 2) + of(2, 1) + of(3, 0),
    ];
    a.recorder().pack(&words.map(E::word))
}

fn triple_xor() -> Result<ComponentProgram, RowProgramError> {
    record(2, 0..4, |machine| {
        let recorder = machine.recorder();
        let words = machine.words(0, 4);
        machine.holds(words.at(3).equal(words.at(0) ^ words.at(1) ^ words.at(2)));
        let halves = words.split(16, 8);
        let (low, high) = (halves & 0xff, halves >> 8);
        // By word, the bytes in the order in which they are combined.
        let bytes = |word: usize| {
            let (low, high) = (low.slice(2 * word, 2), high.slice(2 * word, 2));
            recorder.pack(&[low.at(0), high.at(0), low.at(1), high.at(1)])
        };
        let xor = bytes(0) ^ bytes(1);
        machine.uses_xor(8, 0, bytes(0), bytes(1));
        machine.uses_xor(8, 0, xor, bytes(2));
        machine.columns(halves);
        machine.columns(high);
        machine.columns(xor);
    })
}

fn m31_to_u32() -> Result<ComponentProgram, RowProgramError> {
    record(3, 0..2, |machine| {
        let recorder = machine.recorder();
        let value = machine.wire(machine.input(0));
        let x = value.at(0);
        let has_no_more = (value.at(1) | value.at(2) | value.at(3)).is(0);
        recorder.assert("the wire that becomes a word is a base element", has_no_more);
        machine.holds(machine.words(1, 1).equal(x));
        let (low, high) = (x & 0xffff, x >> 16);
        machine.uses(Table::RangeCheck16, 0, recorder.pack(&[low, high, recorder.word(0x7fff) - high]));
        machine.columns(recorder.pack(&[x, low, high]));
        // The inverse of zero is zero, and the column has 1 there.
        recorder.column(x.element().inverse() + x.is(0).element());
    })
}

fn blake_g() -> Result<ComponentProgram, RowProgramError> {
    record(4, 0..10, |machine| {
        let words = machine.words(0, 10);
        let [a, b, c, d, f0, f1] = [0, 1, 2, 3, 4, 5].map(|word| words.at(word));
        machine.columns(words.slice(0, 6).split(16, 12));
        machine.columns(words.slice(6, 4).split(16, 8));

        let a_1 = a + b + f0;
        let d_1 = rotated(a_1 ^ d, 16);
        let c_1 = c + d_1;
        let b_1 = rotated(b ^ c_1, 12);
        let a_2 = a_1 + b_1 + f1;
        let d_2 = rotated(d_1 ^ a_2, 8);
        let c_2 = c_1 + d_2;
        let b_2 = rotated(b_1 ^ c_2, 7);
        machine.holds(words.slice(6, 4).same(machine.recorder().pack(&[a_2, b_2, c_2, d_2])));

        machine.columns(a_1.split(16, 2));
        let cut = CutHalves::new(machine, [a_1, d], 8);
        machine.columns(cut.xors());
        for half in 0..2 {
            // The high halves are looked up as the second kind.
            machine.uses_xor(8, half, cut.low[0].at(half), cut.low[1].at(half));
            machine.uses_xor(8, half, cut.high[0].at(half), cut.high[1].at(half));
        }
        machine.columns(c_1.split(16, 2));
        let cut = CutHalves::new(machine, [b, c_1], 12);
        machine.columns(cut.xors());
        machine.uses_xor(12, 0, cut.low[0], cut.low[1]);
        machine.uses_xor(4, 0, cut.high[0], cut.high[1]);
        let cut = CutHalves::new(machine, [a_2, d_1], 8);
        machine.columns(d_2.split(16, 2) >> 8);
        machine.uses_xor(8, 0, cut.low[0], cut.low[1]);
        machine.uses_xor(8, 0, cut.high[0], cut.high[1]);
        let cut = CutHalves::new(machine, [b_1, c_2], 7);
        machine.columns(b_2.split(16, 2) >> 9);
        machine.uses_xor(7, 0, cut.low[0], cut.low[1]);
        machine.uses_xor(9, 0, cut.high[0], cut.high[1]);
    })
}

/// Rotation of a word to the right.
fn rotated(word: W<'_>, bits: u32) -> W<'_> {
    (word >> bits) | (word << (32 - bits))
}

/// The halves of two words, cut at a bit: by word, the parts of both halves.
struct CutHalves<'r> {
    low: [W<'r>; 2],
    high: [W<'r>; 2],
}

impl<'r> CutHalves<'r> {
    /// The high parts are the next columns.
    fn new(machine: &Machine<'r>, words: [W<'r>; 2], bits: u32) -> Self {
        let halves = words.map(|word| word.split(16, 2));
        let high = halves.map(|halves| halves >> bits);
        high.iter().for_each(|high| machine.columns(*high));
        Self { low: halves.map(|halves| halves & ((1 << bits) - 1)), high }
    }

    /// The xor of the low parts and of the high parts of the low halves, and the same of the high halves.
    fn xors(&self) -> W<'r> {
        let (low, high) = (self.low[0] ^ self.low[1], self.high[0] ^ self.high[1]);
        low.recorder().pack(&[low.at(0), high.at(0), low.at(1), high.at(1)])
    }
}
