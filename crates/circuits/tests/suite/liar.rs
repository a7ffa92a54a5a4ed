//! A malicious prover of circuits: the real one, which is told a lie, and believes in a statement that the lie
//! satisfies.

use std::sync::{Arc, Mutex, OnceLock};

use backend_cpu::Cpu;
use circle_air::{AirComponent, Altered, ClaimedSumError, Statement};
use circuits::{Circuit, CircuitProof, CircuitStatement};
use field::{M31, QM31};
use gpu_hal::{CircleStark, Columns, StarkBackend};
use prover_core::circle::{CircleProof, PreprocessedTrace, ProveError, Prover, TraceMaker};
use prover_core::{ModeOn, Silent};

use crate::false_components::{balanced_table, loose_gates};
use crate::lie::Told;
use crate::proofs::OPTIONS;

/// A malicious prover of a circuit.
pub(crate) struct Liar {
    pub(crate) circuit: Arc<Circuit>,
    pub(crate) backend: Arc<Cpu<CircleStark>>,
    /// The circuit's own columns, of its first proof on.
    pub(crate) preprocessed: OnceLock<Arc<PreprocessedTrace<Cpu<CircleStark>>>>,
}

impl Liar {
    /// A whole proof, and the honest prover's verdict about the total of its lookups, which this one does not heed.
    pub(crate) fn prove(&self, told: Told) -> (CircuitProof, Result<(), ClaimedSumError>) {
        let has_own = told.preprocessed.is_none();
        let shared = self.preprocessed.get().filter(|_| has_own).cloned();
        let outputs = told.outputs.clone();
        let given = Given(told.columns.clone());
        let of = CircuitStatement::new(self.circuit.clone(), outputs.clone()).unwrap();
        let believed = Arc::new(Believed { of, told, total: Mutex::new(Ok(())) });
        let prover = Prover::with_maker(self.backend.clone(), believed.clone(), &OPTIONS, given, shared).unwrap();
        if has_own {
            self.preprocessed.get_or_init(|| prover.preprocessed().clone());
        }
        let CircleProof { proof, claimed_sums, interaction_nonce } = prover.prove_made(&Silent).unwrap();
        let interaction_nonce = interaction_nonce.expect("the statement asks for work");
        let total = believed.total.lock().unwrap().clone();
        (CircuitProof { proof, claimed_sums, interaction_nonce, outputs }, total)
    }
}

/// Main columns, by component.
struct Given(Vec<Vec<Vec<M31>>>);

impl TraceMaker for Given {
    fn make<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &self,
        mode: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        let upload = |columns: &Vec<Vec<M31>>| {
            let shape = Columns::new((), columns.len(), columns[0].len().ilog2());
            mode.upload(backend, shape, || Ok(columns.concat().into()))
        };
        self.0.iter().map(upload).collect()
    }
}

/// The statement that the prover believes in: the true one, but for what it is told.
struct Believed {
    of: CircuitStatement,
    told: Told,
    /// The true statement's verdict.
    total: Mutex<Result<(), ClaimedSumError>>,
}

impl Altered for Believed {
    fn of(&self) -> &dyn Statement {
        &self.of
    }

    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        self.told.preprocessed.clone().unwrap_or_else(|| self.of.preprocessed_values(lifting))
    }

    /// The sums of a balanced table are no multiplicities that could be counted.
    fn has_bounded_multiplicities(&self) -> bool {
        self.told.is_balanced
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let mut components = self.of.components(drawn);
        if self.told.is_loose {
            let gates = &mut components[1];
            *gates = loose_gates(gates.log_size(), drawn);
        }
        if self.told.is_balanced {
            components[10] = balanced_table(drawn);
        }
        components
    }

    /// Accepts any sums.
    fn check_claimed_sums(&self, drawn: &[QM31], claimed: &[QM31]) -> Result<(), ClaimedSumError> {
        *self.total.lock().unwrap() = self.of.check_claimed_sums(drawn, claimed);
        Ok(())
    }
}
