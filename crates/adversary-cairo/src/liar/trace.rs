//! Lies in a single cell of the main columns.

use field::{Field, M31};

use super::Lie;

/// A cell that is another one.
#[derive(Clone, Copy)]
pub(super) struct Change {
    /// The component.
    pub(super) component: &'static str,
    /// The column.
    pub(super) column: usize,
    /// The cell's value, given the true one.
    pub(super) value: fn(M31) -> M31,
    /// Whether the row violates a constraint of the component.
    pub(super) is_loose: bool,
}

fn one_more(value: M31) -> M31 {
    value + M31::ONE
}

/// The other value of a bit.
fn other_bit(value: M31) -> M31 {
    M31::ONE - value
}

impl Change {
    /// The change that a lie is, if it is one.
    pub(super) fn of(lie: Lie) -> Option<Self> {
        let (component, column, value, is_loose): (_, _, fn(M31) -> M31, _) = match lie {
            // The first of two inverses of a condition.
            Lie::Cell => ("jnz_opcode_taken", 36, one_more, true),
            // Whether ap goes up.
            Lie::WrongFlag => ("jnz_opcode_taken", 5, other_bit, false),
            // The lowest limb of the destination.
            Lie::WrongResult => ("add_opcode", 15, one_more, true),
            // The second limb of how far: 255 times 512 words on.
            Lie::JumpOutside => ("jump_opcode_rel_imm", 8, |limb| limb + M31::new(255), false),
            // The lowest limb.
            Lie::OtherValue => ("memory_id_to_small", 0, one_more, false),
            // The id at the first of sixteen addresses.
            Lie::OtherId => ("memory_address_to_id", 0, one_more, false),
            Lie::HighLimb => ("memory_id_to_big", 0, |limb| limb + M31::new(512), false),
            // The highest limb, of two bits.
            Lie::OutOfRange => ("range_check_builtin", 15, |limb| limb + M31::new(4), true),
            // How often an instruction is run.
            Lie::Multiplicity | Lie::UnbalancedLookup => ("verify_instruction", 16, one_more, false),
            _ => return None,
        };
        Some(Self { component, column, value, is_loose })
    }
}
