//! Circuits that have no proofs, and values that are no witness.

use backend_cpu::Cpu;
use backend_emulated::Emulated;
use backend_reference::CpuReference;
use circuit_common::N_RESERVED;
use circuits::{Circuit, CircuitError, Witness, WitnessError};
use circuits_core::blake::blake_g_gate;
use circuits_core::circuit::Add;
use circuits_core::context::{Context, FinalizedContext};
use circuits_core::ivalue::NoValue;
use circuits_core::ops::add;
use field::{M31, QM31};
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::OnDevice;
use prover_core::circle::ProveError;

use crate::examples;

fn refused(
    build: impl FnOnce(&mut Context<NoValue>),
    change: impl FnOnce(&mut FinalizedContext<NoValue>),
) -> CircuitError {
    let mut context = Context::new(N_RESERVED);
    build(&mut context);
    let one = context.one();
    context.set_outputs(&[one, one]);
    let mut context = context.finalize(false);
    change(&mut context);
    Circuit::new(&mut context).unwrap_err()
}

#[test]
fn circuits_without_proofs_are_refused_by_the_reason() {
    let nothing = |_: &mut Context<NoValue>| {};
    let found = refused(nothing, |context| context.context.circuit.add.truncate(context.context.circuit.add.len() - 1));
    assert!(matches!(found, CircuitError::Written { times: 0, .. }), "{found}");
    let found = refused(nothing, |context| context.context.circuit.add.push(Add { in0: 0, in1: 0, out: 1 }));
    assert_eq!(found, CircuitError::Written { wire: 1, times: 2 });
    let found = refused(nothing, |context| context.context.circuit.add.push(Add { in0: 0, in1: 1 << 40, out: 1 }));
    assert!(matches!(found, CircuitError::Wire { wire: 0x100_0000_0000, .. }), "{found}");
    let found = refused(nothing, |context| context.context.circuit.output.swap(1, 2));
    assert_eq!(found, CircuitError::Output { index: 1, wire: 4, expected: 3 });
    let reads_one = |context: &mut Context<NoValue>| {
        let zero = context.zero();
        let (a, ..) = blake_g_gate(context, zero, zero, zero, zero, zero, zero);
        add(context, a, zero);
    };
    let found = refused(reads_one, |_| ());
    assert_eq!(found, CircuitError::ReadDifferently { gate: 0, times: [1, 0, 0, 0] });
    let found = refused(nothing, |context| context.context.circuit.output.clear());
    assert_eq!(found, CircuitError::NoOutput);
    let found = refused(nothing, |context| context.context.circuit.n_vars = 1 << 31);
    assert!(matches!(found, CircuitError::Wires { .. }), "{found}");
}

/// The error of a backend about values of which one is changed.
fn error<B: StarkBackend<P = CircleStark>>(backend: &B, wire: usize, value: QM31) -> String {
    let mut values = examples::values(2);
    values[wire] = value;
    let witness = Witness::new(examples::circuit(), values).unwrap();
    match witness.tables(OnDevice::Proof, backend) {
        Err(ProveError::Trace(error)) => match error.downcast_ref() {
            Some(WitnessError::Gate { component, error }) => format!("{component}: {}", error.detail),
            _ => panic!("another error: {error}"),
        },
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("no error"),
    }
}

#[test]
fn a_gate_that_does_not_hold_is_named_on_every_backend() {
    let circuit = examples::circuit();
    let at = |column: &str, row: usize| circuit.column(column)[row].value() as usize;
    let number = |value: u32| QM31::from(M31::new(value));
    let of_gates = [
        (at("eq_in0_address", 0), number(9), "eq: "),
        (at("qm31_ops_out_address", circuit.first_rows()[1] as usize), number(9), "qm31_ops: "),
        (at("qm31_ops_out_address", circuit.first_rows()[2] as usize), number(9), "qm31_ops: "),
        (at("triple_xor_output_addr", 1), number(9), ""),
        (at("triple_xor_output_addr", 1), number(1 << 16), ""),
        (at("m31_to_u32_output_addr", 0), number(9), ""),
        (at("blake_g_gate_output_addr_c", 0), number(9), "blake_g_gate: "),
        (at("blake_g_gate_output_addr_c", 0), QM31([0, 0, 0, 1].map(M31::new)), "blake_g_gate: "),
    ];
    for (wire, value, component) in of_gates {
        let expected = error(&CpuReference::<CircleStark>::new(), wire, value);
        assert!(expected.starts_with(component), "{expected}");
        assert_eq!(error(&Cpu::<CircleStark>::new(), wire, value), expected);
        let device = backend_emulated::device().unwrap();
        let emulated = Emulated::<CircleStark>::new(backend_emulated::NAME, device).unwrap();
        assert_eq!(error(&emulated, wire, value), expected);
    }
}

#[test]
fn values_that_are_no_witness_are_refused() {
    let circuit = examples::circuit();
    let values = examples::values(2);
    let wires = values.len();
    let found = Witness::new(circuit.clone(), values[1..].to_vec()).unwrap_err();
    assert!(
        matches!(found, WitnessError::Values { given, wires: expected } if given + 1 == wires && expected == wires)
    );
    for wire in 0..3 {
        let mut values = values.clone();
        values[wire] += QM31::from(M31::new(1));
        let found = Witness::new(circuit.clone(), values).unwrap_err();
        assert!(matches!(found, WitnessError::Constant { wire: found, .. } if found == wire));
    }
}
