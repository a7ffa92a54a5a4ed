//! A prover that cheats where it is told to. Plain host code on tables in natural order, quadratic where that is simpler; it
//! shares nothing with the prover of this workspace but the recorded AIR, the transcript and the digests of leaves.

use std::iter::successors;

use air::{Column, ExampleAir, Recorded, Trace, build_aux, record};
use field::{ExtensionField, Field, Fp3, Goldilocks, TwoAdicField, bit_reverse, powers};
use gpu_hal::{Digest, GoldilocksStark};
use proof::{
    DeepOpening, FriDecommitment, OodTable, Opening, Path, Proof, ProofOptions, Seed, Transcript, TreeHash, grinding,
};

/// The protocol that is attacked.
pub(crate) type Cubic = GoldilocksStark<Fp3>;
/// Columns, each a list of values.
pub(crate) type Table<E> = Vec<Vec<E>>;

/// What is claimed, and how.
pub(crate) struct Claimed<'a> {
    pub(crate) air: &'a dyn ExampleAir<Cubic>,
    pub(crate) options: ProofOptions,
    pub(crate) seed: Seed<'a>,
}

/// The verifier's side of the out-of-domain identity, for any frame (row by row) that the prover may claim.
pub(crate) struct Identity<'a> {
    recorded: &'a Recorded<Cubic>,
    challenges: &'a [Fp3],
    beta: Fp3,
    pub(crate) z: Fp3,
}

impl Identity<'_> {
    /// What the composition must be at z.
    pub(crate) fn composition(&self, frame: &[Vec<Fp3>]) -> Fp3 {
        composition(self.recorded, self.challenges, self.beta, self.z, frame)
    }
}

/// The values of the constraints at a point, combined, from the columns at `g^d` times that point.
pub(crate) fn composition(
    recorded: &Recorded<Cubic>,
    challenges: &[Fp3],
    beta: Fp3,
    point: Fp3,
    frame: &[Vec<Fp3>],
) -> Fp3 {
    let main = recorded.layout().main_columns;
    let params = recorded.params(challenges).expect("as many challenges as the AIR has");
    let cell = |column: Column, row: usize| match column {
        Column::Main(column) => frame[row][column],
        Column::Aux(column) => frame[row][main + column],
    };
    let combination = recorded.combination(beta);
    recorded.composition_at(point, &params, &combination, cell).expect("the point is outside the trace domain")
}

/// What the verifier will know when it looks at the queries.
pub(crate) struct Drawn {
    pub(crate) challenges: Vec<Fp3>,
    pub(crate) beta: Fp3,
    pub(crate) z: Fp3,
    pub(crate) zetas: Vec<Fp3>,
    pub(crate) queries: Vec<u64>,
    /// The DEEP quotient that it will rebuild, on the LDE domain.
    pub(crate) quotient: Vec<Fp3>,
    pub(crate) domain: Domain,
}

/// Where a prover departs from the protocol. All words are on their domain in natural order.
pub(crate) trait Cheat {
    /// The main columns on the LDE domain, before they are committed.
    fn main(&mut self, _domain: Domain, _columns: &mut Table<Goldilocks>) {}
    /// The composition parts on the LDE domain, before they are committed; `all` is the whole composition there.
    fn composition(&mut self, _domain: Domain, _all: &[Fp3], _parts: &mut Table<Fp3>) {}
    /// The out-of-domain values, before they are absorbed.
    fn out_of_domain(&mut self, _identity: &Identity<'_>, _frame: &mut Table<Fp3>, _parts: &mut Vec<Fp3>) {}
    /// The main columns and the parts on the LDE domain, once z is known, and whether they changed: then the proof has the
    /// roots of these, and the transcript those from before. `frame` is what the columns are at the points.
    fn at_point(
        &mut self,
        _identity: &Identity<'_>,
        _domain: Domain,
        _frame: &dyn Fn(&Table<Goldilocks>) -> Table<Fp3>,
        _main: &mut Table<Goldilocks>,
        _parts: &mut Table<Fp3>,
    ) -> bool {
        false
    }
    /// The out-of-domain values, once gamma is known: the transcript has those from before.
    fn after_gamma(&mut self, _gamma: Fp3, _identity: &Identity<'_>, _frame: &mut Table<Fp3>, _parts: &mut Vec<Fp3>) {}
    /// The word that FRI starts from; the verifier will rebuild the quotient itself.
    fn quotient(&mut self, _domain: Domain, _word: &mut Vec<Fp3>) {}
    /// The last value.
    fn last_value(&mut self, word: &[Fp3]) -> Fp3 {
        word[0]
    }
    /// The whole proof, once the queries are known.
    fn finish(&mut self, _proof: &mut Proof<Cubic>, _drawn: &Drawn) {}
}

/// Follows the protocol.
pub(crate) struct Honest;
impl Cheat for Honest {}

/// A coset in natural order.
#[derive(Clone, Copy)]
pub(crate) struct Domain {
    pub(crate) shift: Goldilocks,
    pub(crate) log_size: u32,
}

impl Domain {
    pub(crate) fn size(self) -> usize {
        1 << self.log_size
    }

    pub(crate) fn points(self) -> impl Iterator<Item = Goldilocks> {
        powers(Goldilocks::two_adic_generator(self.log_size)).take(self.size()).map(move |power| power * self.shift)
    }

    /// Storage index to natural index.
    pub(crate) fn natural(self, index: usize) -> usize {
        bit_reverse(index, self.log_size)
    }

    /// The polynomial of degree below the size with these values.
    pub(crate) fn coefficients<E: ExtensionField<Goldilocks>>(self, values: &[E]) -> Vec<E> {
        let inverse = |x: Goldilocks| x.inverse().expect("no point is zero");
        let root = inverse(Goldilocks::two_adic_generator(self.log_size));
        let scale = inverse(Goldilocks::new(self.size() as u64));
        powers(root)
            .zip(powers(inverse(self.shift)))
            .take(self.size())
            .map(|(step, shift)| {
                let sum = values.iter().zip(powers(step)).fold(E::ZERO, |sum, (&value, power)| sum + value * power);
                sum * (scale * shift)
            })
            .collect()
    }

    /// The polynomial on this domain.
    pub(crate) fn evaluate<E: ExtensionField<Goldilocks>>(self, coefficients: &[E]) -> Vec<E> {
        self.points().map(|x| coefficients.iter().rev().fold(E::ZERO, |sum, &c| sum * x + c)).collect()
    }
}

pub(crate) fn at<E: ExtensionField<Goldilocks> + Into<Fp3>>(coefficients: &[E], point: Fp3) -> Fp3 {
    coefficients.iter().rev().fold(Fp3::ZERO, |sum, &c| sum * point + c.into())
}

struct Tree(Vec<Vec<Digest>>);

impl Tree {
    fn new(hash: TreeHash, leaves: Vec<Digest>) -> Self {
        let node = |pair: &[Digest]| hash.node(&pair[0], &pair[1]).expect("digests of this function");
        let up = |level: &Vec<Digest>| (level.len() > 1).then(|| level.chunks_exact(2).map(node).collect());
        Self(successors(Some(leaves), up).collect())
    }

    fn root(&self) -> Digest {
        self.0[self.0.len() - 1][0]
    }

    fn path(&self, leaf: usize) -> Path {
        self.0[..self.0.len() - 1].iter().enumerate().map(|(level, nodes)| nodes[(leaf >> level) ^ 1]).collect()
    }
}

/// A tree over the columns, with as many points to a leaf, in storage order.
fn commit<E: ExtensionField<Goldilocks>>(hash: TreeHash, domain: Domain, columns: &[Vec<E>], points: usize) -> Tree {
    let row = |index: usize| columns.iter().map(move |column| column[domain.natural(index)]);
    let leaf = |leaf: usize| {
        let values: Vec<E> = (0..points).flat_map(|k| row(leaf * points + k)).collect();
        hash.leaf(&values)
    };
    Tree::new(hash, (0..domain.size() / points).map(leaf).collect())
}

fn opening<E: ExtensionField<Goldilocks>>(
    domain: Domain,
    columns: &[Vec<E>],
    query: usize,
    path: Path,
    path_sym: Path,
) -> Opening<E> {
    let row = |index: usize| columns.iter().map(|column| column[domain.natural(index)]).collect();
    Opening { path, path_sym, evaluations: row(2 * query), evaluations_sym: row(2 * query + 1) }
}

/// `(p(x) + p(-x)) + zeta (p(x) - p(-x))/x`.
pub(crate) fn fold_pair(at_x: Fp3, at_minus_x: Fp3, x: Goldilocks, zeta: Fp3) -> Fp3 {
    (at_x + at_minus_x) + zeta * ((at_x - at_minus_x) * x.inverse().expect("no point is zero"))
}

/// One fold of a word.
pub(crate) fn fold(domain: Domain, word: &[Fp3], zeta: Fp3) -> (Domain, Vec<Fp3>) {
    let (low, high) = word.split_at(word.len() / 2);
    let folded = domain.points().zip(low.iter().zip(high)).map(|(x, (&p, &q))| fold_pair(p, q, x, zeta)).collect();
    (Domain { shift: domain.shift.square(), log_size: domain.log_size - 1 }, folded)
}

/// A proof of whatever the cheat makes of the trace.
pub(crate) fn prove(claimed: &Claimed<'_>, trace: &Trace<Goldilocks>, cheat: &mut dyn Cheat) -> (Proof<Cubic>, Drawn) {
    let options = claimed.options;
    let recorded = record::<Cubic, _>(claimed.air).expect("a valid AIR");
    let layout = recorded.layout();
    let (log_trace, hash) = (recorded.log_trace_length(), TreeHash::try_from(options.hash).expect("a tree hash"));
    let domain = Domain { shift: options.offset(), log_size: options.log_lde(log_trace) };
    let rows = Domain { shift: Goldilocks::ONE, log_size: log_trace };
    let seed = claimed.seed.bytes::<Cubic>(&recorded.digest(), rows.size() as u64, recorded.public_inputs(), &options);
    let mut transcript = Transcript::new(&seed);

    let extend = |column: &[Goldilocks]| domain.evaluate(&rows.coefficients(column));
    let mut main: Table<Goldilocks> = (0..trace.width()).map(|j| extend(trace.column(j))).collect();
    cheat.main(domain, &mut main);
    let mut main_tree = commit(hash, domain, &main, 1);
    transcript.append_bytes(&main_tree.root());
    let challenges: Vec<Fp3> = (0..layout.challenges).map(|_| transcript.sample_element()).collect();
    let aux = build_aux(&recorded, claimed.air, trace, &challenges).expect("of the AIR's shape");
    let aux: Table<Fp3> = aux.iter().map(|column| domain.evaluate(&rows.coefficients(column))).collect();
    let aux_tree = (layout.aux_columns > 0).then(|| commit(hash, domain, &aux, 1));
    aux_tree.iter().for_each(|tree| transcript.append_bytes(&tree.root()));

    let beta: Fp3 = transcript.sample_element();
    let step = 1 << options.log_blowup();
    let frame_on_domain = |i: usize| -> Table<Fp3> {
        let row = |d: usize| {
            let i = (i + d * step) % domain.size();
            main.iter().map(|column| Fp3::from(column[i])).chain(aux.iter().map(|column| column[i])).collect()
        };
        (0..layout.frame_rows).map(row).collect()
    };
    let all: Vec<Fp3> = domain
        .points()
        .enumerate()
        .map(|(i, x)| composition(&recorded, &challenges, beta, x.into(), &frame_on_domain(i)))
        .collect();
    let parts_count = layout.composition_parts;
    let whole = domain.coefficients(&all);
    let part = |k: usize| -> Vec<Fp3> {
        whole[..parts_count * rows.size()].iter().copied().skip(k).step_by(parts_count).collect()
    };
    let mut parts: Table<Fp3> = (0..parts_count).map(|k| domain.evaluate(&part(k))).collect();
    cheat.composition(domain, &all, &mut parts);
    let mut composition_tree = commit(hash, domain, &parts, 2);
    transcript.append_bytes(&composition_tree.root());

    let z: Fp3 = transcript.sample_out_of_domain(log_trace, domain.log_size, options.offset());
    let generator = Goldilocks::two_adic_generator(log_trace);
    let shifted: Vec<Fp3> = powers(generator).take(layout.frame_rows).map(|g| z * g).collect();
    let ext =
        |columns: &Table<Fp3>| -> Table<Fp3> { columns.iter().map(|column| domain.coefficients(column)).collect() };
    let aux_coefficients = ext(&aux);
    let frame_of = |main: &Table<Goldilocks>| -> Table<Fp3> {
        let main: Table<Goldilocks> = main.iter().map(|column| domain.coefficients(column)).collect();
        let row = |&point: &Fp3| -> Vec<Fp3> {
            let main = main.iter().map(|column| at(column, point));
            main.chain(aux_coefficients.iter().map(|column| at(column, point))).collect()
        };
        shifted.iter().map(row).collect()
    };
    let identity = Identity { recorded: &recorded, challenges: &challenges, beta, z };
    if cheat.at_point(&identity, domain, &frame_of, &mut main, &mut parts) {
        main_tree = commit(hash, domain, &main, 1);
        composition_tree = commit(hash, domain, &parts, 2);
    }
    let mut frame = frame_of(&main);
    let part_point = z.pow(parts_count as u64);
    let mut part_values: Vec<Fp3> = ext(&parts).iter().map(|column| at(column, part_point)).collect();
    cheat.out_of_domain(&identity, &mut frame, &mut part_values);
    let columns = main.len() + aux.len();
    for column in 0..columns {
        frame.iter().for_each(|row| transcript.append_element(&row[column]));
    }
    part_values.iter().for_each(|value| transcript.append_element(value));

    let gamma: Fp3 = transcript.sample_element();
    cheat.after_gamma(gamma, &identity, &mut frame, &mut part_values);
    let quotient: Vec<Fp3> = domain
        .points()
        .enumerate()
        .map(|(i, x)| {
            let weights: Vec<Fp3> = powers(gamma).take(columns * shifted.len() + parts_count).collect();
            let inverse = |point: Fp3| (Fp3::from(x) - point).inverse().expect("z is outside the domain");
            let mut sum = Fp3::ZERO;
            for (d, &point) in shifted.iter().enumerate() {
                for (j, &claim) in frame[d].iter().enumerate() {
                    let value = if j < main.len() { Fp3::from(main[j][i]) } else { aux[j - main.len()][i] };
                    sum += weights[j * shifted.len() + d] * (value - claim) * inverse(point);
                }
            }
            for (k, &claim) in part_values.iter().enumerate() {
                sum += weights[columns * shifted.len() + k] * (parts[k][i] - claim) * inverse(part_point);
            }
            sum
        })
        .collect();

    let mut word = quotient.clone();
    cheat.quotient(domain, &mut word);
    let (mut layer, mut zetas, mut layers) = (domain, Vec::new(), Vec::new());
    for k in 0..log_trace {
        let zeta: Fp3 = transcript.sample_element();
        zetas.push(zeta);
        (layer, word) = fold(layer, &word, zeta);
        if k + 1 < log_trace {
            let tree = commit(hash, layer, std::slice::from_ref(&word), 2);
            transcript.append_bytes(&tree.root());
            layers.push((layer, word.clone(), tree));
        }
    }
    let last = cheat.last_value(&word);
    transcript.append_element(&last);
    let nonce = (options.grinding > 0).then(|| {
        let inner = grinding::inner(&transcript.state(), options.grinding);
        (0..).find(|&nonce| grinding::is_valid(&inner, nonce, options.grinding)).expect("one of 2^64")
    });
    nonce.iter().for_each(|nonce: &u64| transcript.append_bytes(&nonce.to_be_bytes()));
    let queries: Vec<u64> = (0..options.queries).map(|_| transcript.sample_u64(domain.size() as u64 / 2)).collect();

    let deep = |query: &u64| {
        let query = *query as usize;
        let both = |tree: &Tree| (tree.path(2 * query), tree.path(2 * query + 1));
        let (path, path_sym) = both(&main_tree);
        DeepOpening {
            composition: {
                let path = composition_tree.path(query);
                opening(domain, &parts, query, path.clone(), path)
            },
            main: opening(domain, &main, query, path, path_sym),
            aux: aux_tree.as_ref().map(|tree| {
                let (path, path_sym) = both(tree);
                opening(domain, &aux, query, path, path_sym)
            }),
        }
    };
    let fri = |query: &u64| {
        let index = |k: usize| (*query as usize) >> k;
        let layers = || layers.iter().enumerate();
        FriDecommitment {
            paths: layers().map(|(k, (_, _, tree))| tree.path(index(k) >> 1)).collect(),
            values: layers().map(|(k, (domain, word, _))| word[domain.natural(index(k) ^ 1)]).collect(),
        }
    };
    let mut proof = Proof {
        trace_length: rows.size() as u64,
        main_root: main_tree.root(),
        aux_root: aux_tree.as_ref().map(Tree::root),
        trace_ood: OodTable {
            width: columns as u64,
            height: layout.frame_rows as u64,
            data: frame.into_iter().flatten().collect(),
        },
        composition_root: composition_tree.root(),
        composition_ood: part_values,
        fri_roots: layers.iter().map(|(_, _, tree)| tree.root()).collect(),
        fri_last_value: last,
        fri_decommitments: queries.iter().map(fri).collect(),
        deep_openings: queries.iter().map(deep).collect(),
        nonce,
    };
    let drawn = Drawn { challenges: challenges.clone(), beta, z, zetas, queries, quotient, domain };
    cheat.finish(&mut proof, &drawn);
    (proof, drawn)
}
