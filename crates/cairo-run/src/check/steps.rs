//! The steps of a run: each is in the list of its instruction, and together they are one run.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use rayon::prelude::*;

use super::machine;
use crate::{Cells, MAX_ADDRESSES, Opcode, Place, Reason, Refusal, Run, State};

const REMEDY: &str = "Make the ProverInput anew, with stwo-cairo-adapter 1.3";

/// Checks every step, that the steps lead from the initial state to the final one, and the number of instructions.
///
/// Sums of hashes show that the states form one chain: the states that steps begin with, and the final one, are the
/// states that steps end with, and the initial one. The hash is keyed anew each time, so no file can aim at a
/// collision.
pub(super) fn check(run: &Run) -> Result<(), Refusal> {
    let cells = Cells(&run.memory);
    let hasher = RandomState::new();
    let transitions = &run.state_transitions;
    let mut balance = hasher.hash_one(transitions.final_state);
    balance = balance.wrapping_sub(hasher.hash_one(transitions.initial_state));
    let mut seen = vec![false; run.memory.address_to_id.len()];
    for (name, opcode, variant, states) in transitions.casm_states_by_opcode.lists() {
        let checked = states.par_iter().map(|state| check_step(&cells, *state, (name, opcode, variant), &hasher));
        let difference = checked.try_reduce(|| 0, |a, b| Ok(a.wrapping_add(b)))?;
        balance = balance.wrapping_add(difference);
        for state in states {
            // Within the memory: the step has read its instruction there.
            seen[state.pc as usize] = true;
        }
    }
    if balance != 0 {
        let what = "the steps do not lead from the initial state to the final one";
        return Err(Refusal::new(Reason::Step, Place::Whole, what, REMEDY));
    }
    let instructions = seen.iter().filter(|seen| **seen).count();
    if instructions != run.pc_count {
        let what = format!("the steps have {instructions} instructions, but pc_count is {}", run.pc_count);
        return Err(Refusal::new(Reason::Step, Place::Whole, what, REMEDY));
    }
    Ok(())
}

/// The hash of the state that a step begins with, less that of the state that it ends with.
fn check_step(
    cells: &Cells<'_>,
    state: State,
    (name, opcode, variant): (&str, Opcode, bool),
    hasher: &RandomState,
) -> Result<u64, Refusal> {
    let refuse = |what: String| Refusal::new(Reason::Step, Place::Pc(u64::from(state.pc)), what, REMEDY);
    let registers = state.values();
    if registers.iter().any(|register| *register >= MAX_ADDRESSES) {
        return Err(refuse(format!("the registers pc, ap, fp = {registers:?} leave the 2^29 addresses of a proof")));
    }
    let step = machine::step(cells, state).map_err(refuse)?;
    if (step.opcode, step.variant) != (opcode, variant) {
        return Err(refuse(format!("the step is in the list {name}, where its instruction does not belong")));
    }
    Ok(hasher.hash_one(state).wrapping_sub(hasher.hash_one(step.next)))
}
