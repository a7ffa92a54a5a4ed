//! The lies of a [`super::Liar`], each in the hooks where it departs from the protocol.

use air::{Layout, RecordedAir};
use field::{Field, Fp3, Goldilocks, powers};
use goldilocks_proof::{Proof, lambdaworks};
use gpu_hal::HashFn;

use super::cheat::{Cheat, Drawn, Round, end_right};
use super::identity::{Cubic, Identity};
use super::leaves::nodes_as_leaves;
use super::lie::Lie;
use super::words::{Domain, Table, at};
use crate::draw::Draw;

/// The dials that are on.
pub(super) struct Dials<'a> {
    lies: &'a [Lie],
    seed: u64,
    layout: Layout,
    log_rows: u32,
    options: lambdaworks::Options,
    /// Whether a lie came out as the truth.
    is_idle: bool,
}

impl<'a> Dials<'a> {
    pub(super) fn new(
        lies: &'a [Lie],
        seed: u64,
        recorded: &RecordedAir<Cubic>,
        options: &lambdaworks::Options,
    ) -> Self {
        let (layout, log_rows) = (recorded.layout(), recorded.log_trace_length());
        Self { lies, seed, layout, log_rows, options: *options, is_idle: false }
    }

    fn has(&self, lie: Lie) -> bool {
        self.lies.contains(&lie)
    }

    fn draw(&self, lie: Lie) -> Draw {
        crate::liar::draw(self.seed, lie as u64)
    }

    /// Whether statement and options have the subjects of the lies.
    pub(super) fn can_lie(&self) -> bool {
        let Layout { main_columns, aux_columns, frame_rows, challenges, composition_parts } = self.layout;
        let lambdaworks::Options { blowup, queries, grinding, .. } = self.options;
        self.lies.iter().all(|lie| match lie {
            Lie::EarlyChallenges => challenges > 0,
            Lie::Auxiliary | Lie::EarlyBeta | Lie::SwappedTrees => aux_columns > 0,
            Lie::ValuesByRow => frame_rows > 1 && main_columns + aux_columns > 1,
            Lie::LateValues => composition_parts > 1,
            Lie::NoGrinding => grinding > 0,
            Lie::RepeatedQueries | Lie::FewerQueries => queries > 1,
            // One fold less and one more is the truth.
            Lie::LongFolding => !self.has(Lie::ShortFolding),
            Lie::ShrunkDomain => blowup as usize >= 2 * composition_parts.max(2),
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

fn extension(draw: &mut Draw) -> Fp3 {
    Fp3([0; 3].map(|_| Goldilocks::new(draw.word() >> 1)))
}

/// A random polynomial of at most as many coefficients.
fn random(draw: &mut Draw, domain: Domain, coefficients: usize) -> Vec<Fp3> {
    let coefficients: Vec<Fp3> = (0..coefficients).map(|_| extension(draw)).collect();
    domain.evaluate(&coefficients)
}

/// The difference that the values at the point lack.
fn missing(identity: &Identity<'_>, frame: &[Vec<Fp3>], parts: &[Fp3]) -> Fp3 {
    let claimed = powers(identity.z).zip(parts).fold(Fp3::ZERO, |sum, (power, &part)| sum + power * part);
    identity.composition(frame) - claimed
}

impl Cheat for Dials<'_> {
    fn public_inputs(&mut self, inputs: &mut Vec<Goldilocks>) {
        self.tell(Lie::PublicInputs, |draw| {
            match draw.below(inputs.len() + 1) {
                index if index < inputs.len() => inputs[index] += Goldilocks::ONE,
                _ => inputs.push(Goldilocks::ZERO),
            }
            true
        });
    }

    fn domain(&mut self, mut domain: Domain) -> Domain {
        if self.has(Lie::ShrunkDomain) {
            domain.log_size -= 1;
        }
        if self.has(Lie::OtherCoset) {
            domain.shift *= Goldilocks::new(7);
        }
        domain
    }

    fn hash(&mut self, hash: HashFn) -> HashFn {
        match hash {
            _ if !self.has(Lie::OtherHash) => hash,
            HashFn::Keccak256 => HashFn::Poseidon2,
            HashFn::Poseidon2 | HashFn::Blake2s | HashFn::Blake2sM31 | HashFn::Poseidon252 => HashFn::Keccak256,
        }
    }

    fn is_early(&self, round: Round) -> bool {
        self.has(match round {
            Round::Challenges => Lie::EarlyChallenges,
            Round::Beta => Lie::EarlyBeta,
            Round::Point => Lie::EarlyPoint,
            Round::Gamma => Lie::EarlyGamma,
            Round::Zeta => Lie::EarlyZeta,
            Round::Queries => Lie::EarlyQueries,
        })
    }

    fn auxiliary(&mut self, columns: &mut Table<Fp3>) {
        self.tell(Lie::Auxiliary, |draw| {
            let column = draw.below(columns.len());
            let row = draw.below(columns[column].len());
            columns[column][row] += Fp3::from(draw.nonzero::<Goldilocks>());
            true
        });
    }

    fn main(&mut self, domain: Domain, columns: &mut Table<Goldilocks>) {
        let log_rows = self.log_rows;
        self.tell(Lie::HighTrace, |draw| {
            // X^shift (X^n - 1) is zero on the rows. With shift 0 the room that the DEEP quotient leaves would be
            // enough.
            let (column, shift) = (draw.below(columns.len()), draw.between(1, (1 << log_rows) - 1) as u64);
            for (value, x) in columns[column].iter_mut().zip(domain.points()) {
                *value += x.pow(shift) * (x.pow_two_to(log_rows) - Goldilocks::ONE);
            }
            true
        });
    }

    fn composition(&mut self, domain: Domain, _all: &[Fp3], parts: &mut Table<Fp3>) {
        let rows = 1 << self.log_rows;
        for lie in [Lie::Composition, Lie::LateComposition, Lie::LateValues] {
            self.tell(lie, |draw| {
                let part = draw.below(parts.len());
                parts[part] = random(draw, domain, rows);
                true
            });
        }
        self.tell(Lie::HighComposition, |draw| {
            let (part, high) = (draw.below(parts.len()), random(draw, domain, domain.size()));
            parts[part].iter_mut().zip(high).for_each(|(value, high)| *value += high);
            true
        });
    }

    fn at_point(
        &mut self,
        identity: &Identity<'_>,
        domain: Domain,
        frame: &dyn Fn(&Table<Goldilocks>) -> Table<Fp3>,
        main: &mut Table<Goldilocks>,
        parts: &mut Table<Fp3>,
    ) -> bool {
        if !self.has(Lie::LateComposition) {
            return false;
        }
        let point = identity.z.pow(parts.len() as u64);
        let values: Vec<Fp3> = parts.iter().map(|part| at(&domain.coefficients(part), point)).collect();
        let missing = missing(identity, &frame(main), &values);
        parts[0].iter_mut().for_each(|value| *value += missing);
        true
    }

    fn out_of_domain(&mut self, identity: &Identity<'_>, frame: &mut Table<Fp3>, parts: &mut Vec<Fp3>) {
        self.tell(Lie::OutOfDomain, |draw| {
            let row = draw.below(frame.len());
            let column = draw.below(frame[row].len());
            frame[row][column] += extension(draw);
            true
        });
        if [Lie::OutOfDomain, Lie::HighComposition, Lie::HighTrace].into_iter().any(|lie| self.has(lie)) {
            let missing = missing(identity, frame, parts);
            parts[0] += missing;
        }
    }

    fn is_by_row(&self) -> bool {
        self.has(Lie::ValuesByRow)
    }

    fn after_gamma(&mut self, gamma: Fp3, identity: &Identity<'_>, frame: &mut Table<Fp3>, parts: &mut Vec<Fp3>) {
        self.tell(Lie::LateValues, |_| {
            // The weighted sum stays the same: `d gamma` more of one, `d` less of the next.
            let change = missing(identity, frame, parts) * (gamma - identity.z).inverse().expect("drawn apart");
            parts[0] += change * gamma;
            parts[1] -= change;
            true
        });
    }

    fn quotient(&mut self, domain: Domain, word: &mut Vec<Fp3>) {
        let rows = 1 << self.log_rows;
        self.tell(Lie::OtherWord, |draw| {
            *word = random(draw, domain, rows);
            true
        });
    }

    fn folds(&mut self, log_trace: u32) -> u32 {
        log_trace + u32::from(self.has(Lie::LongFolding)) - u32::from(self.has(Lie::ShortFolding))
    }

    fn factor(&mut self, fold: u32, zeta: Fp3) -> Fp3 {
        let folds = self.folds(self.log_rows) as usize;
        let is_it = self.has(Lie::OtherFactor) && self.draw(Lie::OtherFactor).below(folds) == fold as usize;
        if is_it { zeta + Fp3::ONE } else { zeta }
    }

    fn layer(&mut self, layer: u32, word: &mut Vec<Fp3>) {
        let layers = self.folds(self.log_rows) as usize - 1;
        self.tell(Lie::OtherLayer, |draw| {
            if draw.between(1, layers) == layer as usize {
                let constant = extension(draw);
                word.iter_mut().for_each(|value| *value += constant);
            }
            true
        });
    }

    fn last_value(&mut self, word: &[Fp3]) -> Fp3 {
        let lies = [Lie::LastValue, Lie::EndedRight].into_iter().filter(|&lie| self.has(lie));
        lies.fold(word[0], |value, lie| value + extension(&mut self.draw(lie)))
    }

    fn is_lazy(&self) -> bool {
        self.has(Lie::NoGrinding)
    }

    fn queries(&mut self, half: u64, queries: &mut Vec<u64>) {
        self.tell(Lie::ChosenQueries, |draw| {
            let step = draw.between(1, half as usize - 1) as u64;
            queries.iter_mut().for_each(|query| *query = (*query + step) % half);
            true
        });
        self.tell(Lie::RepeatedQueries, |_| {
            let first = queries[0];
            let are_other = queries.iter().any(|query| *query != first);
            queries.fill(first);
            are_other
        });
        self.tell(Lie::FewerQueries, |_| {
            queries.truncate(1);
            true
        });
    }

    fn finish(&mut self, proof: &mut Proof<Cubic>, drawn: &Drawn) {
        let (hash, has_work) = (self.options.suite.tree(), self.options.grinding > 0);
        self.tell(Lie::EndedRight, |_| {
            end_right(proof, drawn);
            true
        });
        self.tell(Lie::NodeForLeaf, |_| {
            hash == HashFn::Keccak256 && nodes_as_leaves(HashFn::Keccak256, &mut proof.deep_openings) > 0
        });
        self.tell(Lie::SwappedColumns, |draw| {
            let (width, first) = (proof.deep_openings[0].main.evaluations.len(), &proof.deep_openings);
            let is_other = |a: usize, b: usize| first.iter().any(|o| o.main.evaluations[a] != o.main.evaluations[b]);
            let pairs: Vec<(usize, usize)> =
                (0..width).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&(a, b)| is_other(a, b)).collect();
            let Some((a, b)) = (!pairs.is_empty()).then(|| draw.of(&pairs)) else { return false };
            for opening in &mut proof.deep_openings {
                opening.main.evaluations.swap(a, b);
                opening.main.evaluations_sym.swap(a, b);
            }
            true
        });
        self.tell(Lie::SwappedPoints, |_| {
            for opening in proof.deep_openings.iter_mut().map(|opening| &mut opening.main) {
                std::mem::swap(&mut opening.evaluations, &mut opening.evaluations_sym);
            }
            proof.deep_openings.iter().any(|opening| opening.main.evaluations != opening.main.evaluations_sym)
        });
        self.tell(Lie::SwappedTrees, |_| {
            for opening in &mut proof.deep_openings {
                let Some(aux) = &mut opening.aux else { return false };
                std::mem::swap(&mut opening.main.path, &mut aux.path);
                std::mem::swap(&mut opening.main.path_sym, &mut aux.path_sym);
            }
            true
        });
        self.tell(Lie::SwappedPaths, |draw| {
            let query = draw.below(proof.deep_openings.len());
            let main = &mut proof.deep_openings[query].main;
            std::mem::swap(&mut main.path, &mut main.path_sym);
            main.path != main.path_sym
        });
        self.tell(Lie::ShortPath, |draw| {
            let query = draw.below(proof.deep_openings.len());
            proof.deep_openings[query].main.path.remove(0);
            true
        });
        self.tell(Lie::NoLowDegreeTest, |_| {
            for decommitment in &mut proof.fri_decommitments {
                decommitment.paths.clear();
                decommitment.values.clear();
            }
            true
        });
        self.tell(Lie::SwappedRoots, |_| {
            std::mem::swap(&mut proof.main_root, &mut proof.composition_root);
            true
        });
        self.tell(Lie::Nonce, |_| {
            proof.nonce = (!has_work).then_some(0);
            true
        });
        self.tell(Lie::OtherLength, |draw| {
            proof.trace_length = if draw.one_in(2) { proof.trace_length / 2 } else { proof.trace_length * 2 };
            true
        });
        self.tell(Lie::NotCanonical, |draw| {
            let values = &mut proof.composition_ood;
            let (part, coordinate) = (draw.below(values.len()), draw.below(3));
            // As much above the prime as 64 bits have room for.
            values[part].0[coordinate] = bytemuck::cast(u64::MAX - draw.word() % 1000);
            true
        });
    }
}
