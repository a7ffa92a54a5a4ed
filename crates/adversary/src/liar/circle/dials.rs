//! The lies of a [`super::Liar`], each in the hooks where it departs from the protocol.

use circle_air::{RecordedStatement, Statement};
use circle_proof::{CircleOptions, Proof};
use field::circle::{CanonicDomain, CirclePoint};
use field::{Field, M31, QM31};
use stwo::core::fields::qm31::SecureField;

use super::cheat::{Cheat, Round};
use super::identity::{Identity, PointSamples, Samples};
use super::late::choose_values;
use super::lie::Lie;
use super::prover::Claimed;
use super::words::{Table, evaluate};
use crate::draw::Draw;

/// The prime of the base field.
const P: u32 = (1 << 31) - 1;

/// The dials that are on.
pub(super) struct Dials<'a> {
    lies: &'a [Lie],
    seed: u64,
    statement: &'a dyn Statement,
    options: CircleOptions,
    /// Layers that are committed.
    layers: usize,
    /// Whether a lie came out as the truth.
    is_idle: bool,
}

impl<'a> Dials<'a> {
    pub(super) fn new(lies: &'a [Lie], seed: u64, claimed: &Claimed<'a>) -> Self {
        Self { lies, seed, statement: claimed.statement, options: claimed.options, layers: 0, is_idle: false }
    }

    fn has(&self, lie: Lie) -> bool {
        self.lies.contains(&lie)
    }

    fn draw(&self, lie: Lie) -> Draw {
        crate::liar::draw(self.seed, lie as u64)
    }

    /// Whether statement and options have the subjects of the lies.
    pub(super) fn can_lie(&self) -> bool {
        let draws = self.statement.draws();
        let elements = vec![QM31::from(M31::new(5)); draws];
        let recorded = RecordedStatement::new(self.statement, self.options.lifting);
        let with_lookups =
            |recorded: RecordedStatement| recorded.components.iter().filter(|one| one.logup.is_some()).count();
        let sums = recorded.map_or(0, with_lookups);
        let cancel = sums > 0 && self.statement.check_claimed_sums(&elements, &vec![QM31::ZERO; sums]).is_ok();
        self.lies.iter().all(|lie| match lie {
            Lie::EarlyElements | Lie::EarlyAlpha | Lie::Interaction => draws > 0,
            Lie::ClaimedSum | Lie::MissingSum | Lie::SumNotCanonical => draws > 0,
            // Sums that are to cancel.
            Lie::UnbalancedLookup => cancel,
            Lie::ShiftedSums | Lie::LateSums => cancel && sums > 1,
            Lie::NoGrinding => self.options.pow_bits > 0,
            Lie::ShrunkDomain => self.options.log_blowup > 1,
            Lie::RepeatedQueries | Lie::FewerQueries | Lie::SwappedQueries => self.options.queries > 1,
            Lie::EmptyRoot => self.statement.preprocessed(self.options.lifting).is_empty(),
            // One layer less and one more is the truth.
            Lie::LongFolding => !self.has(Lie::ShortFolding),
            _ => true,
        })
    }

    /// Whether the proof that was made has all the lies in it.
    pub(super) fn have_lied(&self) -> bool {
        !self.is_idle
    }

    /// Applies `change`, which says whether anything is another thing now.
    fn tell(&mut self, lie: Lie, change: impl FnOnce(&mut Draw) -> bool) {
        if self.has(lie) {
            self.is_idle |= !change(&mut self.draw(lie));
        }
    }
}

fn extension(draw: &mut Draw) -> QM31 {
    QM31([0; 4].map(|_| M31::new(1 + draw.below(1 << 30) as u32)))
}

/// A random function with `coefficients` coefficients.
fn random(draw: &mut Draw, log_domain: u32, coefficients: usize) -> Vec<M31> {
    let coefficients: Vec<M31> = (0..coefficients).map(|_| extension(draw).0[0]).collect();
    evaluate(&coefficients, log_domain)
}

impl Cheat for Dials<'_> {
    fn options(&mut self, options: &mut CircleOptions) {
        if self.has(Lie::ShrunkDomain) {
            options.log_blowup -= 1;
            options.lifting = options.lifting.map(|log_domain| log_domain - 1);
        }
    }

    fn words(&mut self, words: &mut Vec<u32>) {
        self.tell(Lie::PublicInputs, |draw| {
            match draw.below(words.len() + 1) {
                index if index < words.len() => words[index] ^= 1,
                _ => words.push(0),
            }
            true
        });
    }

    fn preprocessed(&mut self, columns: &mut Table) {
        self.tell(Lie::Preprocessed, |draw| {
            // Rows of selectors can be left out.
            let is_bit = |value: &M31| *value == M31::ZERO || *value == M31::ONE;
            let bits = columns.iter().enumerate().filter(|(_, column)| column.iter().all(is_bit));
            let ones = bits.flat_map(|(at, column)| (0..column.len()).map(move |row| (at, row, column[row])));
            let ones: Vec<(usize, usize)> =
                ones.filter(|(.., value)| *value == M31::ONE).map(|(column, row, _)| (column, row)).collect();
            let Some((column, row)) = (!ones.is_empty()).then(|| draw.of(&ones)) else { return false };
            columns[column][row] = M31::ZERO;
            true
        });
    }

    fn main(&mut self, words: &mut Table) {
        let log_blowup = self.options.log_blowup - u32::from(self.has(Lie::ShrunkDomain));
        self.tell(Lie::HighTrace, |draw| {
            let column = draw.below(words.len());
            let log_domain = words[column].len().ilog2();
            let domain = CanonicDomain::new(log_domain);
            // Zero on the rows. Without the factor x the room that the quotient leaves would be enough.
            let vanishing = |index| {
                let x = domain.at_storage(index).x;
                x * CirclePoint::repeated_double_x(x, log_domain - log_blowup - 1)
            };
            let factor = extension(draw).0[0];
            words[column].iter_mut().enumerate().for_each(|(index, value)| *value += factor * vanishing(index));
            true
        });
    }

    fn is_early(&self, round: Round) -> bool {
        self.has(match round {
            Round::Elements => Lie::EarlyElements,
            Round::Alpha => Lie::EarlyAlpha,
            Round::Point => Lie::EarlyPoint,
            Round::Beta => Lie::EarlyBeta,
            Round::Fold => Lie::EarlyFold,
            Round::Queries => Lie::EarlyQueries,
        })
    }

    fn interaction(&mut self, sums: &mut Vec<QM31>, columns: &mut Table) {
        self.tell(Lie::UnbalancedLookup, |_| {
            let total: QM31 = sums.iter().copied().sum();
            sums[0] -= total;
            !total.is_zero()
        });
        self.tell(Lie::ClaimedSum, |draw| {
            let index = draw.below(sums.len());
            sums[index] += extension(draw);
            true
        });
        self.tell(Lie::ShiftedSums, |draw| {
            let shift = extension(draw);
            let [first, second, ..] = &mut sums[..] else { return false };
            *first += shift;
            *second -= shift;
            true
        });
        self.tell(Lie::Interaction, |draw| {
            let column = draw.below(columns.len());
            let row = draw.below(columns[column].len());
            columns[column][row] += draw.nonzero::<M31>();
            true
        });
    }

    fn composition(&mut self, _all: &[QM31], halves: &mut Table) {
        let log_blowup = self.options.log_blowup - u32::from(self.has(Lie::ShrunkDomain));
        let log_domain = halves[0].len().ilog2();
        for lie in [Lie::Composition, Lie::LateComposition, Lie::LateValues, Lie::LateSums] {
            self.tell(lie, |draw| {
                let column = draw.below(8);
                halves[column] = random(draw, log_domain, 1 << (log_domain - log_blowup));
                true
            });
        }
        self.tell(Lie::HighComposition, |draw| {
            let (column, high) = (draw.below(8), random(draw, log_domain, 1 << log_domain));
            halves[column].iter_mut().zip(high).for_each(|(value, high)| *value += high);
            true
        });
        self.tell(Lie::SwappedHalves, |_| {
            halves.rotate_left(4);
            halves[..4] != halves[4..]
        });
    }

    fn at_point(&mut self, identity: &Identity<'_>, values: &Samples, halves: &mut Table) -> bool {
        if !self.has(Lie::LateComposition) {
            return false;
        }
        let missing = identity.composition(values) - identity.claimed(values);
        for (half, missing) in halves.iter_mut().zip(missing.0) {
            half.iter_mut().for_each(|value| *value += missing);
        }
        true
    }

    fn after_point(&mut self, missing: &dyn Fn(&[QM31]) -> QM31, sums: &mut Vec<QM31>) {
        self.tell(Lie::LateSums, |_| {
            if sums.len() < 2 {
                return false;
            }
            let with = |shift: QM31| {
                let mut shifted = sums.clone();
                shifted[0] += shift;
                shifted[1] -= shift;
                shifted
            };
            // The identity is linear in the sums.
            let at_zero = missing(&with(QM31::ZERO));
            let Some(inverse) = (missing(&with(QM31::ONE)) - at_zero).inverse() else { return false };
            *sums = with(-at_zero * inverse);
            true
        });
    }

    fn out_of_domain(&mut self, identity: &Identity<'_>, values: &mut Samples) {
        // Where the trace is not right of the other columns, the lie is another one.
        self.tell(Lie::Preprocessed, |_| identity.composition(values) == identity.claimed(values));
        self.tell(Lie::OutOfDomain, |draw| {
            let sampled =
                |tree: usize, column: usize| (0..values[tree][column].len()).map(move |at| (tree, column, at));
            let trees = (0..values.len()).flat_map(|tree| (0..values[tree].len()).map(move |column| (tree, column)));
            let all: Vec<_> = trees.flat_map(|(tree, column)| sampled(tree, column)).collect();
            // The first column of the composition is made to fit.
            let all: Vec<_> =
                all.into_iter().filter(|&(tree, column, _)| (tree + 1, column) != (values.len(), 0)).collect();
            let (tree, column, at) = draw.of(&all);
            values[tree][column][at] += extension(draw);
            true
        });
        if [Lie::OutOfDomain, Lie::HighComposition, Lie::HighTrace].into_iter().any(|lie| self.has(lie)) {
            let missing = identity.composition(values) - identity.claimed(values);
            let composition = values.len() - 1;
            values[composition][0][0] += missing;
        }
    }

    fn after_beta(&mut self, beta: QM31, identity: &Identity<'_>, values: &mut Samples) {
        self.tell(Lie::LateValues, |_| {
            choose_values(beta, identity, values);
            true
        });
    }

    fn samples(&mut self, samples: &mut PointSamples) {
        for (lie, is_moved) in [(Lie::MissingSample, false), (Lie::MovedSample, true)] {
            self.tell(lie, |draw| {
                // A constant column has the same value everywhere.
                let varies = |sample: &SecureField| sample.to_m31_array()[1..].iter().any(|c| c.0 != 0);
                let all = samples.0.iter_mut().flatten().filter(|of| of.iter().any(|sample| varies(&sample.value)));
                let mut all: Vec<_> = all.collect();
                let Some(at) = (!all.is_empty()).then(|| draw.below(all.len())) else { return false };
                match is_moved {
                    true => all[at][0].point = all[at][0].point.double(),
                    false => all[at].clear(),
                }
                true
            });
        }
    }

    fn folds(&mut self, steps: &mut Vec<u32>) {
        if self.has(Lie::ShortFolding) && steps.len() > 1 {
            steps.pop();
        }
        if self.has(Lie::LongFolding) {
            steps.push(1);
        }
        self.is_idle |= self.has(Lie::ShortFolding) && steps.len() < 2;
        self.layers = steps.len();
    }

    fn layer(&mut self, layer: usize, word: &mut Vec<QM31>) {
        let layers = self.layers;
        if layer == 0 {
            self.tell(Lie::OtherQuotient, |draw| {
                let constant = extension(draw);
                word.iter_mut().for_each(|value| *value += constant);
                true
            });
        }
        self.tell(Lie::OtherLayer, |draw| {
            let constant = extension(draw);
            if layers > 1 && draw.between(1, layers - 1) == layer {
                word.iter_mut().for_each(|value| *value += constant);
            }
            layers > 1
        });
    }

    fn packs_otherwise(&self) -> bool {
        self.has(Lie::LeafForNode)
    }

    fn factor(&mut self, layer: usize, alpha: QM31) -> QM31 {
        let is_it = self.has(Lie::OtherFactor) && self.draw(Lie::OtherFactor).below(self.layers) == layer;
        if is_it { alpha + QM31::ONE } else { alpha }
    }

    fn last(&mut self, coefficients: &mut Vec<QM31>) {
        let count = 1 << self.options.log_last;
        self.tell(Lie::LastLayer, |draw| {
            coefficients[draw.below(count)] += extension(draw);
            true
        });
    }

    fn is_lazy(&self) -> bool {
        self.has(Lie::NoGrinding)
    }

    fn positions(&mut self, positions: &mut Vec<usize>) {
        self.tell(Lie::ChosenQueries, |_| {
            positions.iter_mut().for_each(|position| *position ^= 1);
            positions.sort_unstable();
            true
        });
        self.tell(Lie::FewerQueries, |_| {
            positions.truncate(1);
            true
        });
    }

    fn finish(&mut self, proof: &mut Proof) {
        let composition = proof.commitments.len() - 1;
        self.tell(Lie::RepeatedQueries, |_| {
            let main = &mut proof.queried_values[1];
            let are_other = main.iter().any(|column| column.iter().any(|value| *value != column[0]));
            main.iter_mut().for_each(|column| {
                let first = column[0];
                column.fill(first);
            });
            are_other
        });
        self.tell(Lie::SwappedTrees, |_| {
            proof.decommitments.swap(1, composition);
            proof.decommitments[1] != proof.decommitments[composition]
        });
        self.tell(Lie::SwappedColumns, |draw| {
            let tree = draw.below(composition) + 1;
            let columns = &mut proof.queried_values[tree];
            let (first, second) = (draw.below(columns.len()), draw.below(columns.len()));
            columns.swap(first, second);
            columns[first] != columns[second]
        });
        self.tell(Lie::SwappedQueries, |draw| {
            let columns = &mut proof.queried_values[composition];
            let (first, second) = (draw.below(columns[0].len()), draw.below(columns[0].len()));
            columns.iter_mut().for_each(|column| column.swap(first, second));
            columns.iter().any(|column| column[first] != column[second])
        });
        self.tell(Lie::ShortPath, |draw| {
            let tree = draw.below(composition) + 1;
            proof.decommitments[tree].pop().is_some()
        });
        self.tell(Lie::EmptyRoot, |draw| {
            // It is a digest of every suite, and the right one of none.
            proof.commitments[0] = [draw.between(1, 7) as u8; 32];
            true
        });
        self.tell(Lie::NotCanonical, |draw| {
            let values = &mut proof.queried_values[composition][draw.below(8)];
            let query = draw.below(values.len());
            // The same element, if it is zero.
            values[query] = bytemuck::cast(P);
            true
        });
    }

    fn claim(&mut self, sums: &mut Vec<QM31>) {
        self.tell(Lie::MissingSum, |_| sums.pop().is_some());
        self.tell(Lie::SumNotCanonical, |draw| {
            let index = draw.below(sums.len().max(1));
            let Some(sum) = sums.get_mut(index) else { return false };
            // The same element: the mixed bytes differ.
            sum.0[0] = bytemuck::cast(sum.0[0].value() + P);
            *sum != QM31::ZERO
        });
    }
}
