//! The steps of a ProverInput: each is in the list of its instruction, and together they are one run.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use rayon::prelude::*;
use stwo_cairo_adapter::ProverInput;
use stwo_cairo_adapter::opcodes::CasmStatesByOpcode;
use stwo_cairo_common::prover_types::cpu::CasmState;

use super::super::instruction::Opcode;
use super::super::memory::{ADDRESS_BOUND, Cells};
use super::super::{Place, Reason, Refusal};
use super::machine::{self, State};

const REMEDY: &str = "Make the ProverInput anew, with stwo-cairo-adapter 1.3";

/// A list of states, with the opcode and the variant of it that belong there.
type List<'a> = (&'static str, Opcode, bool, &'a [CasmState]);

fn lists(states: &CasmStatesByOpcode) -> [List<'_>; 20] {
    [
        ("generic_opcode", Opcode::Generic, false, &states.generic_opcode),
        ("add_ap_opcode", Opcode::AddAp, false, &states.add_ap_opcode),
        ("add_opcode", Opcode::Add, false, &states.add_opcode),
        ("add_opcode_small", Opcode::Add, true, &states.add_opcode_small),
        ("assert_eq_opcode", Opcode::AssertEq, false, &states.assert_eq_opcode),
        ("assert_eq_opcode_double_deref", Opcode::AssertEqDoubleDeref, false, &states.assert_eq_opcode_double_deref),
        ("assert_eq_opcode_imm", Opcode::AssertEqImm, false, &states.assert_eq_opcode_imm),
        ("call_opcode_abs", Opcode::CallAbs, false, &states.call_opcode_abs),
        ("call_opcode_rel_imm", Opcode::CallRelImm, false, &states.call_opcode_rel_imm),
        ("jnz_opcode_non_taken", Opcode::Jnz, false, &states.jnz_opcode_non_taken),
        ("jnz_opcode_taken", Opcode::Jnz, true, &states.jnz_opcode_taken),
        ("jump_opcode_rel_imm", Opcode::JumpRelImm, false, &states.jump_opcode_rel_imm),
        ("jump_opcode_rel", Opcode::JumpRel, false, &states.jump_opcode_rel),
        ("jump_opcode_double_deref", Opcode::JumpDoubleDeref, false, &states.jump_opcode_double_deref),
        ("jump_opcode_abs", Opcode::JumpAbs, false, &states.jump_opcode_abs),
        ("mul_opcode_small", Opcode::Mul, true, &states.mul_opcode_small),
        ("mul_opcode", Opcode::Mul, false, &states.mul_opcode),
        ("ret_opcode", Opcode::Ret, false, &states.ret_opcode),
        ("blake_compress_opcode", Opcode::Blake, false, &states.blake_compress_opcode),
        ("qm_31_add_mul_opcode", Opcode::Qm31, false, &states.qm_31_add_mul_opcode),
    ]
}

fn registers(state: &CasmState) -> State {
    [state.pc.0, state.ap.0, state.fp.0]
}

/// Checks every step, that the steps lead from the initial state to the final one, and the number of instructions.
///
/// That the states form one chain is checked by sums of hashes: the states that steps begin with, and the final one,
/// are those that steps end with, and the initial one. The hash is keyed anew each time, so no file can aim at a
/// collision.
pub(super) fn check(input: &ProverInput) -> Result<(), Refusal> {
    let cells = Cells(&input.memory);
    let hasher = RandomState::new();
    let transitions = &input.state_transitions;
    let mut balance = hasher.hash_one(registers(&transitions.final_state));
    balance = balance.wrapping_sub(hasher.hash_one(registers(&transitions.initial_state)));
    let mut seen = vec![false; input.memory.address_to_id.len()];
    for (name, opcode, variant, states) in lists(&transitions.casm_states_by_opcode) {
        let checked =
            states.par_iter().map(|state| check_step(&cells, registers(state), (name, opcode, variant), &hasher));
        let difference = checked.try_reduce(|| 0, |a, b| Ok(a.wrapping_add(b)))?;
        balance = balance.wrapping_add(difference);
        for state in states {
            // Within the memory: the step has read its instruction there.
            seen[state.pc.0 as usize] = true;
        }
    }
    if balance != 0 {
        let what = "the steps do not lead from the initial state to the final one";
        return Err(Refusal::new(Reason::Step, Place::Whole, what, REMEDY));
    }
    let instructions = seen.iter().filter(|seen| **seen).count();
    if instructions != input.pc_count {
        let what = format!("the steps have {instructions} instructions, but pc_count is {}", input.pc_count);
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
    let refuse = |what: String| Refusal::new(Reason::Step, Place::Pc(u64::from(state[0])), what, REMEDY);
    if state.iter().any(|register| *register >= ADDRESS_BOUND) {
        return Err(refuse(format!("the registers pc, ap, fp = {state:?} leave the 2^29 addresses of a proof")));
    }
    let step = machine::step(cells, state).map_err(refuse)?;
    if (step.opcode, step.variant) != (opcode, variant) {
        return Err(refuse(format!("the step is in the list {name}, where its instruction does not belong")));
    }
    Ok(hasher.hash_one(state).wrapping_sub(hasher.hash_one(step.next)))
}
