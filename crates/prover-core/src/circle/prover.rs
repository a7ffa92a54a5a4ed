//! The proof, round by round.

use std::sync::Arc;

use blake2::{Blake2s256, Digest as _};
use circle_air::{RecordedStatement, Statement, TREES, qm31, secure};
use circle_proof::{CircleOptions, Envelope, Proof};
use field::M31;
use gpu_hal::{CircleStark, Columns, GrindChallenge, Logup, StarkBackend};
use stwo::core::fields::qm31::SecureField;
use stwo::core::fri::FriProof;
use stwo::core::pcs::quotients::CommitmentSchemeProof;
use stwo::core::pcs::{PcsConfig, TreeVec};
use stwo::core::poly::line::LinePoly;
use stwo::core::proof::StarkProof;
use stwo::core::vcs::blake2_hash::Blake2sHash;

use super::composition::{self, Input};
use super::plan::{self, Input as PlanInput, Plan};
use super::preprocessed::{self, Layout, Preprocessed};
use super::samples::{Outside, Samples, offsets};
use super::tree::{Part, Table, Tree, extend};
use super::witness::{self, Generator, MainTable, Making, Witness};
use super::{ProveError, fri, openings, quotient};
use crate::observer::{Observer, Phase, begin};

/// A proof, and what travels beside it.
#[derive(Clone, Debug)]
pub struct CircleProof {
    /// stwo's proof.
    pub proof: Proof,
    /// The sums of the lookups, one for each component that has any, in order.
    pub claimed_sums: Vec<SecureField>,
}

/// A table of lookup columns for each component that has any, and the sums of those that have.
type Interaction<B> = (Vec<Option<Table<B>>>, Vec<SecureField>);

/// The programs of a component.
pub(crate) struct Programs<B: StarkBackend> {
    pub(crate) constraints: B::Program,
    pub(crate) logup: Option<B::Program>,
}

/// A statement made ready on a backend: recorded, its programs prepared, its preprocessed columns committed to. It serves any
/// number of proofs. It owns what it needs, so a server can hold it and share it between threads.
pub struct Prover<B: StarkBackend<P = CircleStark>> {
    pub(crate) backend: Arc<B>,
    pub(crate) statement: Arc<dyn Statement>,
    pub(crate) options: CircleOptions,
    /// Log2 of the common domain, `L`.
    log_domain: u32,
    pub(crate) recorded: RecordedStatement,
    programs: Vec<Programs<B>>,
    /// What makes the trace on the device, if the statement and the backend can.
    pub(crate) trace_programs: Option<Vec<Making<B>>>,
    plan: Plan,
    preprocessed: Preprocessed<B>,
}

impl<B: StarkBackend<P = CircleStark>> Prover<B> {
    /// Records the statement, prepares its programs and commits to its preprocessed columns.
    ///
    /// # Errors
    /// Options that do not fit, a statement that contradicts itself, one whose proof takes more memory than there is, or what the backend
    /// reports.
    pub fn new(backend: Arc<B>, statement: Arc<dyn Statement>, options: &CircleOptions) -> Result<Self, ProveError> {
        let recorded = RecordedStatement::new(&*statement, options.lifting)?;
        let log_domain = options.validate(recorded.max_log_size())?;
        recorded.check_config(&*statement, &PcsConfig::from(*options))?;
        let programs = recorded.components.iter().map(|component| {
            let logup = component.logup.as_ref().map(|logup| backend.prepare(&logup.program)).transpose()?;
            Ok(Programs { constraints: backend.prepare(&component.constraints)?, logup })
        });
        let programs: Vec<Programs<B>> = programs.collect::<Result<_, ProveError>>()?;
        let trace_programs = witness::prepare(&*backend, &*statement)?;
        let layout = Layout::new(&recorded);
        let made = preprocessed::program(&*backend, &*statement, options.lifting);
        let plan = plan::plan(&PlanInput {
            backend: &*backend,
            recorded: &recorded,
            layout: &layout,
            programs: &programs,
            trace: Generator::new(&*statement, trace_programs.as_deref()).as_ref(),
            makes_preprocessed: made.is_some(),
            options,
            log_domain,
        });
        plan.check_before_anything(&*backend)?;
        let preprocessed = Preprocessed::new(&*backend, &*statement, made, (&recorded, &layout), options)?;
        Ok(Self {
            backend,
            statement,
            options: *options,
            log_domain,
            recorded,
            programs,
            trace_programs,
            plan,
            preprocessed,
        })
    }

    /// What a proof takes on the device.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The recorded statement.
    pub fn recorded(&self) -> &RecordedStatement {
        &self.recorded
    }

    /// Proves a trace: by component and column, in the order of the rows.
    ///
    /// # Errors
    /// A trace of another shape or one that does not satisfy the statement; what the backend reports.
    pub fn prove(
        &self,
        trace: &[Vec<Vec<M31>>],
        observer: &dyn Observer<SecureField>,
    ) -> Result<CircleProof, ProveError> {
        self.prove_from(Witness::Host(trace), observer)
    }

    pub(crate) fn prove_from(
        &self,
        witness: Witness<'_, B>,
        observer: &dyn Observer<SecureField>,
    ) -> Result<CircleProof, ProveError> {
        let (backend, statement) = (&*self.backend, &*self.statement);
        let (options, recorded) = (&self.options, &self.recorded);
        self.check_shape(&witness)?;
        self.plan.check_before_a_proof(backend)?;
        let span = begin(observer, Phase::Main);
        let tables = self.main_tables(&witness)?.into_iter().map(|MainTable { rows, extended }| (rows, extended));
        let (main_rows, extended): (Vec<_>, Vec<_>) = tables.unzip();
        let main = self.commit(extended)?;
        observer.root("main", &main.root);
        drop(span);

        let span = begin(observer, Phase::Auxiliary);
        let roots = [self.preprocessed.tree.root, main.root].map(Blake2sHash);
        let draws = statement.draws();
        let (envelope, drawn) = Envelope::begin(options, &statement.words(), roots[0], roots[1], draws);
        observer.values("drawn", &drawn);
        let (interaction, claimed_sums) = match draws {
            0 => (None, Vec::new()),
            _ => {
                let (tables, sums) = self.interaction(main_rows, &drawn)?;
                statement.check_claimed_sums(&drawn, &sums)?;
                let extended = tables
                    .into_iter()
                    .map(|rows| rows.map(|rows| extend(backend, rows.as_ref(), options.log_blowup)).transpose());
                (Some(self.commit(extended.collect::<Result<_, _>>()?)?), sums)
            }
        };
        let closing = interaction.as_ref().map(|tree| (claimed_sums.as_slice(), Blake2sHash(tree.root)));
        let rounds = envelope.close(closing)?;
        if let Some(tree) = &interaction {
            observer.values("claimed sums", &claimed_sums);
            observer.root("interaction", &tree.root);
        }
        drop(span);

        let span = begin(observer, Phase::Composition);
        let (out_of_domain, alpha) = rounds.composition();
        observer.values("alpha", &[alpha]);
        let params = recorded.params(statement, &drawn, &claimed_sums)?;
        let composition = self.composition(&main, interaction.as_ref(), &params, alpha)?;
        observer.root("composition", &composition.root);
        drop(span);

        let span = begin(observer, Phase::OutOfDomain);
        let (sampled, point) = out_of_domain.point(Blake2sHash(composition.root));
        let outside = Outside::new(point.ok_or(ProveError::Degenerate)?, self.log_domain, options.log_blowup);
        let mut trees = vec![&self.preprocessed.tree, &main];
        trees.extend(&interaction);
        trees.push(&composition);
        let samples = Samples::new(backend, &trees, offsets(recorded, trees.len()), &outside)?;
        samples.check_identity(recorded, &params, qm31(alpha), &outside)?;
        let flat: Vec<SecureField> = samples.flat().map(secure).collect();
        let (mut folding, beta) = sampled.quotients(&flat);
        observer.values("sampled values", &flat);
        observer.values("beta", &[beta]);
        drop(span);

        let span = begin(observer, Phase::Deep);
        let quotient = quotient::quotient(backend, &trees, &samples, beta, &outside)?;
        drop(span);

        let span = begin(observer, Phase::Fri);
        let folded = fri::fold(backend, quotient, options, &mut folding)?;
        observer.values("last layer", &folded.last);
        let work = folding.last(&folded.last);
        drop(span);

        let span = begin(observer, Phase::Grinding);
        let nonce = self.grind(work.digest())?;
        let positions = work.queries(nonce, self.log_domain, options.queries);
        observer.queries(&positions);
        drop(span);

        let _span = begin(observer, Phase::Openings);
        let opened = openings::open(backend, &trees, &folded.layers, &positions, self.log_domain)?;
        let mut layers = opened.layers.into_iter();
        let sampled_values = samples
            .values
            .into_iter()
            .map(|tree| tree.into_iter().map(|column| column.into_iter().map(secure).collect()).collect());
        let proof = StarkProof(CommitmentSchemeProof {
            config: PcsConfig::from(*options),
            commitments: TreeVec(trees.iter().map(|tree| Blake2sHash(tree.root)).collect()),
            sampled_values: TreeVec(sampled_values.collect()),
            decommitments: TreeVec(opened.decommitments),
            queried_values: TreeVec(opened.queried),
            proof_of_work: nonce,
            fri_proof: FriProof {
                first_layer: layers.next().expect("there is a first layer"),
                inner_layers: layers.collect(),
                last_layer_poly: LinePoly::new(folded.last),
            },
        });
        Ok(CircleProof { proof, claimed_sums })
    }

    /// Commits to the extended table of each component that has one.
    fn commit(&self, extended: Vec<Option<Table<B>>>) -> Result<Tree<B>, ProveError> {
        let mut first = 0;
        let parts = extended.into_iter().flatten().map(|table| {
            let columns = (first..first + table.width).collect();
            first += table.width;
            Part { table, columns }
        });
        Tree::commit(&*self.backend, parts.collect(), self.options.lifting)
    }

    /// The columns of the lookups of each component that has any, in row order, and their sums. The main rows of a component go when its
    /// columns are made.
    fn interaction(
        &self,
        main_rows: Vec<Option<Table<B>>>,
        drawn: &[SecureField],
    ) -> Result<Interaction<B>, ProveError> {
        let backend = &*self.backend;
        let params = self.recorded.logup_params(&*self.statement, drawn)?;
        let (mut tables, mut sums) = (Vec::new(), Vec::new());
        for (index, (component, main)) in self.recorded.components.iter().zip(main_rows).enumerate() {
            let programs = &self.programs[index];
            let (Some(logup), Some(program), Some(fixed)) =
                (&component.logup, &programs.logup, self.preprocessed.rows(index))
            else {
                tables.push(None);
                continue;
            };
            let main = main.map_or_else(|| backend.upload(&[], 0, component.log_size), Ok)?;
            let fractions: Vec<(usize, usize)> = (0..logup.batches).map(|batch| (2 * batch, 2 * batch + 1)).collect();
            let (table, sum) = backend.logup(&Logup {
                program,
                columns: &[fixed, main.as_ref()],
                log_height: component.log_size,
                params: &params[index],
                fractions: &fractions,
            })?;
            tables.push(Some(table));
            sums.push(secure(sum));
        }
        Ok((tables, sums))
    }

    /// The part of a component among those of a tree; `None` if it has no columns there.
    fn part(&self, tree: usize, component: usize) -> Option<usize> {
        let has_columns = |component: &&circle_air::Recorded| component.width(tree) > 0;
        let components = &self.recorded.components;
        components.get(component).filter(has_columns)?;
        Some(components[..component].iter().filter(has_columns).count())
    }

    fn composition(
        &self,
        main: &Tree<B>,
        interaction: Option<&Tree<B>>,
        params: &[Vec<field::QM31>],
        alpha: SecureField,
    ) -> Result<Tree<B>, ProveError> {
        let components = &self.recorded.components;
        // What a component has no columns of is a table without columns, of its height.
        let empty = components.iter().map(|component| {
            let lacks = (1..TREES).any(|tree| component.width(tree) == 0);
            lacks.then(|| self.backend.upload(&[], 0, component.log_size + self.options.log_blowup)).transpose()
        });
        let empty: Vec<Option<Table<B>>> = empty.collect::<Result<_, _>>()?;
        let inputs: Vec<Input<'_, B>> = components
            .iter()
            .enumerate()
            .map(|(index, component)| {
                let of_main = self.part(1, index).map(|part| main.part(part));
                let of_interaction = interaction.zip(self.part(2, index)).map(|(tree, part)| tree.part(part));
                let empty = || empty[index].as_ref().map(Columns::as_ref).expect("made where a table is lacking");
                Input {
                    program: &self.programs[index].constraints,
                    columns: [
                        self.preprocessed.extended(index),
                        of_main.unwrap_or_else(empty),
                        of_interaction.unwrap_or_else(empty),
                    ],
                    log_size: component.log_size,
                    constraints: component.constraint_count(),
                    params: &params[index],
                }
            })
            .collect();
        composition::commit(&*self.backend, &inputs, qm31(alpha), self.options.log_blowup, self.options.lifting)
    }

    /// The first nonce that does the work, in the order of section 12.
    fn grind(&self, digest: [u8; 32]) -> Result<u64, ProveError> {
        let bits = self.options.pow_bits;
        let prefix = Blake2s256::new()
            .chain_update(0x1234_5678_u32.to_le_bytes())
            .chain_update([0; 12])
            .chain_update(digest)
            .chain_update(bits.to_le_bytes())
            .finalize();
        let challenge = GrindChallenge { digest: prefix.into(), bits };
        self.backend.grind(&challenge)?.ok_or(ProveError::Grinding(bits))
    }
}
