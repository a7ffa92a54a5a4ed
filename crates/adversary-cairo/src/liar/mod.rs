//! A malicious prover of Cairo programs: it follows the protocol to the byte, except where a dial, a [`Lie`], is turned.
//!
//! A verifier must refuse every lie, and by the check that is there for it ([`Lie::stops`]): a lie that another check stops says nothing about
//! the check that it was made for. With no dial turned the statement is the true one.
//!
//! | where a lie is | how it is told |
//! |---|---|
//! | the trace | one cell of the honest main columns is another one, and the prover believes in an AIR without the constraints that it violates |
//! | the lookups | the prover believes in an AIR whose rows look up more than they do, so that claimed sums are other ones |
//! | the claim | the prover mixes another claim than the one about the run |
//! | the rest | the honest proof is edited, and where it takes that the work is done again |
//!
//! The first three are whole proofs by the real prover on a backend, which notices nothing: its statement is not the verifier's.

mod air;
mod claim;
mod file;
mod finish;
mod lie;
mod statement;
mod trace;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use blake2::{Blake2s256, Digest as _};
use cairo::ProverInput;
use cairo::preprocessed::Variant;
use cairo::prove::Error;
use cairo::statement::{CairoStatement, mixes};
use cairo::verify::{Policy, Proof};
use cairo::witness::{Live, Size, Sizes, Witness};
use cairo_air::claims::CairoClaim;
use circle_air::Statement;
use circle_proof::CircleOptions;
use field::M31;
use gpu_hal::{CircleStark, Columns, GrindChallenge, StarkBackend};
use prover_core::circle::{CircleProof, PreprocessedTrace, ProveError, Prover, TraceMaker};
use prover_core::{Silent, Stage};

pub use file::FileLie;
pub use lie::Lie;

use self::statement::{Surplus, Told};
use self::trace::Change;

/// Main columns of each component, one after the other.
type Tables = Vec<Columns<Vec<M31>>>;

/// A malicious prover of a run.
pub struct Liar<B: StarkBackend<P = CircleStark>> {
    backend: Arc<B>,
    options: CircleOptions,
    statement: CairoStatement,
    sizes: Sizes,
    tables: Arc<Tables>,
    preprocessed: OnceLock<Arc<PreprocessedTrace<B>>>,
    honest: OnceLock<Proof>,
}

/// The honest columns but for one cell.
struct Given {
    tables: Arc<Tables>,
    changed: Option<Cell>,
}

/// A component by its number, a cell of its columns, and its value.
#[derive(Clone, Copy)]
struct Cell {
    component: usize,
    at: usize,
    value: M31,
}

impl TraceMaker for Given {
    fn make<B: StarkBackend<P = CircleStark>, S: Stage<B>>(
        &self,
        stage: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        let upload = |(number, table): (usize, &Columns<Vec<M31>>)| {
            stage.upload(backend, Columns::new((), table.width, table.log_height), || {
                let mut values = Cow::Borrowed(table.data.as_slice());
                if let Some(cell) = self.changed.filter(|cell| cell.component == number) {
                    values.to_mut()[cell.at] = cell.value;
                }
                Ok(values)
            })
        };
        self.tables.iter().enumerate().map(upload).collect()
    }
}

impl<B: StarkBackend<P = CircleStark>> Liar<B> {
    /// The liar about a run, with all dials off.
    ///
    /// # Errors
    /// A run that cannot be proven, or what the backend reports.
    pub fn new(backend: Arc<B>, input: &ProverInput, variant: Variant, options: CircleOptions) -> Result<Self, Error> {
        let witness = Witness::new(input, variant)?;
        let statement = CairoStatement::new(input, witness.sizes(), 0)?;
        let download = |table: Columns<B::Buffer>| -> Result<Columns<Vec<M31>>, ProveError> {
            let values = backend.download(table.as_ref(), 0..table.height())?;
            Ok(Columns::new(values, table.width, table.log_height))
        };
        let tables: Result<Tables, _> = witness.tables(&Live, &*backend)?.into_iter().map(download).collect();
        Ok(Self {
            tables: Arc::new(tables?),
            sizes: witness.sizes().clone(),
            backend,
            options,
            statement,
            preprocessed: OnceLock::new(),
            honest: OnceLock::new(),
        })
    }

    /// The policy that takes what the honest proof is worth, and no less.
    pub fn policy(&self) -> Policy {
        let min_query_bits = self.options.claimed_bits();
        Policy { proof: circle_proof::Policy { min_query_bits, ..circle_proof::Policy::ANY }, ..Policy::default() }
    }

    /// The honest proof.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn honest(&self) -> Result<&Proof, Error> {
        if self.honest.get().is_none() {
            let proof = self.tell(self.told(), self.statement.claim().clone(), None)?;
            return Ok(self.honest.get_or_init(|| proof));
        }
        Ok(self.honest.get().expect("made above"))
    }

    /// A proof with a lie in it; nothing if the run has nothing that it could be about. Where the lie has a place the seed chooses it.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn prove(&self, lie: Lie, seed: u64) -> Result<Option<Proof>, Error> {
        let (mut told, mut claim) = (self.told(), self.statement.claim().clone());
        let mut changed = None;
        if let Some(change) = Change::of(lie) {
            let Some((cell, rows)) = self.cell(&change, seed) else { return Ok(None) };
            told.loose = change.is_loose.then_some(change.component);
            if lie == Lie::UnbalancedLookup {
                told.surplus = Some(Surplus::Off { component: cell.component, rows });
            }
            changed = Some(cell);
        } else if let Some(could) = claim::edit(lie, &mut claim) {
            if !could {
                return Ok(None);
            }
            told.mixes = mixes(&claim, self.statement.salt());
        } else {
            match lie {
                Lie::ClaimedSum => told.surplus = Some(Surplus::One),
                Lie::ShiftedSums => told.surplus = Some(Surplus::Two),
                Lie::OtherOrder => {
                    told.mixes.before_preprocessed = std::mem::take(&mut told.mixes.before_main);
                }
                _ => {
                    let mut proof = self.honest()?.clone();
                    return Ok(finish::edit(lie, &mut proof, &|digest, bits| self.grind(digest, bits)).then_some(proof));
                }
            }
        }
        self.tell(told, claim, changed).map(Some)
    }

    /// The first nonce that does so much work on a digest of stwo's channel.
    fn grind(&self, digest: [u8; 32], bits: u32) -> Option<u64> {
        let prefix = Blake2s256::new().chain_update(0x1234_5678_u32.to_le_bytes()).chain_update([0; 12]);
        let prefix = prefix.chain_update(digest).chain_update(bits.to_le_bytes()).finalize();
        self.backend.grind(&GrindChallenge { digest: prefix.into(), bits }).ok().flatten()
    }

    /// The truth.
    fn told(&self) -> Told {
        Told {
            statement: Arc::new(self.statement.clone()),
            names: self.sizes.components().iter().map(|size| size.component.name.to_owned()).collect(),
            claim: self.statement.claim().clone(),
            mixes: self.statement.mixes(),
            loose: None,
            surplus: None,
        }
    }

    /// The cell that is changed, and its row before and after; `None` if the run has no such component.
    fn cell(&self, change: &Change, seed: u64) -> Option<(Cell, [Vec<M31>; 2])> {
        let is_it = |size: &Size| size.component.name == change.component;
        let component = self.sizes.components().iter().position(is_it)?;
        let (size, table) = (&self.sizes.components()[component], &self.tables[component]);
        // Those of addresses are sixteen a row.
        let entries = if change.component == "memory_address_to_id" { size.entries / 16 } else { size.entries };
        let row = (seed % entries.clamp(1, size.rows()) as u64) as usize;
        let before: Vec<M31> = table.data.iter().skip(row).step_by(size.rows()).copied().collect();
        let mut after = before.clone();
        after[change.column] = (change.value)(before[change.column]);
        let cell = Cell { component, at: change.column * size.rows() + row, value: after[change.column] };
        Some((cell, [before, after]))
    }

    /// Proves what the prover is told, under a claim.
    fn tell(&self, told: Told, claim: CairoClaim, changed: Option<Cell>) -> Result<Proof, Error> {
        let given = Given { tables: self.tables.clone(), changed };
        let preprocessed = self.preprocessed.get().cloned();
        let prover = Prover::with_maker(self.backend.clone(), Arc::new(told), &self.options, given, preprocessed)?;
        self.preprocessed.get_or_init(|| prover.preprocessed().clone());
        let CircleProof { proof, claimed_sums, interaction_nonce } = prover.prove_made(&Silent)?;
        Ok(Proof {
            claim,
            interaction_pow: interaction_nonce.unwrap_or_default(),
            interaction_claim: self.statement.interaction_claim(&claimed_sums),
            stark_proof: proof,
            channel_salt: self.statement.salt(),
            preprocessed_trace_variant: self.statement.preprocessed_variant(),
        })
    }
}
