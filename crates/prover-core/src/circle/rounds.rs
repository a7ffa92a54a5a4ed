//! A proof, round by round. The order of what is mixed and drawn is [`circle_proof::envelope`]'s.

use blake2::{Blake2s256, Digest as _};
use circle_air::{Drawn, TREES, qm31, secure};
use circle_proof::{Envelope, Proof};
use field::{Field, QM31};
use gpu_hal::{Accumulated, CircleStark, Columns, EvalOrder, GrindChallenge, Running, RunningForm, StarkBackend};
use stwo::core::fields::qm31::SecureField;
use stwo::core::fri::FriProof;
use stwo::core::pcs::quotients::CommitmentSchemeProof;
use stwo::core::pcs::{PcsConfig, TreeVec};
use stwo::core::poly::line::LinePoly;
use stwo::core::proof::StarkProof;
use stwo::core::vcs::blake2_hash::Blake2sHash;

use super::composition::{self, Input};
use super::context::Context;
use super::samples::{Outside, Samples, offsets};
use super::tree::{Part, Tree, extend};
use super::witness::MainTable;
use super::{ProveError, fri, openings, quotient};
use crate::observer::{Phase, begin};
use crate::stage::Stage;
use crate::table::Table;

/// A proof, and what travels beside it.
#[derive(Clone, Debug)]
pub struct CircleProof {
    /// stwo's proof.
    pub proof: Proof,
    /// The sums of the lookups, one for each component that has any, in order.
    pub claimed_sums: Vec<SecureField>,
    /// The nonce of the work before the elements of the AIR, if the statement asks for any.
    pub interaction_nonce: Option<u64>,
}

/// A table of lookup columns for each component that has any, and the sums of those that have.
type Interaction<B> = (Vec<Option<Table<B>>>, Vec<SecureField>);

impl<B: StarkBackend<P = CircleStark>, S: Stage<B>> Context<'_, B, S> {
    /// Proves. `main` makes the main columns of every component.
    pub(crate) fn prove(
        &self,
        main: impl FnOnce(&Self) -> Result<Vec<MainTable<B>>, ProveError>,
    ) -> Result<CircleProof, ProveError> {
        let (stage, observer, backend, statement) = (self.stage, self.observer, self.backend, self.statement);
        let (options, recorded) = (self.options, self.recorded);
        let span = begin(stage, observer, Phase::Main)?;
        let tables = main(self)?.into_iter().map(|MainTable { rows, extended }| (rows, extended));
        let (main_rows, extended): (Vec<_>, Vec<_>) = tables.unzip();
        let main = self.commit(extended)?;
        observer.root("main", &main.root);
        drop(span);

        let span = begin(stage, observer, Phase::Auxiliary)?;
        let roots = [self.preprocessed.tree().root, main.root].map(Blake2sHash);
        let draws = statement.draws();
        let committed = Envelope::begin(options, &statement.mixes(), roots[0], roots[1]);
        let interaction_nonce = match statement.interaction_pow_bits() {
            0 => None,
            bits => Some(self.grind(committed.digest(), bits)?),
        };
        let (envelope, drawn) = committed.draw(interaction_nonce, draws);
        observer.values("drawn", &drawn);
        // A rehearsal draws nothing that parameters could be made of.
        let of_draw = stage.either(|| recorded.drawn(statement, &drawn).map(Some), || Ok(None))?;
        let (interaction, claimed_sums) = match draws {
            0 => (None, Vec::new()),
            _ => {
                let (tables, sums) = self.interaction(main_rows, of_draw.as_ref())?;
                stage.either(|| statement.check_claimed_sums(&drawn, &sums), || Ok(()))?;
                let extended = tables.into_iter().map(|rows| {
                    rows.map(|rows| extend(backend, rows.as_ref(), EvalOrder::Row, options.log_blowup)).transpose()
                });
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

        let span = begin(stage, observer, Phase::Composition)?;
        let (out_of_domain, alpha) = rounds.composition();
        observer.values("alpha", &[alpha]);
        let params: Vec<_> = match &of_draw {
            Some(of_draw) => of_draw.params(&claimed_sums)?,
            None => recorded.components.iter().map(|component| vec![QM31::ZERO; component.params]).collect(),
        };
        let composition = self.composition(&main, interaction.as_ref(), &params, alpha)?;
        observer.root("composition", &composition.root);
        drop(span);

        let span = begin(stage, observer, Phase::OutOfDomain)?;
        let (sampled, point) = out_of_domain.point(Blake2sHash(composition.root));
        let outside = Outside::new(point.ok_or(ProveError::Degenerate)?, self.log_domain, options.log_blowup);
        let mut trees = vec![self.preprocessed.tree(), &main];
        trees.extend(&interaction);
        trees.push(&composition);
        let samples = Samples::new(backend, &trees, offsets(recorded, trees.len()), &outside)?;
        stage.either(|| samples.check_identity(recorded, &params, qm31(alpha), &outside), || Ok(()))?;
        let flat: Vec<SecureField> = samples.flat().map(secure).collect();
        let (mut folding, beta) = sampled.quotients(&flat);
        observer.values("sampled values", &flat);
        observer.values("beta", &[beta]);
        drop(span);

        let span = begin(stage, observer, Phase::Deep)?;
        let quotient = quotient::quotient(backend, &trees, &samples, beta, &outside)?;
        drop(span);

        let span = begin(stage, observer, Phase::Fri)?;
        let folded = fri::fold(stage, backend, quotient, options, &mut folding)?;
        observer.values("last layer", &folded.last);
        let work = folding.last(&folded.last);
        drop(span);

        let span = begin(stage, observer, Phase::Grinding)?;
        let nonce = self.grind(work.digest(), options.pow_bits)?;
        let (log_domain, queries) = (self.log_domain, options.queries);
        let drawn = || work.queries(nonce, log_domain, queries);
        let positions = stage.either(drawn, || openings::spaced(queries as usize, log_domain));
        observer.queries(&positions);
        drop(span);

        let _span = begin(stage, observer, Phase::Openings)?;
        let opened = openings::open(stage, backend, &trees, &folded.layers, &positions, self.log_domain)?;
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
        Ok(CircleProof { proof, claimed_sums, interaction_nonce })
    }

    /// Commits to the extended table of each component that has one.
    fn commit(&self, extended: Vec<Option<Table<B>>>) -> Result<Tree<B>, ProveError> {
        let mut first = 0;
        let parts = extended.into_iter().flatten().map(|table| {
            let columns = (first..first + table.width).collect();
            first += table.width;
            Part { table, columns }
        });
        Tree::commit(self.backend, parts.collect(), self.options.lifting)
    }

    /// The columns of the lookups of each component that has any, in row order, and their sums: one trip to the device for all
    /// components.
    fn interaction(
        &self,
        main_rows: Vec<Option<Table<B>>>,
        of_draw: Option<&Drawn<'_>>,
    ) -> Result<Interaction<B>, ProveError> {
        let backend = self.backend;
        let zeros = |component: &circle_air::Recorded| {
            vec![QM31::ZERO; component.logup.as_ref().map_or(0, |logup| logup.params)]
        };
        let params: Vec<_> = match of_draw {
            Some(of_draw) => of_draw.logup_params()?,
            None => self.recorded.components.iter().map(zeros).collect(),
        };
        let mut lookups = Vec::new();
        for (index, (component, main)) in self.recorded.components.iter().zip(main_rows).enumerate() {
            let program = self.programs[index].logup;
            let (Some(logup), Some(program), Some(fixed)) = (&component.logup, program, self.preprocessed.rows(index))
            else {
                continue;
            };
            let main = main.map_or_else(|| backend.upload(&[], 0, component.log_size), Ok)?;
            let fractions: Vec<(usize, usize)> = (0..logup.batches).map(|batch| (2 * batch, 2 * batch + 1)).collect();
            lookups.push((index, program, fixed, main, fractions));
        }
        let columns: Vec<_> = lookups.iter().map(|(_, _, fixed, main, _)| [*fixed, main.as_ref()]).collect();
        let requests: Vec<_> = lookups
            .iter()
            .zip(&columns)
            .map(|((index, program, _, main, fractions), columns)| Running {
                program: *program,
                columns,
                log_height: main.log_height,
                params: &params[*index],
                form: RunningForm::Logup(fractions),
            })
            .collect();
        // A statement without lookups asks for nothing.
        let made = if requests.is_empty() { Vec::new() } else { backend.running(&requests)? };
        let mut tables: Vec<Option<Table<B>>> = self.recorded.components.iter().map(|_| None).collect();
        let mut sums = Vec::new();
        for ((index, ..), Accumulated { columns, total }) in lookups.iter().zip(made) {
            tables[*index] = Some(columns);
            sums.push(secure(total));
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
        params: &[Vec<QM31>],
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
                    program: self.programs[index].constraints,
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
        composition::commit(self.backend, &inputs, qm31(alpha), self.options.log_blowup, self.options.lifting)
    }

    /// The first nonce that does the work, in the order of section 12.
    fn grind(&self, digest: [u8; 32], bits: u32) -> Result<u64, ProveError> {
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
