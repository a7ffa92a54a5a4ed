//! blake_round: a round of a compression.

use gpu_hal::ir::RowProgramError;

use super::super::machine::{ComponentProgram, Counter, List, Table, record};
use super::{G_ENTRY, GS, Pieces, ROUND_ENTRY, WORDS, halves, read_word, round, words_of_halves};

/// blake_round: 212 columns, from the entries of `List::BlakeRound`; emits to `List::BlakeG` (8 sites).
pub(crate) fn blake_round() -> Result<ComponentProgram, RowProgramError> {
    record(ROUND_ENTRY, |machine| {
        let recorder = machine.recorder();
        let entry = recorder.inputs(0, ROUND_ENTRY);
        let (number, pointer) = (entry.at(1), entry.at(ROUND_ENTRY - 1));
        let order = machine.row_of(Table::BlakeSigma, number);
        machine.uses(Counter::BlakeSigma, 0, number);
        machine.columns(entry);
        machine.columns(order);

        let ids: [_; WORDS] = std::array::from_fn(|word| machine.id(pointer + order.at(word)));
        let message = ids.map(|id| read_word(machine, id));
        let pieces = Pieces::of(machine, recorder.pack(&message));
        ids.iter().enumerate().for_each(|(index, id)| pieces.columns(machine, index, *id));

        let state = words_of_halves(entry.slice(2, 2 * WORDS));
        let state = [0, 4, 8, 12].map(|word| state.slice(word, 4));
        let list = machine.list(List::BlakeG, G_ENTRY, GS);
        for (half, gs) in round(recorder, state, &message).0.into_iter().enumerate() {
            for lane in 0..4 {
                let [a, b, c, d] = gs.state.map(|words| words.at(lane));
                let [m0, m1] = gs.message.map(|words| words.at(lane));
                recorder.emit(list, 4 * half + lane, halves(recorder.pack(&[a, b, c, d, m0, m1])));
                machine.columns(halves(recorder.pack(&gs.result.map(|words| words.at(lane)))));
            }
        }
        machine.columns(machine.enabler());
    })
}
