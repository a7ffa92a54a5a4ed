//! blake_compress_opcode: a compression of Blake2s, whose operands the instruction names.

use gpu_hal::hash::blake2s::IV;
use gpu_hal::ir::RowProgramError;
use stwo_cairo_common::preprocessed_columns::blake::BLAKE_SIGMA;

use super::super::machine::{ComponentProgram, Counter, List, W};
use super::super::opcodes::{Flag, Offset, Step, opcode};
use super::{Pieces, ROUND_ENTRY, ROUNDS, TRIPLE_XOR_ENTRY, WORDS, halves, read_word, round};

/// The opcode extension of the last compression of a message.
const FINALIZE: u32 = 2;
/// Words that are chained from one compression to the next.
const CHAINED: usize = 8;

/// Where op0, op1 and ap point: the chained words before, the message, the chained words after.
fn pointers<'r>(step: &Step<'_, 'r>) -> [W<'r>; 3] {
    let (op0, op1) = (step.op0_base(), step.op1_base());
    step.columns(&[op0]);
    let before = step.address_columns(step.id_at(op0, Offset::Op0));
    step.columns(&[op1]);
    let message = step.address_columns(step.id_at(op1, Offset::Op1));
    [before, message, step.address_columns(step.machine.id(step.ap))]
}

/// Columns: dst base, then the counter (dst) and the eight chained words. Returns them as nine words.
fn operands<'r>(step: &Step<'_, 'r>, before: W<'r>) -> W<'r> {
    let machine = step.machine;
    let dst = step.dst_base();
    step.columns(&[dst]);
    let mut ids = vec![step.id_at(dst, Offset::Dst)];
    ids.extend((0..CHAINED as u32).map(|word| machine.id(before + word)));
    let words: Vec<_> = ids.iter().map(|id| read_word(machine, *id)).collect();
    let words = machine.recorder().pack(&words);
    let pieces = Pieces::of(machine, words);
    ids.iter().enumerate().for_each(|(index, id)| pieces.columns(machine, index, *id));
    words
}

/// Columns: the high bytes of the counter's halves, and the four bytes of the counter XOR `IV[4]`, which is returned as
/// a word.
fn xor_counter<'r>(step: &Step<'_, 'r>, counter: W<'r>) -> W<'r> {
    let machine = step.machine;
    let bytes = counter.split(8, 4);
    let iv = machine.word(IV[4]).split(8, 4);
    machine.uses(Counter::Xor8, 0, (bytes << 8) | iv);
    step.columns(&[bytes.at(1), bytes.at(3), bytes ^ iv]);
    counter ^ IV[4]
}

/// Ten rounds: emits each, with the state before it. Returns the state after the last, 16 words.
fn rounds<'r>(step: &Step<'_, 'r>, mut state: [W<'r>; 4], pointer: W<'r>) -> W<'r> {
    let machine = step.machine;
    let recorder = machine.recorder();
    // blake_round uses the addresses and ids of the message.
    let message: [_; WORDS] = std::array::from_fn(|word| {
        let id = machine.id_unused(pointer + word as u32);
        machine.some_words27_unused(id, &[0, 1]).join(super::WORD27_BITS, 1)
    });
    let list = machine.list(List::BlakeRound, ROUND_ENTRY, ROUNDS);
    for (number, order) in BLAKE_SIGMA.iter().enumerate() {
        let words = halves(recorder.pack(&state));
        recorder.emit(list, number, recorder.pack(&[recorder.row(), machine.word(number as u32), words, pointer]));
        (_, state) = round(recorder, state, &order.map(|word| message[word as usize]));
    }
    recorder.pack(&state)
}

/// Columns: the eight chained words after, as halves, then the pieces of each and its id. Emits the XOR that makes
/// each.
fn outputs<'r>(step: &Step<'_, 'r>, state: W<'r>, before: W<'r>, pointer: W<'r>) {
    let machine = step.machine;
    let recorder = machine.recorder();
    let (low, high) = (state.slice(0, CHAINED), state.slice(CHAINED, CHAINED));
    let after = low ^ high ^ before;
    let list = machine.list(List::TripleXor, TRIPLE_XOR_ENTRY, CHAINED);
    for word in 0..CHAINED {
        recorder.emit(list, word, halves(recorder.pack(&[low, high, before].map(|words| words.at(word)))));
    }
    step.columns(&[halves(after)]);
    let ids: Vec<_> = (0..CHAINED as u32).map(|word| machine.id(pointer + word)).collect();
    let stored: Vec<_> = ids.iter().map(|id| read_word(machine, *id)).collect();
    recorder.assert("the result of a Blake2s compression is where ap points to", after.same(recorder.pack(&stored)));
    let pieces = Pieces::of(machine, after);
    ids.iter().enumerate().for_each(|(index, id)| pieces.part_columns(machine, index, *id));
}

/// blake_compress_opcode: 174 columns; emits to `List::BlakeRound` (10 sites) and `List::TripleXor` (8 sites).
pub(crate) fn blake_compress_opcode() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let recorder = step.machine.recorder();
        step.offset_columns(&[Offset::Dst, Offset::Op0, Offset::Op1]);
        step.flag_columns(&[Flag::DstFp, Flag::Op0Fp, Flag::Op1Fp, Flag::AddAp1]);
        step.columns(&[step.extension()]);
        let [before, message, after] = pointers(step);
        let operands = operands(step, before);
        let (counter, before) = (operands.at(0), operands.slice(1, CHAINED));
        let last = step.extension().is(FINALIZE);
        let flagged = recorder.select(last, step.machine.word(!IV[6]), step.machine.word(IV[6]));
        let word = |index: usize| step.machine.word(IV[index]);
        let fourth = recorder.pack(&[xor_counter(step, counter), word(5), flagged, word(7)]);
        let state = [before.slice(0, 4), before.slice(4, 4), recorder.words(&IV[..4]), fourth];
        let state = rounds(step, state, message);
        step.columns(&[halves(state), message]);
        outputs(step, state, before, after);
    })
}
