//! The program that a machine runs for each row.

use alloc::vec::Vec;

use super::instruction::Instruction;
use crate::rows::sizes::FELT_WORDS;

/// A program whose operands and results are registers, each class's numbered from zero.
#[derive(Clone, Debug)]
pub struct Schedule<F> {
    /// The needed instructions of the program, in order.
    pub instructions: Vec<Instruction>,
    /// Registers of words, felts and elements.
    pub registers: [usize; 3],
    /// Constant words, the first registers in order: no instruction writes them.
    pub words: Vec<(u32, u32)>,
    /// The same of felts, least significant word first, not in Montgomery form.
    pub felts: Vec<(u32, [u32; FELT_WORDS])>,
    /// The same of elements.
    pub elements: Vec<(u32, F)>,
}
