//! The row programs of add_mod and mul_mod: `a + b = c` and `a b = c` modulo p, integers of 384 bits in four words of
//! 96.
//!
//! An instance has seven cells: the four words of p, a pointer to values, a pointer to offsets, and n. Operand word j
//! is at `values_ptr + offset + j`, with the offsets of a, b and c in three cells at `offsets_ptr`. The columns show
//! that an instance follows the one before: the same p and values_ptr, three offsets further, n one less. The instance
//! before the first is the first itself.

use gpu_hal::ir::RowProgramError;

use super::builtins::{cell_ids, word96_limbs};
use super::felt::{address, small};
use super::machine::{ComponentProgram, Counter, Machine, W, record};

/// Cells of an instance.
const CELLS: u32 = 7;
/// Words of 96 bits of an integer.
const WORDS: usize = 4;
/// Words of 32 bits of a word of 96.
const PARTS: usize = 3;
/// Words of 32 bits of an integer.
const INT: usize = WORDS * PARTS;
/// Limbs of nine bits of a word of 96; the last has six.
const WORD_LIMBS: usize = 11;
/// Digits of twelve bits of an integer.
const DIGITS: usize = 32;

/// An integer: its words' limbs, and its 12 words of 32 bits.
#[derive(Clone, Copy)]
struct Int<'r> {
    limbs: [W<'r>; WORDS],
    value: W<'r>,
}

/// The numbers of both builtins: p, and the operands a, b, c.
struct Instance<'r> {
    p: Int<'r>,
    operands: [Int<'r>; 3],
}

/// Reads an integer whose words have these ids, one use of each. Columns: each id with its limbs.
fn integer<'r>(machine: &Machine<'r>, ids: [W<'r>; WORDS]) -> Int<'r> {
    let values = ids.map(|id| machine.value(id));
    let limbs = values.map(|value| word96_limbs(machine, value));
    for (id, limbs) in ids.into_iter().zip(limbs) {
        machine.columns(id);
        machine.columns(limbs);
    }
    Int { limbs, value: machine.recorder().pack(&values.map(|value| value.slice(0, PARTS))) }
}

/// Reads an address; one use of the id. Columns: the id and the address.
fn pointer<'r>(machine: &Machine<'r>, id: W<'r>) -> W<'r> {
    let address = address(machine, id);
    machine.columns(id);
    machine.columns(address.columns);
    address.value
}

/// The first 252 columns, which both builtins have.
fn instance<'r>(machine: &Machine<'r>) -> Instance<'r> {
    let is_first = machine.recorder().row().is(0);
    let ids = cell_ids(machine, CELLS);
    let first = machine.recorder().input(0) + machine.recorder().row() * CELLS;
    let before = first - (is_first ^ 1) * CELLS;
    machine.columns(is_first);
    let p = integer(machine, [ids[0], ids[1], ids[2], ids[3]]);
    let values = pointer(machine, ids[4]);
    let offsets = pointer(machine, ids[5]);
    pointer(machine, machine.id(before + 5));
    pointer(machine, ids[6]);
    pointer(machine, machine.id(before + 6));
    for cell in [4, 0, 1, 2, 3] {
        machine.columns(machine.id(before + cell));
    }
    let offsets = [0, 1, 2].map(|operand| {
        let id = machine.id(offsets + operand);
        let offset = small(machine, id);
        machine.columns(id);
        machine.columns(offset.columns);
        offset.value
    });
    let operands = offsets.map(|offset| integer(machine, [0, 1, 2, 3].map(|word| machine.id(values + offset + word))));
    Instance { p, operands }
}

/// add_mod_builtin: `sub = [a + b != c]`, then 14 carries of `a + b - c - sub p`, three limbs each.
pub(crate) fn add_mod_builtin() -> Result<ComponentProgram, RowProgramError> {
    record(1, |machine| {
        let recorder = machine.recorder();
        let Instance { p, operands: [a, b, c] } = instance(machine);
        let equal = a.value.int_add(b.value).same(recorder.pack(&[c.value, machine.word(0)]));
        let sub = equal ^ 1;
        let limbs = |of: Int<'_>| recorder.pack(&of.limbs.map(|limbs| limbs));
        let d = limbs(a) + limbs(b) - limbs(c) - limbs(p) * sub;
        let (mut carries, mut remainders) = (Vec::new(), Vec::new());
        let mut sum = machine.word(0);
        for group in 0..14 {
            let mut bits = 0;
            for limb in 3 * group..3 * group + 3 {
                sum = sum + (d.at(limb) << bits);
                bits += if limb % WORD_LIMBS == WORD_LIMBS - 1 { 6 } else { 9 };
            }
            remainders.push(sum & ((1 << bits) - 1));
            sum = sum.sar(bits);
            carries.push(sum);
        }
        // The last two limbs, 42 and 43, end the sum.
        let last = sum + d.at(42) + (d.at(43) << 9);
        let whole = recorder.pack(&remainders).sum().is(0) & last.is(0);
        recorder.assert("a + b is c or c + p, in the add_mod builtin", whole);
        machine.columns(sub);
        machine.signed_columns(recorder.pack(&carries));
    })
}

/// mul_mod_builtin: `q = (a b - c)/p` in 32 digits of twelve bits; how the limbs of p, a, b, c make digits of twelve
/// bits; 62 carries of `a b - p q - c`, digit by digit.
pub(crate) fn mul_mod_builtin() -> Result<ComponentProgram, RowProgramError> {
    record(1, |machine| {
        let recorder = machine.recorder();
        let Instance { p, operands: [a, b, c] } = instance(machine);
        let zeros = recorder.words(&[0; INT]);
        let multiple = a.value.int_mul(b.value).int_sub(recorder.pack(&[c.value, zeros]));
        let (q, _) = multiple.int_div_rem(p.value);
        let q = digits(q.slice(0, INT));
        machine.uses(Counter::RangeCheck12, 0, q);
        machine.columns(q);
        [p, a, b, c].into_iter().for_each(|integer| split_columns(machine, integer));

        // Digit products are below 2^29, so that every sum is a signed word.
        let c = recorder.pack(&[digits(c.value), recorder.words(&[0; DIGITS - 1])]);
        let d = digits(a.value).convolve(digits(b.value)) - digits(p.value).convolve(q) - c;
        let (mut carries, mut sums) = (Vec::new(), Vec::new());
        let mut carry = machine.word(0);
        for digit in 0..2 * DIGITS - 2 {
            let sum = carry + d.at(digit);
            sums.push(sum);
            carry = sum.sar(12);
            carries.push(carry);
        }
        let last = carry + d.at(2 * DIGITS - 2);
        let whole = (recorder.pack(&sums) & 4095).sum().is(0) & last.is(0);
        recorder.assert("a b is c plus a multiple q p with q below 2^384, in the mul_mod builtin", whole);
        let carries = recorder.pack(&carries);
        machine.uses(Counter::RangeCheck18, 0, carries + (1 << 17));
        machine.signed_columns(carries);
    })
}

/// An integer's digits of twelve bits.
fn digits(value: W<'_>) -> W<'_> {
    value.split(12, DIGITS)
}

/// Columns and requests that split limbs of nine bits at the borders of digits of twelve: of two words of 96 bits, then
/// of the other two. Limbs 1 and 5 of a word end a digit with their lower three bits, limbs 2 and 6 with six, limb 9
/// with three.
fn split_columns<'r>(machine: &Machine<'r>, integer: Int<'r>) {
    let recorder = machine.recorder();
    let mut requests = Vec::new();
    for pair in integer.limbs.chunks(2) {
        for limbs in pair {
            for first in [1, 5] {
                let [low, high] = [limbs.at(first), limbs.at(first + 1)];
                machine.columns(recorder.pack(&[low >> 3, high >> 6]));
                requests.push(((low & 7) << 15) | ((low >> 3) << 9) | ((high & 63) << 3) | (high >> 6));
            }
            machine.columns(limbs.at(9) >> 3);
        }
        let [low, high] = [pair[0].at(9), pair[1].at(9)];
        requests.push(((low & 7) << 15) | ((low >> 3) << 9) | ((high >> 3) << 3) | (high & 7));
    }
    machine.uses(Counter::RangeCheck3x6x6x3, 0, recorder.pack(&requests));
}
