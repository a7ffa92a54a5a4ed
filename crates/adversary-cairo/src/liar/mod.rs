//! A malicious prover of Cairo programs: it follows the protocol to the byte, except where a dial, a [`Lie`], is
//! turned.
//!
//! A verifier must refuse every lie, and by the check that is there for it ([`Lie::stops`]): a lie that another check
//! stops says nothing about the check that it was made for. With no dial turned the statement is the true one.
//!
//! | where a lie is | how it is told |
//! |---|---|
//! | the trace | one cell of the honest main columns is another one, and the prover believes in an AIR without the constraints that it violates |
//! | the lookups | the prover believes in an AIR whose rows look up more than they do, so that claimed sums are other ones |
//! | the claim | the prover mixes another claim than the one about the run |
//! | the composition | the prover believes in an AIR without the constraints of a component |
//! | values at the point, the last layer | the prover's device says other ones than it computed |
//! | the rest | a proof is edited, and where it takes that the work is done again |
//!
//! All but the last are whole proofs by the real prover on a backend, which notices nothing: its statement is not the
//! verifier's, or its device is no honest one. Several dials may be on at a time.

mod air;
mod claim;
mod file;
mod finish;
mod lie;
mod point;
mod statement;
mod trace;
mod wrong;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cairo::air_1_3::Air13;
use cairo::preprocessed::Variant;
use cairo::prove::Error;
use cairo::statement::{CairoStatement, mixes};
use cairo::verify::Policy;
use cairo::version::ProofParts;
use cairo::witness::{Size, Sizes, Witness};
use cairo::{AirProof, Proof};
use cairo_air::claims::CairoClaim;
use cairo_run::Run;
use circle_air::Statement;
use circle_proof::CircleOptions;
use field::M31;
use gpu_hal::decorate::Hooked;
use gpu_hal::{CircleStark, Columns, NonceSearch, StarkBackend};
use prover_core::circle::{CircleProof, PreprocessedTrace, ProveError, Prover, TraceMaker};
use prover_core::{ModeOn, OnDevice, Silent};

pub use file::FileLie;
pub use lie::Lie;

use self::statement::{Surplus, Told};
use self::trace::Change;
use self::wrong::{Sayings, Wrong};

/// Main columns of each component, one after the other.
type Tables = Vec<Columns<Vec<M31>>>;

/// The component whose constraints the composition lacks, if it is to be another one.
const OTHER: &str = "add_opcode";

/// A malicious prover of a run.
pub struct Liar<B: StarkBackend<P = CircleStark>> {
    backend: Arc<Hooked<B, Wrong>>,
    wrong: Wrong,
    /// The false answers of the device belong to one proof at a time.
    turn: Mutex<()>,
    options: CircleOptions,
    statement: CairoStatement<Air13>,
    sizes: Sizes,
    tables: Arc<Tables>,
    preprocessed: OnceLock<Arc<PreprocessedTrace<Hooked<B, Wrong>>>>,
    honest: OnceLock<Proof>,
}

/// The honest columns except for some cells.
struct Given {
    tables: Arc<Tables>,
    changed: Vec<Cell>,
}

/// A component by its number, a cell of its columns, and its value.
#[derive(Clone, Copy)]
struct Cell {
    component: usize,
    at: usize,
    value: M31,
}

/// The instructions for a prover.
struct Telling {
    told: Told,
    /// The claim of the proof.
    claim: CairoClaim,
    changed: Vec<Cell>,
    sayings: Sayings,
}

impl Telling {
    fn truth<B: StarkBackend<P = CircleStark>>(liar: &Liar<B>) -> Self {
        let claim = liar.statement.claim().clone();
        Self { told: liar.told(), claim, changed: Vec::new(), sayings: Sayings::default() }
    }
}

impl TraceMaker for Given {
    fn make<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &self,
        mode: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        let upload = |(number, table): (usize, &Columns<Vec<M31>>)| {
            mode.upload(backend, Columns::new((), table.width, table.log_height), || {
                let mut values = Cow::Borrowed(table.data.as_slice());
                for cell in self.changed.iter().filter(|cell| cell.component == number) {
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
    /// A run that cannot be proven, or the backend's errors.
    pub fn new(backend: B, input: &Run, variant: Variant, options: CircleOptions) -> Result<Self, Error> {
        let witness = Witness::new::<Air13>(input, variant)?;
        let statement = CairoStatement::new(input, witness.sizes(), 0)?;
        let download = |table: Columns<B::Buffer>| -> Result<Columns<Vec<M31>>, ProveError> {
            let values = backend.download(table.as_ref(), 0..table.height())?;
            Ok(Columns::new(values, table.width, table.log_height))
        };
        let tables: Result<Tables, _> = witness.tables(OnDevice::Proof, &backend)?.into_iter().map(download).collect();
        let (tables, wrong) = (Arc::new(tables?), Wrong::default());
        Ok(Self {
            tables,
            sizes: witness.sizes().clone(),
            backend: Arc::new(Hooked::with_hook(backend, wrong.clone())),
            wrong,
            turn: Mutex::new(()),
            options,
            statement,
            preprocessed: OnceLock::new(),
            honest: OnceLock::new(),
        })
    }

    /// The policy that takes the honest proof's suite and security, and no less.
    pub fn policy(&self) -> Policy {
        let (min_query_bits, suite) = (self.options.claimed_bits(), self.options.suite);
        let proof = circle_proof::Policy { min_query_bits, suite, ..circle_proof::Policy::ANY };
        Policy { proof, ..Policy::default() }
    }

    /// The honest proof.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn honest(&self) -> Result<&Proof, Error> {
        if self.honest.get().is_none() {
            let proof = self.tell(Telling::truth(self))?.expect("there is nothing to be said");
            return Ok(self.honest.get_or_init(|| proof));
        }
        Ok(self.honest.get().expect("made above"))
    }

    /// A proof with lies in it; nothing if the run has nothing that one of them could be about, or if they exclude each
    /// other. Where a lie has a place the seed chooses it.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn prove(&self, lies: &[Lie], seed: u64) -> Result<Option<Proof>, Error> {
        let (edits, whole): (Vec<Lie>, Vec<Lie>) = lies.iter().partition(|lie| lie.is_edit());
        let mut proof = match whole.is_empty() {
            true => self.honest()?.clone(),
            false => {
                let Some(telling) = self.telling(&whole, seed)? else { return Ok(None) };
                let Some(proof) = self.tell(telling)? else { return Ok(None) };
                proof
            }
        };
        let grind = |challenge: &NonceSearch| self.backend.grind(challenge).ok().flatten();
        let could = |&lie: &Lie| lie.edit(&mut proof, self.options.suite, &grind);
        Ok(edits.iter().all(could).then_some(proof))
    }

    /// The instructions with which the prover's proof has all these lies.
    fn telling(&self, lies: &[Lie], seed: u64) -> Result<Option<Telling>, Error> {
        let mut telling = Telling::truth(self);
        for &lie in lies {
            let told = &mut telling.told;
            let mut surplus = None;
            if let Some(change) = Change::of(lie) {
                let Some((cell, rows)) = self.cell(&change, seed) else { return Ok(None) };
                told.loose.extend(change.is_loose.then_some(change.component));
                surplus = (lie == Lie::UnbalancedLookup).then_some(Surplus::Off { component: cell.component, rows });
                telling.changed.push(cell);
            } else if let Some(could) = claim::edit(lie, &mut telling.claim) {
                if !could {
                    return Ok(None);
                }
                told.mixes = mixes::<Air13>(&telling.claim, self.statement.salt());
            } else {
                match lie {
                    Lie::ClaimedSum => surplus = Some(Surplus::One),
                    Lie::ShiftedSums => surplus = Some(Surplus::Two),
                    Lie::OtherComposition => told.loose.push(OTHER),
                    Lie::OtherLast => telling.sayings.last = Some(self.options),
                    // The values come from the honest proof.
                    Lie::OutOfDomain if lies.len() == 1 => {
                        let Some(values) = point::satisfying(self.honest()?, self.options.suite, seed) else {
                            return Ok(None);
                        };
                        telling.sayings.values = values.into();
                    }
                    Lie::OutOfDomain => return Ok(None),
                    _ => {}
                }
            }
            if surplus.is_some() && std::mem::replace(&mut telling.told.surplus, surplus).is_some() {
                return Ok(None);
            }
        }
        if lies.contains(&Lie::OtherOrder) {
            let mixes = &mut telling.told.mixes;
            mixes.before_preprocessed = std::mem::take(&mut mixes.before_main);
        }
        Ok(Some(telling))
    }

    /// The truth.
    fn told(&self) -> Told {
        Told {
            statement: Arc::new(self.statement.clone()),
            names: self.sizes.components().iter().map(|size| size.component.name.to_owned()).collect(),
            claim: self.statement.claim().clone(),
            mixes: self.statement.mixes(),
            loose: Vec::new(),
            surplus: None,
        }
    }

    /// The cell that is changed, and its row before and after; `None` if the run has no such component.
    fn cell(&self, change: &Change, seed: u64) -> Option<(Cell, [Vec<M31>; 2])> {
        let is_it = |size: &Size| size.component.name == change.component;
        let component = self.sizes.components().iter().position(is_it)?;
        let (size, table) = (&self.sizes.components()[component], &self.tables[component]);
        // Addresses stand sixteen in a row.
        let entries = if change.component == "memory_address_to_id" { size.entries / 16 } else { size.entries };
        let row = (seed % entries.clamp(1, size.rows()) as u64) as usize;
        let before: Vec<M31> = table.data.iter().skip(row).step_by(size.rows()).copied().collect();
        let mut after = before.clone();
        after[change.column] = (change.value)(before[change.column]);
        let cell = Cell { component, at: change.column * size.rows() + row, value: after[change.column] };
        Some((cell, [before, after]))
    }

    /// Proves what the prover is told; nothing if the device was not asked for its false answer.
    fn tell(&self, telling: Telling) -> Result<Option<Proof>, Error> {
        let Telling { told, claim, changed, sayings } = telling;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let given = Given { tables: self.tables.clone(), changed };
        let preprocessed = self.preprocessed.get().cloned();
        let prover = Prover::with_maker(self.backend.clone(), Arc::new(told), &self.options, given, preprocessed)?;
        self.preprocessed.get_or_init(|| prover.preprocessed().clone());
        let (proven, is_said) = self.wrong.during(sayings, || prover.prove_made(&Silent));
        let CircleProof { proof, claimed_sums, interaction_nonce } = proven?;
        let proof = Proof::new(ProofParts {
            claim,
            claimed_sums,
            interaction_nonce: interaction_nonce.unwrap_or_default(),
            stark_proof: proof,
            salt: self.statement.salt(),
            variant: self.statement.preprocessed_variant(),
        });
        Ok(is_said.then_some(proof))
    }
}
