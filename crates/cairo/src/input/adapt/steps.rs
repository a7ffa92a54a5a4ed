//! The steps of a trace, each in the list of the component that proves it.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use cairo_vm::vm::trace::trace_entry::TraceEntry;
use rayon::prelude::*;
use stwo::core::fields::m31::M31;
use stwo_cairo_adapter::opcodes::{CasmStatesByOpcode, StateTransitions};
use stwo_cairo_common::prover_types::cpu::CasmState;

use super::super::instruction::{Instruction, Opcode, flag};
use super::super::memory::{ADDRESS_BOUND, Words, is_small_factor, is_small_summand};
use super::super::{Place, Reason, Refusal};
use super::layout::Layout;

const REMEDY_INSTRUCTION: &str = "No component proves it. Write it as compilers do: load the second value into a cell \
                                  first, and jump and call with an immediate or through one cell";

/// Steps that one task takes.
const CHUNK: usize = 1 << 14;

/// The segment of the stack, where `ap` and `fp` point.
const STACK: usize = 1;

/// Sorts the steps of a trace, whose last entry is the final state; and counts the instructions that they run. `values`
/// are those of the memory, the first of which has address 1.
pub(super) fn sort(
    trace: &[TraceEntry],
    layout: &Layout,
    values: &[Words],
) -> Result<(StateTransitions, usize), Refusal> {
    let (Some((last, steps)), Some(first)) = (trace.split_last(), trace.first()) else {
        return Err(Refusal::new(Reason::Step, Place::Whole, "the run has no step", "Run the program in proof mode"));
    };
    let machine = Machine { layout, stack: layout.range(STACK).start, values };
    let (initial_state, final_state) = (machine.state(first)?, machine.state(last)?);
    let seen: Vec<AtomicBool> = values.iter().map(|_| AtomicBool::new(false)).collect();
    let parts: Vec<Result<CasmStatesByOpcode, Refusal>> =
        steps.par_chunks(CHUNK).map(|steps| machine.sort(steps, &seen)).collect();
    let mut casm_states_by_opcode = CasmStatesByOpcode::default();
    for part in parts {
        casm_states_by_opcode.merge(&part?);
    }
    let instructions = seen.into_iter().filter(|seen| seen.load(Relaxed)).count();
    Ok((StateTransitions { initial_state, final_state, casm_states_by_opcode }, instructions))
}

struct Machine<'a> {
    layout: &'a Layout,
    stack: u32,
    values: &'a [Words],
}

impl Machine<'_> {
    /// The registers as addresses.
    fn state(&self, entry: &TraceEntry) -> Result<CasmState, Refusal> {
        let in_bound = |address: &u32| *address < ADDRESS_BOUND;
        let stack = |offset: usize| self.stack.checked_add(u32::try_from(offset).ok()?).filter(in_bound).map(M31);
        let pc = self.layout.address(entry.pc).filter(in_bound);
        match (pc, stack(entry.ap), stack(entry.fp)) {
            (Some(pc), Some(ap), Some(fp)) => Ok(CasmState { pc: M31(pc), ap, fp }),
            _ => {
                let what = format!(
                    "pc {}, ap {} or fp {} is beyond the 2^29 addresses of a proof",
                    entry.pc, entry.ap, entry.fp
                );
                let place = pc.map_or(Place::Whole, |pc| Place::Pc(pc.into()));
                Err(Refusal::new(Reason::Address, place, what, "Advance ap by what the function needs"))
            }
        }
    }

    fn value(&self, address: Option<u32>) -> Option<&Words> {
        self.values.get(address?.checked_sub(1)? as usize)
    }

    fn sort(&self, steps: &[TraceEntry], seen: &[AtomicBool]) -> Result<CasmStatesByOpcode, Refusal> {
        let mut lists = CasmStatesByOpcode::default();
        for entry in steps {
            let state = self.state(entry)?;
            let pc = state.pc.0;
            let refuse = |what: &str| Refusal::new(Reason::Instruction, Place::Pc(pc.into()), what, REMEDY_INSTRUCTION);
            let word = self.value(Some(pc)).ok_or_else(|| refuse("there is no instruction"))?;
            let [w0, w1, w2, w3, high @ ..] = word;
            if high != &[0; 4] {
                return Err(refuse("the instruction has too many bits"));
            }
            let word = u128::from(*w0) | u128::from(*w1) << 32 | u128::from(*w2) << 64 | u128::from(*w3) << 96;
            let instruction = Instruction::decode(word);
            let opcode = instruction.opcode().map_err(refuse)?;
            let variant =
                self.variant(&instruction, opcode, &state).ok_or_else(|| refuse("an operand has no value"))?;
            list_mut(&mut lists, opcode, variant).push(state);
            seen[pc as usize - 1].store(true, Relaxed);
        }
        Ok(lists)
    }

    /// Which of an opcode's two components proves a step: the small one of sums and products, the taken one of
    /// conditional jumps. `None` if an operand has no value.
    fn variant(&self, instruction: &Instruction, opcode: Opcode, state: &CasmState) -> Option<bool> {
        let register = |is_fp: bool| if is_fp { state.fp.0 } else { state.ap.0 };
        let [off0, off1, off2] = instruction.offsets;
        let dst = || self.value(register(instruction.is(flag::DST_FP)).checked_add_signed(off0));
        let op0 = || self.value(register(instruction.is(flag::OP0_FP)).checked_add_signed(off1));
        let op1 = || {
            let immediate = instruction.is(flag::OP1_IMM);
            let base = if immediate { state.pc.0 } else { register(instruction.is(flag::OP1_FP)) };
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

fn list_mut(lists: &mut CasmStatesByOpcode, opcode: Opcode, variant: bool) -> &mut Vec<CasmState> {
    match (opcode, variant) {
        (Opcode::Generic, _) => &mut lists.generic_opcode,
        (Opcode::AddAp, _) => &mut lists.add_ap_opcode,
        (Opcode::Add, false) => &mut lists.add_opcode,
        (Opcode::Add, true) => &mut lists.add_opcode_small,
        (Opcode::AssertEq, _) => &mut lists.assert_eq_opcode,
        (Opcode::AssertEqDoubleDeref, _) => &mut lists.assert_eq_opcode_double_deref,
        (Opcode::AssertEqImm, _) => &mut lists.assert_eq_opcode_imm,
        (Opcode::CallAbs, _) => &mut lists.call_opcode_abs,
        (Opcode::CallRelImm, _) => &mut lists.call_opcode_rel_imm,
        (Opcode::Jnz, false) => &mut lists.jnz_opcode_non_taken,
        (Opcode::Jnz, true) => &mut lists.jnz_opcode_taken,
        (Opcode::JumpRelImm, _) => &mut lists.jump_opcode_rel_imm,
        (Opcode::JumpRel, _) => &mut lists.jump_opcode_rel,
        (Opcode::JumpDoubleDeref, _) => &mut lists.jump_opcode_double_deref,
        (Opcode::JumpAbs, _) => &mut lists.jump_opcode_abs,
        (Opcode::Mul, true) => &mut lists.mul_opcode_small,
        (Opcode::Mul, false) => &mut lists.mul_opcode,
        (Opcode::Ret, _) => &mut lists.ret_opcode,
        (Opcode::Blake, _) => &mut lists.blake_compress_opcode,
        (Opcode::Qm31, _) => &mut lists.qm_31_add_mul_opcode,
    }
}
