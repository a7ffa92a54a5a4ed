//! Lies in the claim about a run, which is mixed into the transcript: the rest is the honest prover's about the true
//! run.

use cairo_air::air::{PublicSegmentRanges, SegmentRange};
use cairo_air::claims::CairoClaim;

use super::Lie;

/// Words before the editable ones of a program: the start code is checked.
const START_WORDS: usize = 6;

/// Edits the claim as a lie has it: whether it could, `None` if the lie is about something else.
pub(super) fn edit(lie: Lie, claim: &mut CairoClaim) -> Option<bool> {
    let memory = &mut claim.public_data.public_memory;
    match lie {
        Lie::ProgramWord => memory.program.get_mut(START_WORDS).map(|(_, word)| word[0] ^= 1).is_some().into(),
        Lie::OutputWord => memory.output.first_mut().map(|(_, word)| word[0] ^= 1).is_some().into(),
        Lie::SegmentStop => {
            // For range checks, an instance is a cell.
            let range = used(&mut memory.public_segments);
            range.map(|range| range.stop_ptr.value -= 1).is_some().into()
        }
        Lie::FrameId => {
            memory.safe_call_ids[0] ^= 1;
            Some(true)
        }
        Lie::ComponentSize => {
            let size = claim.jnz_opcode_taken.as_mut().map(|component| component.log_size += 1);
            size.is_some().into()
        }
        _ => None,
    }
}

/// The segment of range checks of which more than one instance is used.
pub(super) fn used(ranges: &mut PublicSegmentRanges) -> Option<&mut SegmentRange> {
    let checks = [&mut ranges.range_check_128, &mut ranges.range_check_96];
    let mut checks = checks.into_iter().filter_map(Option::as_mut);
    checks.find(|range| range.start_ptr.value + 1 < range.stop_ptr.value)
}
