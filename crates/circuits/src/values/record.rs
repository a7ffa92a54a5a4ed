//! A recording of a circuit: gates and guesses in the order in which values follow from others.

use circuits_core::circuit::Circuit as Gates;
use circuits_core::context::{FinalizedContext, U_VAR_IDX};
use field::QM31;

use super::bands::{Banded, Task, banded};
use super::kind::{Kind, Operands};
use super::traced::{Hint, Traced, traced};

/// Why a circuit cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// No gate and no guess says a wire's value, as far as values are known.
    #[error("nothing says the value of wire {wire}: it must be among the given ones")]
    Unknown {
        /// Its address.
        wire: usize,
    },
    /// A guess for which there is no step.
    #[error("wire {wire} is guessed in a way that is not known")]
    Hint {
        /// Its address.
        wire: usize,
    },
}

/// A circuit's gates and guesses, from the values of its first wires on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateRecording {
    pub(super) wires: usize,
    pub(super) given: usize,
    pub(super) constants: Vec<(u32, QM31)>,
    pub(super) kinds: Vec<Kind>,
    /// The operands of all steps, one after the other.
    pub(super) operands: Vec<u32>,
    /// The tasks of each band.
    pub(super) bands: Vec<Vec<Task>>,
    /// Wires that must be equal.
    pub(super) equal: Vec<[u32; 2]>,
}

/// A step before it is put in order: the first wire that it writes, where its operands are.
struct Step {
    first: u32,
    kind: Kind,
    start: u32,
    length: u32,
}

/// The steps of a circuit in any order.
#[derive(Default)]
struct Steps {
    steps: Vec<Step>,
    operands: Vec<u32>,
}

impl Steps {
    fn push(&mut self, kind: Kind, first: usize, operands: &[usize]) {
        let (start, length) = (self.operands.len() as u32, operands.len() as u32);
        self.steps.push(Step { first: first as u32, kind, start, length });
        self.operands.extend(operands.iter().map(|wire| *wire as u32));
    }

    fn operands(&self, step: &Step) -> &[u32] {
        &self.operands[step.start as usize..][..step.length as usize]
    }
}

impl GateRecording {
    /// Records the circuit that `build` builds without values; the first `given` wires have values that are given.
    /// `build` says how many these are. Gates must be neither blinded nor padded.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn of(build: impl FnOnce() -> (FinalizedContext<Traced>, usize)) -> Result<Self, RecordError> {
        let ((context, given), tape) = traced(build);
        let gates = context.circuit();
        let mut steps = Steps::default();
        of_gates(gates, &mut steps);
        // The wire of each traced value. Others with the same value are copies of it, outputs among them.
        let mut wires = vec![None; tape.values as usize];
        let is_output = |wire: usize| gates.output.iter().any(|output| output.in0 == wire);
        for (wire, value) in context.values().iter().enumerate().filter(|(wire, _)| !is_output(*wire)) {
            let first = *wires[value.0 as usize].get_or_insert(wire);
            if first != wire {
                steps.push(Kind::Sum, wire, &[wire, first, context.context.zero().idx]);
            }
        }
        of_hints(tape.hints, &wires, gates, &mut steps)?;
        let constants = context.context.constants().iter();
        let constants = constants.map(|(value, wire)| (wire.idx as u32, circle_air::qm31(*value)));
        let constants: Vec<_> = constants.filter(|(wire, _)| *wire as usize >= given).collect();
        Self::ordered(gates, given, constants, steps)
    }

    /// Puts the steps in order: by the wires that they write, but behind those that they read.
    fn ordered(
        gates: &Gates,
        given: usize,
        constants: Vec<(u32, QM31)>,
        mut steps: Steps,
    ) -> Result<Self, RecordError> {
        let mut known = vec![false; gates.n_vars];
        known[..given].fill(true);
        let outputs = gates.output.iter().map(|output| output.in0);
        outputs.filter(|wire| *wire > U_VAR_IDX).for_each(|wire| known[wire] = false);
        constants.iter().for_each(|(wire, _)| known[*wire as usize] = true);
        let mut waiting = std::mem::take(&mut steps.steps);
        waiting.sort_by_key(|step| step.first);
        let (mut kinds, mut operands) = (Vec::with_capacity(waiting.len()), Vec::new());
        let mut left = usize::MAX;
        // Outputs, and a constant or two, follow from wires that are made later: they wait for the next turn.
        while waiting.len() < left {
            left = waiting.len();
            waiting.retain(|step| {
                let all = steps.operands(step);
                let Operands { writes, reads, .. } = step.kind.split(all);
                // Given, a constant, or a guess that a gate says to be itself.
                let is_made = known[step.first as usize];
                let is_ready = reads.iter().all(|read| known[*read as usize]);
                if !is_made && is_ready {
                    writes.iter().for_each(|wire| known[*wire as usize] = true);
                    kinds.push(step.kind);
                    operands.extend_from_slice(all);
                }
                !is_made && !is_ready
            });
        }
        if let Some(wire) = known.iter().position(|known| !known) {
            return Err(RecordError::Unknown { wire });
        }
        let equal = gates.eq.iter().map(|gate| [gate.in0 as u32, gate.in1 as u32]).collect();
        let Banded { kinds, operands, bands } = banded(gates.n_vars, &kinds, &operands);
        Ok(Self { wires: gates.n_vars, given, constants, kinds, operands, bands, equal })
    }

    /// Wires whose values are given.
    pub fn given(&self) -> usize {
        self.given
    }

    /// Wires of the circuit, which is neither blinded nor padded.
    pub fn wires(&self) -> usize {
        self.wires
    }

    /// Gates and guesses that are executed.
    pub fn steps(&self) -> usize {
        self.kinds.len()
    }
}

fn of_gates(gates: &Gates, steps: &mut Steps) {
    gates.add.iter().for_each(|gate| steps.push(Kind::Sum, gate.out, &[gate.out, gate.in0, gate.in1]));
    gates.sub.iter().for_each(|gate| steps.push(Kind::Difference, gate.out, &[gate.out, gate.in0, gate.in1]));
    gates.mul.iter().for_each(|gate| steps.push(Kind::Product, gate.out, &[gate.out, gate.in0, gate.in1]));
    for gate in &gates.pointwise_mul {
        steps.push(Kind::Pointwise, gate.out, &[gate.out, gate.in0, gate.in1]);
    }
    for gate in &gates.triple_xor {
        steps.push(Kind::TripleXor, gate.out, &[gate.out, gate.input_a, gate.input_b, gate.input_c]);
    }
    gates.m31_to_u32.iter().for_each(|gate| steps.push(Kind::Halves, gate.out, &[gate.out, gate.input]));
    for gate in &gates.blake_g_gate {
        let outs = [gate.out_a, gate.out_b, gate.out_c, gate.out_d];
        let inputs = [gate.input_a, gate.input_b, gate.input_c, gate.input_d, gate.input_f0, gate.input_f1];
        steps.push(Kind::BlakeG, gate.out_a, &[&outs[..], &inputs].concat());
    }
}

fn of_hints(
    hints: Vec<(u32, Hint)>,
    wires: &[Option<usize>],
    gates: &Gates,
    steps: &mut Steps,
) -> Result<(), RecordError> {
    for (value, hint) in hints {
        // A value that became no wire.
        let Some(wire) = wires[value as usize] else { continue };
        let of = |value: u32| wires[value as usize].ok_or(RecordError::Hint { wire });
        match hint {
            Hint::Quotient([of_wire, by]) => steps.push(Kind::Quotient, wire, &[wire, of(of_wire)?, of(by)?]),
            Hint::Inverses(value) => steps.push(Kind::Inverses, wire, &[wire, of(value)?]),
            Hint::LowBits(value) => steps.push(Kind::LowBits, wire, &[wire, of(value)?]),
            // All at once, with the first.
            Hint::Sorted(_, place) if place > 0 => {}
            Hint::Sorted(values, _) => {
                let inputs = values.into_iter().map(of).collect::<Result<Vec<_>, _>>()?;
                let gate = gates.permutation.iter().find(|gate| gate.inputs == inputs && gate.outputs[0] == wire);
                let gate = gate.ok_or(RecordError::Hint { wire })?;
                steps.push(Kind::Sorted, wire, &[&[inputs.len()], &gate.outputs[..], &inputs].concat());
            }
            Hint::Hash => return Err(RecordError::Hint { wire }),
        }
    }
    Ok(())
}
