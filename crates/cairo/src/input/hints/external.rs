//! Hints of the wrapper around an executable's `main`: arguments in, panic data out, dictionaries put in a row.

use cairo_lang_casm::operand::{CellRef, ResOperand};
use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;

use super::{Machine, custom, operand};

/// Writes the arguments to a new segment, and its start and end to `dst` and `dst + 1`.
pub(super) fn write_run_param(
    vm: &mut Machine<'_>,
    arguments: &[Felt252],
    index: &ResOperand,
    dst: &CellRef,
) -> Result<(), HintError> {
    let index = operand::felt(vm, index)?;
    if index != Felt252::ZERO {
        return Err(custom(format!("it asks for run parameter {index}; an executable has one, the arguments")));
    }
    let start = vm.add_memory_segment()?;
    let end = (start + arguments.len())?;
    // The last one first, so that the segment grows once.
    for (index, word) in arguments.iter().enumerate().rev() {
        vm.insert_value((start + index)?, *word)?;
    }
    let dst = operand::address(vm, dst)?;
    vm.insert_value(dst, start)?;
    vm.insert_value((dst + 1u32)?, end)
}

/// The felts from `start` to `end`.
pub(super) fn marked(vm: &mut Machine<'_>, start: &ResOperand, end: &ResOperand) -> Result<Vec<Felt252>, HintError> {
    let (start, end) = (operand::pointer(vm, start)?, operand::pointer(vm, end)?);
    let length = (end - start)?;
    vm.work(length)?;
    (0..length).map(|index| Ok(vm.get_integer((start + index)?)?.into_owned())).collect()
}

/// Lets the temporary segment that begins at `src` become part of another segment, at `dst`.
pub(super) fn add_relocation_rule(vm: &mut Machine<'_>, src: &ResOperand, dst: &ResOperand) -> Result<(), HintError> {
    let (src, dst) = (operand::pointer(vm, src)?, operand::any(vm, dst)?);
    vm.add_relocation_rule(src, dst)
}

/// A felt as the text that its bytes spell, in quotes, or as a number.
pub(super) fn short_string(felt: &Felt252) -> String {
    let bytes = felt.to_bytes_be();
    let text: Vec<u8> = bytes.into_iter().skip_while(|byte| *byte == 0).collect();
    let printable = !text.is_empty() && text.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    match String::from_utf8(text) {
        Ok(text) if printable => format!("'{text}'"),
        _ => felt.to_hex_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn felts_that_spell_text_are_shown_as_text() {
        let spelled = |text: &[u8]| short_string(&Felt252::from_bytes_be_slice(text));
        assert_eq!(spelled(b"Input too long"), "'Input too long'");
        assert_eq!(spelled(&[]), "0x0");
        assert_eq!(spelled(&[1, 0]), "0x100");
        assert_eq!(spelled(b"a\n"), "0x610a");
    }
}
