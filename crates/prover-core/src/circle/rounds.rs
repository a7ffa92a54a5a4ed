//! A proof, round by round. The order of mixing and drawing is [`circle_proof::envelope`]'s.

use circle_air::{Drawn, Mixes};
use circle_proof::{Envelope, FriProof, Proof};
use field::{Field, QM31};
use gpu_hal::{Accumulated, CircleStark, Columns, EvalOrder, NonceSearch, RunningForm, RunningRequest, StarkBackend};

use super::composition::{self, Input};
use super::context::Context;
use super::keep::{Keep, runs};
use super::samples::{Outside, Samples, offsets};
use super::tree::{Extended, Part, Tree, extend};
use super::witness::MainTable;
use super::{ProveError, fri, openings, quotient};
use crate::grinding::grind;
use crate::observer::{Cancelled, Phase, begin, go_on};
use crate::stage::Stage;
use crate::table::Table;

/// A proof, and the data that travels beside it.
#[derive(Clone, Debug)]
pub struct CircleProof {
    /// The proof.
    pub proof: Proof,
    /// The sums of the lookups, one for each component that has any, in order, and then the statement's other claims.
    pub claimed_sums: Vec<QM31>,
    /// The nonce of the work before the elements of the AIR, if the statement asks for any.
    pub interaction_nonce: Option<u64>,
}

/// The extended interaction columns of each component that has any; the lookup sums of components with lookups, and the
/// claims.
type Interaction<B> = (Vec<Option<Table<B>>>, Vec<QM31>);

/// The inputs of a component's lookup columns.
struct Lookups<'a, B: StarkBackend<P = CircleStark>> {
    /// The number of the component.
    index: usize,
    program: &'a B::Program,
    fractions: Vec<(usize, usize)>,
    /// Main columns in row order, where they are kept.
    main: Option<Table<B>>,
}

/// Makes the main columns of every component on a context.
type MakeMain<'m, C, B> = Box<dyn FnOnce(&C) -> Result<Vec<MainTable<B>>, ProveError> + 'm>;

impl<B: StarkBackend<P = CircleStark>, S: Stage<B>> Context<'_, B, S> {
    /// Proves. `main` makes the main columns of every component; boxed, so that the rounds are compiled once for all
    /// that make them.
    pub(crate) fn prove(&self, main: MakeMain<'_, Self, B>) -> Result<CircleProof, ProveError> {
        let (stage, observer, backend, statement) = (self.stage, self.observer, self.backend, self.statement);
        let (options, recorded) = (self.options, self.recorded);
        let span = begin(stage, observer, Phase::Main)?;
        let goes_on = || observer.goes_on(Phase::Main).is_continue();
        if !stage.either(|| statement.prepare(&goes_on), || true) {
            return Err(Cancelled { phase: Phase::Main }.into());
        }
        let tables = main(self)?.into_iter().map(|MainTable { rows, extended }| (rows, extended));
        let (main_rows, extended): (Vec<_>, Vec<_>) = tables.unzip();
        let main = self.commit(extended)?;
        observer.root("main", &main.root);
        drop(span);

        let span = begin(stage, observer, Phase::Auxiliary)?;
        let roots = [self.preprocessed.tree().root, main.root];
        let draws = statement.draws();
        // A rehearsal draws nothing that public values would decide, and they may take time by the rows.
        let mixes = stage.either(|| statement.mixes(), Mixes::default);
        let committed = Envelope::begin(options, &mixes, roots[0], roots[1]);
        let interaction_nonce = match statement.interaction_pow_bits() {
            0 => None,
            bits => Some(self.grind(&committed.work(bits), Phase::Auxiliary)?),
        };
        let (envelope, drawn) = committed.draw(interaction_nonce, draws);
        observer.values("drawn", &drawn);
        // A rehearsal draws nothing that parameters could be made of.
        let of_draw = stage.either(|| recorded.drawn(statement, &drawn).map(Some), || Ok(None))?;
        let (interaction, claimed_sums) = match draws {
            0 => (None, Vec::new()),
            _ => {
                let (extended, sums) = self.interaction(main_rows, &main, &drawn, of_draw.as_ref())?;
                stage.either(|| statement.check_claimed_sums(&drawn, &sums), || Ok(()))?;
                (Some(self.commit(extended)?), sums)
            }
        };
        let closing = interaction.as_ref().map(|tree| (claimed_sums.as_slice(), tree.root));
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
        let (sampled, point) = out_of_domain.point(composition.root);
        let point = point.ok_or(ProveError::Degenerate)?;
        let outside = Outside { point, log_domain: self.log_domain, log_blowup: options.log_blowup };
        let mut trees = vec![self.preprocessed.tree(), &main];
        trees.extend(&interaction);
        trees.push(&composition);
        let samples = Samples::new(backend, &trees, offsets(recorded, trees.len()), &outside)?;
        stage.either(|| samples.check_identity(recorded, &params, alpha, &outside), || Ok(()))?;
        let flat: Vec<QM31> = samples.flat().collect();
        let (mut folding, beta) = sampled.quotients(&flat);
        observer.values("sampled values", &flat);
        observer.values("beta", &[beta]);
        drop(span);

        let span = begin(stage, observer, Phase::Deep)?;
        let quotient = quotient::quotient(self, &trees, &samples, beta, &outside)?;
        drop(span);

        let span = begin(stage, observer, Phase::Fri)?;
        let folded = fri::fold(stage, backend, quotient, options, &mut folding, observer)?;
        observer.values("last layer", &folded.last);
        let work = folding.last(&folded.last);
        drop(span);

        let span = begin(stage, observer, Phase::Grinding)?;
        let nonce = self.grind(&work.work(options.pow_bits), Phase::Grinding)?;
        let (log_domain, queries) = (self.log_domain, options.queries);
        let drawn = || work.queries(nonce, log_domain, queries);
        let positions = stage.either(drawn, || openings::spaced(queries as usize, log_domain));
        observer.queries(&positions);
        drop(span);

        let _span = begin(stage, observer, Phase::Openings)?;
        let commitments = trees.iter().map(|tree| tree.root).collect();
        let made: Vec<Tree<B>> = std::iter::once(main).chain(interaction).chain([composition]).collect();
        let opened = openings::open(self, self.preprocessed.tree(), made, &folded.layers, &positions)?;
        let mut layers = opened.layers.into_iter();
        let proof = Proof {
            config: *options,
            commitments,
            sampled_values: samples.values,
            decommitments: opened.decommitments,
            queried_values: opened.queried,
            proof_of_work: nonce,
            fri_proof: FriProof {
                first_layer: layers.next().expect("there is a first layer"),
                inner_layers: layers.collect(),
                last_layer: folded.last,
            },
        };
        Ok(CircleProof { proof, claimed_sums, interaction_nonce })
    }

    /// Commits to the extended table of each component that has one, and keeps the part of it that is to be kept.
    fn commit(&self, extended: Vec<Option<Table<B>>>) -> Result<Tree<B>, ProveError> {
        let mut first = 0;
        let parts = extended.into_iter().flatten().map(|table| {
            let columns = (first..first + table.width).collect();
            first += table.width;
            Part { table, columns }
        });
        let mut tree = Tree::commit(self.backend, parts.collect(), self.options)?;
        if self.keep == Keep::Prefixes {
            tree.cut(self.backend, self.options.log_blowup)?;
        }
        Ok(tree)
    }

    /// The interaction columns of each component that has any, extended, and the claims about them. The lookups take
    /// one trip to the device for all components, or for each run of them where rows are made again.
    fn interaction(
        &self,
        main_rows: Vec<Option<Table<B>>>,
        main: &Tree<B>,
        drawn: &[QM31],
        of_draw: Option<&Drawn<'_>>,
    ) -> Result<Interaction<B>, ProveError> {
        let components = &self.recorded.components;
        let zeros = |component: &circle_air::Recorded| {
            vec![QM31::ZERO; component.logup.as_ref().map_or(0, |logup| logup.params)]
        };
        let params: Vec<_> = match of_draw {
            Some(of_draw) => of_draw.logup_params()?,
            None => components.iter().map(zeros).collect(),
        };
        let mut given = self.given(&main_rows, main, drawn)?;
        let lookups = main_rows.into_iter().enumerate().filter_map(|(index, main)| {
            let (logup, program) = (components[index].logup.as_ref()?, self.programs[index].logup?);
            let fractions = (0..logup.batches).map(|batch| (2 * batch, 2 * batch + 1)).collect();
            Some(Lookups { index, program, fractions, main })
        });
        let mut lookups: Vec<Lookups<'_, B>> = lookups.collect();
        let cells = |lookups: &Lookups<'_, B>| {
            let component = &components[lookups.index];
            ((component.width(1) + component.width(2)) as u64) << component.log_size
        };
        let runs = match self.keep {
            Keep::All => std::iter::once(0..lookups.len()).collect(),
            _ => runs(&lookups.iter().map(cells).collect::<Vec<_>>(), 1),
        };
        let extend = |rows: Table<B>| extend(self.backend, rows.as_ref(), EvalOrder::Row, self.options.log_blowup);
        let mut extended: Vec<Option<Table<B>>> = components.iter().map(|_| None).collect();
        let mut sums = Vec::with_capacity(lookups.len());
        for run in runs {
            go_on(self.observer, Phase::Auxiliary)?;
            let indices: Vec<usize> = lookups[run.clone()].iter().map(|lookups| lookups.index).collect();
            let made = self.lookups(&mut lookups[run], main, &params)?;
            for (index, Accumulated { columns, total }) in indices.into_iter().zip(made) {
                extended[index] = self.with_given(index, Some(columns), &mut given)?.map(extend).transpose()?;
                sums.push(total);
            }
        }
        for index in (0..components.len()).filter(|index| components[*index].logup.is_none()) {
            extended[index] = self.with_given(index, None, &mut given)?.map(extend).transpose()?;
        }
        sums.extend(given.claims);
        Ok((extended, sums))
    }

    /// The columns of the lookups of some components, in row order. Their main columns are dropped.
    fn lookups(
        &self,
        lookups: &mut [Lookups<'_, B>],
        main: &Tree<B>,
        params: &[Vec<QM31>],
    ) -> Result<Vec<Accumulated<B::T>>, ProveError> {
        let rows = lookups.iter_mut().map(|lookups| match (lookups.main.take(), self.part(1, lookups.index)) {
            (Some(rows), _) => Ok(Some(rows)),
            (None, Some(part)) => self.rows_again(main, main.parts[part]).map(Some),
            (None, None) => Ok(None),
        });
        let rows = rows.collect::<Result<Vec<_>, ProveError>>()?;
        let columns = lookups.iter().zip(&rows).map(|(lookups, rows)| {
            let fixed = self.preprocessed.rows(lookups.index);
            fixed.into_iter().chain(rows.as_ref().map(Columns::as_ref)).collect()
        });
        let columns: Vec<Vec<_>> = columns.collect();
        let requests: Vec<_> = lookups
            .iter()
            .zip(&columns)
            .map(|(lookups, columns)| RunningRequest {
                program: lookups.program,
                columns,
                log_height: self.recorded.components[lookups.index].log_size,
                params: &params[lookups.index],
                form: RunningForm::Logup(&lookups.fractions),
            })
            .collect();
        // A statement without lookups asks for nothing.
        if requests.is_empty() { Ok(Vec::new()) } else { Ok(self.backend.running(&requests)?) }
    }

    /// The part of a component among the parts of a tree; `None` if it has no columns there.
    pub(crate) fn part(&self, tree: usize, component: usize) -> Option<usize> {
        let has_columns = |component: &&circle_air::Recorded| component.width(tree) > 0;
        let components = &self.recorded.components;
        components.get(component).filter(has_columns)?;
        Some(components[..component].iter().filter(has_columns).count())
    }

    fn composition<'t>(
        &'t self,
        main: &'t Tree<B>,
        interaction: Option<&'t Tree<B>>,
        params: &'t [Vec<QM31>],
        alpha: QM31,
    ) -> Result<Tree<B>, ProveError> {
        let components = &self.recorded.components;
        let input = |(index, component): (usize, &circle_air::Recorded)| {
            go_on(self.observer, Phase::Composition)?;
            let mut columns: Vec<_> = self.preprocessed.extended(index).map(Extended::Kept).into_iter().collect();
            for (number, tree) in [(1, Some(main)), (2, interaction)] {
                if let (Some(tree), Some(part)) = (tree, self.part(number, index)) {
                    columns.push(tree.extended(self, tree.parts[part])?);
                }
            }
            Ok(Input {
                program: self.programs[index].constraints,
                columns,
                log_size: component.log_size,
                constraints: component.constraint_count(),
                params: &params[index],
            })
        };
        let count = components.iter().map(circle_air::Recorded::constraint_count).sum();
        let inputs = components.iter().enumerate().map(input);
        // Together on a backend that works on several at once: at most as many rows at a time as `at_once` times the
        // rows of the highest. Columns that are made again are made for one.
        let at_once = if main.is_cut() { 1 } else { self.backend.capabilities().at_once };
        let runs = match at_once {
            1 => (0..components.len()).map(|component| component..component + 1).collect(),
            _ => runs(&components.iter().map(|component| 1 << component.log_size).collect::<Vec<_>>(), at_once as u64),
        };
        composition::commit(self.backend, inputs, runs, count, alpha, self.options)
    }

    /// The first nonce that does the work, in the order of section 12.
    fn grind(&self, challenge: &NonceSearch, phase: Phase) -> Result<u64, ProveError> {
        let nonce: Result<_, ProveError> = grind(self.backend, challenge, self.observer, phase);
        nonce?.ok_or(ProveError::Grinding(challenge.bits))
    }
}
