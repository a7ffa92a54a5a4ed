//! A proof, round by round. The order of mixing and drawing is [`circle_proof::rounds`]'s.

use circle_air::Mixes;
use circle_proof::{Committed, FriProof, Proof};
use field::{Field, QM31};
use gpu_hal::{CircleStark, NonceSearch, StarkBackend};

use super::composition::{self, Input};
use super::context::Context;
use super::keep::{Keep, runs};
use super::recompute::Recompute;
use super::samples::{Outside, Samples, offsets};
use super::tree::{Extended, KeptPart, Part, Tree};
use super::witness::{Main, MainTable, MakeMain};
use super::{ProveError, fri, openings, quotient};
use crate::grinding::grind;
use crate::mode::ModeOn;
use crate::observer::{Cancelled, Phase, begin, go_on};
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

impl<B: StarkBackend<P = CircleStark>, S: ModeOn<B>> Context<'_, B, S> {
    /// Proves. `main` makes the main columns of every component; a trait object, so that the rounds are compiled once
    /// for all that make them.
    pub(crate) fn prove(&self, main: &dyn MakeMain<B, S>) -> Result<CircleProof, ProveError> {
        let (mode, observer, backend, statement) = (self.mode, self.observer, self.backend, self.statement);
        let (options, recorded) = (self.options, self.recorded);
        let span = begin(mode, observer, Phase::Main)?;
        let goes_on = || observer.goes_on(Phase::Main).is_continue();
        if !mode.either(|| statement.prepare(&goes_on), || true) {
            return Err(Cancelled { phase: Phase::Main }.into());
        }
        let Main { tables, sources } = main.make(self)?;
        let mut again = Recompute { context: self, sources, lookups: Vec::new() };
        let (main_rows, extended): (Vec<_>, Vec<_>) =
            tables.into_iter().map(|MainTable { rows, extended }| (rows, extended)).unzip();
        let main = self.commit(&again, 1, extended)?;
        observer.root("main", &main.root);
        drop(span);

        let span = begin(mode, observer, Phase::Auxiliary)?;
        let roots = [self.preprocessed.tree().root, main.root];
        let draws = statement.draws();
        // A rehearsal draws nothing that public values would decide, and they may take time by the rows.
        let mixes = mode.either(|| statement.mixes(), Mixes::default);
        let committed = Committed::begin(options, &mixes, roots[0], roots[1]);
        let interaction_nonce = match statement.interaction_pow_bits() {
            0 => None,
            bits => Some(self.grind(&committed.nonce_search(bits), Phase::Auxiliary)?),
        };
        let (round, drawn) = committed.draw(interaction_nonce, draws);
        observer.values("drawn", &drawn);
        // A rehearsal draws nothing that parameters could be made of.
        let of_draw = mode.either(|| recorded.drawn(statement, &drawn).map(Some), || Ok(None))?;
        let (interaction, claimed_sums) = match draws {
            0 => (None, Vec::new()),
            _ => {
                again.lookups = self.lookup_params(of_draw.as_ref())?;
                let (extended, sums) = self.interaction(&again, main_rows, &main, &drawn)?;
                mode.either(|| statement.check_claimed_sums(&drawn, &sums), || Ok(()))?;
                (Some(self.commit(&again, 2, extended)?), sums)
            }
        };
        let closing = interaction.as_ref().map(|tree| (claimed_sums.as_slice(), tree.root));
        let rounds = round.commit(closing)?;
        if let Some(tree) = &interaction {
            observer.values("claimed sums", &claimed_sums);
            observer.root("interaction", &tree.root);
        }
        drop(span);

        let span = begin(mode, observer, Phase::Composition)?;
        let (out_of_domain, alpha) = rounds.weight();
        observer.values("alpha", &[alpha]);
        let params: Vec<_> = match &of_draw {
            Some(of_draw) => of_draw.params(&claimed_sums)?,
            None => recorded.components.iter().map(|component| vec![QM31::ZERO; component.params]).collect(),
        };
        let composition = self.composition(&again, &main, interaction.as_ref(), &params, alpha)?;
        observer.root("composition", &composition.root);
        drop(span);

        let span = begin(mode, observer, Phase::OutOfDomain)?;
        let (sampled, point) = out_of_domain.point(composition.root);
        let point = point.ok_or(ProveError::Degenerate)?;
        let outside = Outside { point, log_domain: self.log_domain, log_blowup: options.log_blowup };
        let mut trees = vec![self.preprocessed.tree(), &main];
        trees.extend(&interaction);
        trees.push(&composition);
        let samples = Samples::new(&again, &trees, offsets(recorded, trees.len()), &outside)?;
        mode.either(|| samples.check_identity(recorded, &params, alpha, &outside), || Ok(()))?;
        let flat: Vec<QM31> = samples.flat().collect();
        let (mut folding, beta) = sampled.quotients(&flat);
        observer.values("sampled values", &flat);
        observer.values("beta", &[beta]);
        drop(span);

        let span = begin(mode, observer, Phase::Deep)?;
        let quotient = quotient::quotient(&again, &trees, &samples, beta, &outside)?;
        drop(span);

        let span = begin(mode, observer, Phase::Fri)?;
        let folded = fri::fold(mode, backend, quotient, options, &mut folding, observer)?;
        observer.values("last layer", &folded.last);
        let work = folding.last(&folded.last);
        drop(span);

        let span = begin(mode, observer, Phase::Grinding)?;
        let nonce = self.grind(&work.nonce_search(options.pow_bits), Phase::Grinding)?;
        let (log_domain, queries) = (self.log_domain, options.queries);
        let drawn = || work.queries(nonce, log_domain, queries);
        let positions = mode.either(drawn, || openings::spaced(queries as usize, log_domain));
        observer.queries(&positions);
        drop(span);

        let _span = begin(mode, observer, Phase::Openings)?;
        let commitments = trees.iter().map(|tree| tree.root).collect();
        let made: Vec<Tree<B>> = std::iter::once(main).chain(interaction).chain([composition]).collect();
        let opened = openings::open(&again, self.preprocessed.tree(), made, &folded.layers, &positions)?;
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

    /// Commits to the table of each component that has one in tree `number`, extended to
    /// [`Self::first_extension`], and keeps the part of it that is to be kept.
    fn commit(
        &self,
        again: &Recompute<'_, B, S>,
        number: usize,
        extended: Vec<Option<Table<B>>>,
    ) -> Result<Tree<B>, ProveError> {
        let can_be_made = again.can_make(number);
        let mut first = 0;
        let parts = extended.into_iter().flatten().map(|table| {
            let columns = (first..first + table.width).collect();
            first += table.width;
            Part { table, columns }
        });
        let log_blocks = self.log_blocks(can_be_made);
        let mut tree = Tree::begin(self.backend, parts.collect(), self.options, log_blocks)?;
        let kept = match self.keep {
            Keep::All | Keep::Extensions => KeptPart::Extensions,
            Keep::Sources | Keep::Halves if can_be_made => KeptPart::Nothing,
            Keep::Prefixes | Keep::Sources | Keep::Halves => KeptPart::Prefixes,
        };
        tree.keep(self.backend, kept, self.options.log_blowup)?;
        for block in tree.blocks.len()..1 << tree.log_blocks {
            let tables = again.block(number, &tree, block)?;
            tree.add_block(self.backend, &tables, self.options)?;
        }
        Ok(tree)
    }

    /// The part of a component among the parts of a tree; `None` if it has no columns there.
    pub(crate) fn part(&self, tree: usize, component: usize) -> Option<usize> {
        let has_columns = |component: &&circle_air::RecordedComponent| component.width(tree) > 0;
        let components = &self.recorded.components;
        components.get(component).filter(has_columns)?;
        Some(components[..component].iter().filter(has_columns).count())
    }

    /// The component of a part: the inverse of [`Self::part`].
    pub(crate) fn component(&self, tree: usize, part: usize) -> usize {
        let components = self.recorded.components.iter().enumerate();
        let mut with_columns = components.filter(|(_, component)| component.width(tree) > 0);
        with_columns.nth(part).expect("each part is of a component").0
    }

    fn composition<'t>(
        &'t self,
        again: &Recompute<'_, B, S>,
        main: &'t Tree<B>,
        interaction: Option<&'t Tree<B>>,
        params: &'t [Vec<QM31>],
        alpha: QM31,
    ) -> Result<Tree<B>, ProveError> {
        let components = &self.recorded.components;
        let input = |(index, component): (usize, &circle_air::RecordedComponent)| {
            go_on(self.observer, Phase::Composition)?;
            let mut columns: Vec<_> = self.preprocessed.extended(index).map(Extended::Kept).into_iter().collect();
            // Lookup columns first: to make them again takes the main columns' rows, and more memory than those
            // extended.
            let mut made = Vec::with_capacity(2);
            for (number, tree) in [(2, interaction), (1, Some(main))] {
                if let (Some(tree), Some(part)) = (tree, self.part(number, index)) {
                    made.push(again.extended(number, tree, tree.parts[part])?);
                }
            }
            columns.extend(made.into_iter().rev());
            Ok(Input {
                program: self.programs[index].constraints,
                columns,
                log_size: component.log_size,
                constraints: component.constraint_count(),
                params: &params[index],
            })
        };
        let count = components.iter().map(circle_air::RecordedComponent::constraint_count).sum();
        let inputs = components.iter().enumerate().map(input);
        // Together on a backend that works on several at once: at most as many rows at a time as `at_once` times the
        // rows of the highest. Columns that are made again are made for one.
        let at_once = if !main.is_whole() { 1 } else { self.backend.capabilities().at_once };
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
