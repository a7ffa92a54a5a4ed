//! Values of the circuit without building it: its gates are recorded once, and executed for each proof.

use circle_air::qm31;
use circuit_cairo_verifier::statement::{CairoStatement, MEMORY_VALUES_LIMBS, PUBLIC_DATA_LEN};
use circuit_cairo_verifier::verify::CairoVerifierConfig;
use circuit_common::N_RESERVED;
use circuit_common::finalize::add_zk_blinding;
use circuits::values::{GateRecording, RecordError, Traced};
use circuits_core::circuit::{Circuit as Gates, PointwiseMul};
use circuits_core::context::Context;
use circuits_core::ivalue::{IValue, NoValue};
use circuits_core::ops::Guess;
use circuits_stark_verifier::proof::{Proof, empty_proof};
use circuits_stark_verifier::verify::verify;
use field::QM31;
use gpu_hal::Digest;
use num_traits::Zero;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;

/// The public numbers of a Cairo proof, as the circuit takes them.
pub(crate) struct Claim {
    /// Public data, then log2 of the rows of each component.
    pub(crate) numbers: Vec<BaseField>,
    /// The limbs of the outputs.
    pub(crate) outputs: Vec<[BaseField; MEMORY_VALUES_LIMBS]>,
}

impl Claim {
    /// One of the right form.
    fn zeros(config: &CairoVerifierConfig) -> Self {
        let components = config.enabled_bits.iter().filter(|is_enabled| **is_enabled).count();
        let numbers = PUBLIC_DATA_LEN + config.n_outputs + config.program.len() + components;
        let zero = BaseField::zero();
        Self { numbers: vec![zero; numbers], outputs: vec![[zero; MEMORY_VALUES_LIMBS]; config.n_outputs] }
    }

    /// Whether it has the form that the circuit is for.
    pub(crate) fn is_of(&self, config: &CairoVerifierConfig) -> bool {
        let Self { numbers, outputs } = Self::zeros(config);
        self.numbers.len() == numbers.len() && self.outputs.len() == outputs.len()
    }
}

/// The first part of the published builder: the statement about the claim.
fn statement<V: IValue>(context: &mut Context<V>, config: &CairoVerifierConfig, claim: Claim) -> CairoStatement<V> {
    CairoStatement::new(
        context,
        claim.numbers,
        claim.outputs,
        config.program.clone(),
        config.enabled_bits.clone(),
        config.preprocessed_root,
        config.preprocessed_trace_variant,
    )
}

/// Records the circuit. The values that are given are those of [`given`].
pub(crate) fn record(config: &CairoVerifierConfig) -> Result<GateRecording, RecordError> {
    GateRecording::of(|| {
        let mut empty = Context::<NoValue>::new(N_RESERVED);
        statement(&mut empty, config, Claim::zeros(config));
        let proof = empty_proof(&config.proof_config).guess(&mut empty);
        let mut context = Context::<Traced>::new(N_RESERVED);
        let statement = statement(&mut context, config, Claim::zeros(config));
        guess_as(&empty, &mut context);
        let given = context.circuit.n_vars;
        verify(&mut context, &proof, &config.proof_config, &statement);
        (context.finalize(false), given)
    })
}

/// Guesses the wires of a proof as another context has guessed them, which was the same before: a proof can be guessed
/// without values alone.
fn guess_as(other: &Context<NoValue>, context: &mut Context<Traced>) {
    let Gates { n_vars, pointwise_mul, .. } = &other.circuit;
    while context.circuit.n_vars < *n_vars {
        context.new_var(Traced::placeholder());
    }
    context.guessed_vars.clone_from(&other.guessed_vars);
    // Numbers of the base field are masked; a proof has no other gates.
    let masks = &pointwise_mul[context.circuit.pointwise_mul.len()..];
    context.circuit.pointwise_mul.extend(masks.iter().map(|&PointwiseMul { in0, in1, out }| PointwiseMul {
        in0,
        in1,
        out,
    }));
}

/// The values of the first wires for a proof: its own, and those of its claim.
pub(crate) fn given(config: &CairoVerifierConfig, proof: &Proof<SecureField>, claim: Claim) -> Vec<QM31> {
    let mut context = Context::<SecureField>::new(N_RESERVED);
    statement(&mut context, config, claim);
    proof.guess(&mut context);
    context.values().iter().copied().map(qm31).collect()
}

/// The values of the wires of a blinding.
pub(crate) fn blinding(seed: Digest, rows: usize) -> Vec<QM31> {
    let mut context = Context::<SecureField>::new(0).finalize(false);
    let before = context.values().len();
    add_zk_blinding(&mut context, seed, rows);
    context.values()[before..].iter().copied().map(qm31).collect()
}
