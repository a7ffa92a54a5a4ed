//! Whole proofs of a run in which something is not as it should be. `src/forgeries` tests row by row that every single
//! cell is bound; here the real prover refuses a cell of each kind of component.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use backend_cpu::Cpu;
use cairo::air_1_3::Air13;
use cairo::statement::CairoStatement;
use cairo::verify::{Expect, Policy, VerifyError, verify};
use cairo::version::ProofParts;
use cairo::witness::{Sizes, Witness};
use cairo::{AirProof, Proof};
use circle_air::{Altered, Statement};
use field::M31;
use gpu_hal::{CircleStark, Columns, StarkBackend};
use prover_core::circle::{CircleProof, ProveError, Prover, TraceMaker};
use prover_core::{ModeOn, OnDevice, Silent};

use super::vectors::Vector;

/// A component by its number, and a cell of its columns, which lie one after the other.
type Cell = (usize, usize);

/// The honest columns of a run except one cell, which is one more.
struct Given {
    tables: Vec<Columns<Vec<M31>>>,
    changed: Arc<Mutex<Option<Cell>>>,
}

impl TraceMaker for Given {
    fn make<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &self,
        mode: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        let changed = *self.changed.lock().unwrap();
        let upload = |(number, table): (usize, &Columns<Vec<M31>>)| {
            mode.upload(backend, Columns::new((), table.width, table.log_height), || {
                let mut values = Cow::Borrowed(table.data.as_slice());
                if let Some((_, cell)) = changed.filter(|(component, _)| *component == number) {
                    values.to_mut()[cell] += M31::new(1);
                }
                Ok(values)
            })
        };
        self.tables.iter().enumerate().map(upload).collect()
    }
}

/// A run made ready: the columns of the prover can be changed between its proofs.
struct Forger {
    sizes: Sizes,
    statement: CairoStatement<Air13>,
    changed: Arc<Mutex<Option<Cell>>>,
    prover: Prover<Cpu<CircleStark>, Given>,
}

impl Forger {
    /// Proves another statement than that about the run, of the same shape.
    fn new(name: &str, claimed: impl FnOnce(CairoStatement<Air13>) -> Claimed) -> Self {
        let vector = Vector::read(name);
        let backend = Arc::new(Cpu::<CircleStark>::new());
        let witness = Witness::new::<Air13>(vector.input(), vector.variant()).unwrap();
        let download = |table: Columns<_>| {
            let values = backend.download(table.as_ref(), 0..table.height()).unwrap();
            Columns::new(values, table.width, table.log_height)
        };
        let tables = witness.tables(OnDevice::Proof, &*backend).unwrap().into_iter().map(download).collect();
        let changed = Arc::new(Mutex::new(None));
        let given = Given { tables, changed: changed.clone() };
        let (statement, options) = (vector.statement(), vector.options("low"));
        let claimed = Arc::new(claimed(statement.clone()));
        let prover = Prover::with_maker(backend, claimed, &options, given, None).unwrap();
        Self { sizes: witness.sizes().clone(), statement, changed, prover }
    }

    /// A proof with a cell of a component changed, by column and row.
    fn prove(&self, changed: Option<(&str, usize, usize)>) -> Result<Proof, ProveError> {
        *self.changed.lock().unwrap() = changed.map(|(name, column, row)| {
            let number = self.sizes.components().iter().position(|size| size.component.name == name).unwrap();
            (number, (column << self.sizes.components()[number].log_size) + row)
        });
        let CircleProof { proof, claimed_sums, interaction_nonce } = self.prover.prove_made(&Silent)?;
        Ok(Proof::new(ProofParts {
            claim: self.statement.claim().clone(),
            claimed_sums,
            interaction_nonce: interaction_nonce.unwrap(),
            stark_proof: proof,
            salt: self.statement.salt(),
            variant: self.statement.preprocessed_variant(),
        }))
    }
}

/// Takes three queries.
fn any() -> Policy {
    Policy { proof: circle_proof::Policy::ANY, ..Policy::default() }
}

#[test]
fn a_changed_cell_is_refused_by_the_prover() {
    // The prover does not look at the work before the lookups, and is spared it.
    let forger = Forger::new("poseidon_20.small", |statement| Claimed { statement, work: 0, added: M31::new(0) });
    // The first of two inverses of a condition, which no lookup reads: found out when the constraints are evaluated.
    let error = forger.prove(Some(("jnz_opcode_taken", 36, 0))).err().unwrap();
    assert!(matches!(error, ProveError::Unsatisfied(_)), "{error}");
    // All constraints hold: found out before the interaction columns are committed to.
    for cell in [
        // The id of an input.
        ("poseidon_builtin", 0, 31),
        // A word that a round hands to the next.
        ("poseidon_full_round_chain", 2, 255),
        // A limb of a value.
        ("memory_id_to_big", 0, 127),
        // How often an entry of a table is used.
        ("range_check_9_9", 0, 5),
    ] {
        let error = forger.prove(Some(cell)).err().unwrap();
        assert!(matches!(error, ProveError::ClaimedSums(_)), "{cell:?}: {error}");
    }
}

/// A statement that differs from the one about a run in what no claim says.
struct Claimed {
    statement: CairoStatement<Air13>,
    /// Bits of work before the lookups.
    work: u32,
    /// Added to the first value of a preprocessed column that no component of the run reads.
    added: M31,
}

impl Altered for Claimed {
    fn of(&self) -> &dyn Statement {
        &self.statement
    }

    fn interaction_pow_bits(&self) -> u32 {
        self.work
    }

    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        let mut values = self.statement.preprocessed_values(lifting);
        let columns = self.statement.preprocessed(lifting);
        let points = columns.iter().position(|column| column.id == "pedersen_points_small_0").unwrap();
        values[points][0] += self.added;
        values
    }

    fn variant(&self) -> Option<Box<dyn Statement>> {
        self.statement.variant()
    }
}

/// The reference's verifier accepts such a proof, whatever the columns hold. One cell of the main columns is another,
/// too: the id at an address beyond the last, which nothing reads and a proof says nothing about.
#[test]
fn a_proof_over_other_preprocessed_columns_is_refused() {
    let claimed = |statement: CairoStatement<Air13>| {
        let work = statement.interaction_pow_bits();
        Claimed { statement, work, added: M31::new(1) }
    };
    let proof = Forger::new("tiny.small", claimed).prove(Some(("memory_address_to_id", 30, 15))).unwrap();
    let (root, main) = (proof.stark_proof.commitments[0], proof.stark_proof.commitments[1]);
    assert_ne!(main.0, Vector::read("tiny.small").root("low", "main"));
    let error = verify(proof.clone(), &any(), &Expect::default()).unwrap_err();
    assert!(matches!(error, VerifyError::Root { found, .. } if found == root.0), "{error}");
    // Nothing else is wrong with it.
    let mut policy = any();
    policy.proof.preprocessed_root = Some(root.0);
    verify(proof, &policy, &Expect::default()).unwrap();
}
