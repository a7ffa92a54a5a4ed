//! The steps of a trace, each in the list of the component that proves it.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use super::memory::{is_small_factor, is_small_summand};
use super::states::{State, StateTransitions, StatesByOpcode};
use crate::instruction::{Instruction, Opcode, flag};
use crate::{Place, Reason, Refusal, Words};

const REMEDY_INSTRUCTION: &str = "No component proves it. Write it as compilers do: load the second value into a cell \
                                  first, and jump and call with an immediate or through one cell";

/// Steps that one task takes.
const CHUNK: usize = 1 << 14;

impl StateTransitions {
    /// Sorts the steps of a trace, whose last entry is the final state; and counts the instructions that they run.
    /// `state` reads an entry, `values` are the memory's, the first of which has address 1.
    ///
    /// # Errors
    /// A trace without a step, an entry that `state` refuses, and a step that no component proves.
    pub fn of_trace<T: Sync>(
        trace: &[T],
        state: impl Fn(&T) -> Result<State, Refusal> + Sync,
        values: &[Words],
    ) -> Result<(Self, usize), Refusal> {
        let (Some((last, steps)), Some(first)) = (trace.split_last(), trace.first()) else {
            let remedy = "Run the program in proof mode";
            return Err(Refusal::new(Reason::Step, Place::Whole, "the run has no step", remedy));
        };
        let (initial_state, final_state) = (state(first)?, state(last)?);
        let memory = Values(values);
        let seen: Vec<AtomicBool> = values.iter().map(|_| AtomicBool::new(false)).collect();
        let sort = |steps: &[T]| {
            let mut lists = StatesByOpcode::default();
            for entry in steps {
                let state = state(entry)?;
                let (opcode, variant) = memory.component(&state)?;
                lists.list_mut(opcode, variant).push(state);
                seen[state.pc as usize - 1].store(true, Relaxed);
            }
            Ok(lists)
        };
        let parts: Vec<Result<StatesByOpcode, Refusal>> = steps.par_chunks(CHUNK).map(sort).collect();
        let mut casm_states_by_opcode = StatesByOpcode::default();
        for part in parts {
            casm_states_by_opcode.append(&part?);
        }
        let instructions = seen.into_iter().filter(|seen| seen.load(Relaxed)).count();
        Ok((Self { initial_state, final_state, casm_states_by_opcode }, instructions))
    }
}

/// The values of the memory; the first has address 1.
struct Values<'a>(&'a [Words]);

impl Values<'_> {
    fn value(&self, address: Option<u32>) -> Option<&Words> {
        self.0.get(address?.checked_sub(1)? as usize)
    }

    /// The component that proves a step.
    fn component(&self, state: &State) -> Result<(Opcode, bool), Refusal> {
        let pc = state.pc;
        let refuse = |what: &str| Refusal::new(Reason::Instruction, Place::Pc(pc.into()), what, REMEDY_INSTRUCTION);
        let word = self.value(Some(pc)).ok_or_else(|| refuse("there is no instruction"))?;
        let [w0, w1, w2, w3, high @ ..] = word;
        if high != &[0; 4] {
            return Err(refuse("the instruction has too many bits"));
        }
        let word = u128::from(*w0) | u128::from(*w1) << 32 | u128::from(*w2) << 64 | u128::from(*w3) << 96;
        let instruction = Instruction::decode(word);
        let opcode = instruction.opcode().map_err(refuse)?;
        let variant = self.variant(&instruction, opcode, state).ok_or_else(|| refuse("an operand has no value"))?;
        Ok((opcode, variant))
    }

    /// The one of an opcode's two components that proves a step: the small one of sums and products, the taken one of
    /// conditional jumps. `None` if an operand has no value.
    fn variant(&self, instruction: &Instruction, opcode: Opcode, state: &State) -> Option<bool> {
        let register = |is_fp: bool| if is_fp { state.fp } else { state.ap };
        let [off0, off1, off2] = instruction.offsets;
        let dst = || self.value(register(instruction.is(flag::DST_FP)).checked_add_signed(off0));
        let op0 = || self.value(register(instruction.is(flag::OP0_FP)).checked_add_signed(off1));
        let op1 = || {
            let immediate = instruction.is(flag::OP1_IMM);
            let base = if immediate { state.pc } else { register(instruction.is(flag::OP1_FP)) };
            self.value(base.checked_add_signed(off2))
        };
        Some(match opcode {
            Opcode::Add => is_small_summand(dst()?) && is_small_summand(op0()?) && is_small_summand(op1()?),
            Opcode::Mul => is_small_factor(op0()?) && is_small_factor(op1()?),
            Opcode::Jnz => *dst()? != [0; 8],
            _ => false,
        })
    }
}
