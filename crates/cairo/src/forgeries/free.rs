//! Cells that may have any value, or at least another one: cairo-air's AIR leaves them open, and a proof says nothing
//! about them.

use std::collections::BTreeSet;

use num_traits::Zero;
use stwo::core::fields::m31::BaseField;

/// Columns of a component that are open in some of its rows.
pub(super) struct Free {
    component: &'static str,
    /// First and last.
    columns: (usize, usize),
    /// Whether they are open in a row: all of them, and in no other row.
    when: fn(&[BaseField], usize) -> bool,
    pub(super) why: &'static str,
}

/// In rows that only fill a component: its last column is the enabler.
fn is_disabled(cells: &[BaseField], _: usize) -> bool {
    cells.last().is_some_and(Zero::is_zero)
}

/// Columns 0 to 2 are pc, ap and fp. Operands bind them, and the step that the row takes, which counts as often as the
/// enabler says. Rows that fill a component repeat its first row, whose operands are relative to ap in these runs.
const REGISTERS: &str = "a register to which no operand is relative, in a row that is no step";
const CHAIN: &str = "what a link of a chain hands on unchanged, in a row that is no link";

const fn disabled(component: &'static str, first: usize, last: usize, why: &'static str) -> Free {
    Free { component, columns: (first, last), when: is_disabled, why }
}

/// Columns of generic_opcode, which serve all instructions: 6 to 20 are the flags.
const fn generic(first: usize, last: usize, when: fn(&[BaseField], usize) -> bool, why: &'static str) -> Free {
    Free { component: "generic_opcode", columns: (first, last), when, why }
}

fn all_zero(cells: &[BaseField]) -> bool {
    cells.iter().all(Zero::is_zero)
}

/// All there are.
pub(super) const FREE: &[Free] = &[
    disabled("add_opcode", 2, 2, REGISTERS),
    disabled("add_opcode_small", 2, 2, REGISTERS),
    disabled("add_ap_opcode", 2, 2, REGISTERS),
    disabled("assert_eq_opcode_imm", 2, 2, REGISTERS),
    disabled("assert_eq_opcode_double_deref", 2, 2, REGISTERS),
    disabled("jnz_opcode_non_taken", 2, 2, REGISTERS),
    disabled("jnz_opcode_taken", 2, 2, REGISTERS),
    disabled("jump_opcode_abs", 2, 2, REGISTERS),
    disabled("jump_opcode_double_deref", 2, 2, REGISTERS),
    disabled("jump_opcode_rel", 2, 2, REGISTERS),
    disabled("mul_opcode", 2, 2, REGISTERS),
    disabled("mul_opcode_small", 2, 2, REGISTERS),
    disabled("qm_31_add_mul_opcode", 2, 2, REGISTERS),
    disabled("jump_opcode_rel_imm", 1, 2, REGISTERS),
    disabled("blake_round", 0, 0, CHAIN),
    disabled("partial_ec_mul_window_bits_9", 0, 0, CHAIN),
    disabled("partial_ec_mul_window_bits_9", 3, 29, CHAIN),
    disabled("partial_ec_mul_window_bits_18", 0, 0, CHAIN),
    disabled("partial_ec_mul_window_bits_18", 3, 15, CHAIN),
    disabled("partial_ec_mul_generic", 0, 1, CHAIN),
    disabled("poseidon_3_partial_rounds_chain", 0, 0, CHAIN),
    Free {
        component: "memory_address_to_id",
        columns: (0, 31),
        // Pairs of an id and how often it is read.
        when: |cells, column| column.is_multiple_of(2) && cells[column + 1].is_zero(),
        why: "the id at an address that nothing reads",
    },
    generic(81, 81, |cells, _| !all_zero(&cells[8..=10]), "op0 as an address, where op1 is not relative to it"),
    generic(197, 224, |cells, _| !cells[15].is_zero(), "the result of a conditional jump, which has none"),
    generic(225, 226, |cells, _| cells[18].is_zero(), "the frame of a call, where there is none"),
    generic(227, 227, |cells, _| cells[13].is_zero(), "where an absolute jump goes, where there is none"),
    generic(
        228,
        228,
        |cells, _| cells[14].is_zero() && cells[16].is_zero(),
        "the sign of a relative jump or of what is added to ap, where there is neither",
    ),
    generic(
        230,
        230,
        |cells, _| cells[14].is_zero() && cells[16].is_zero(),
        "the size of a relative jump or of what is added to ap, where there is neither",
    ),
    generic(232, 232, |cells, _| all_zero(&cells[23..=50]), "the inverse of dst, where dst is zero"),
    generic(234, 234, |cells, _| all_zero(&cells[23..=50]), "the sign of a conditional jump, where dst is zero"),
    generic(236, 236, |cells, _| cells[233].is_zero(), "the size of a conditional jump, where none is taken"),
];

/// The columns that are open in a row of a component. Adds the numbers of the entries that say so.
pub(super) fn columns(component: &str, cells: &[BaseField], met: &mut BTreeSet<usize>) -> BTreeSet<usize> {
    let mut open = BTreeSet::new();
    for (number, free) in FREE.iter().enumerate().filter(|(_, free)| free.component == component) {
        let (first, last) = free.columns;
        let columns: Vec<_> = (first..=last).filter(|column| (free.when)(cells, *column)).collect();
        if !columns.is_empty() {
            met.insert(number);
        }
        open.extend(columns);
    }
    open
}
