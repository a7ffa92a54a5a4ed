//! A prover that departs from the protocol where it is told to. Plain host code on tables in natural order; it shares
//! nothing with the prover of this workspace but the recorded AIR, the transcript and the digests of leaves.

use air::{Air, Trace, build_aux, record};
use field::{Field, Fp3, Goldilocks, TwoAdicField, powers};
use goldilocks_proof::{
    DeepOpening, FormatOptions, FriDecommitment, OodTable, Proof, Seed, Transcript, grinding, lambdaworks,
};

use super::cheat::{Cheat, Drawn, Round};
use super::identity::{Cubic, Identity, composition};
use super::words::{Domain, Table, Tree, at, commit, fold, opening};

/// A claimed statement, and its options.
#[derive(Clone, Copy)]
pub struct Claimed<'a> {
    /// The statement.
    pub air: &'a dyn Air<Cubic>,
    /// The options that the verifier is given.
    pub options: lambdaworks::Options,
    /// The seed that the verifier is given.
    pub seed: Seed<'a>,
}

/// A proof of the trace as the cheat changes it.
///
/// # Panics
/// If the AIR cannot be recorded, or trace or options do not fit it.
pub fn prove(claimed: &Claimed<'_>, trace: &Trace<Goldilocks>, cheat: &mut dyn Cheat) -> (Proof<Cubic>, Drawn) {
    let options = claimed.options;
    let recorded = record::<Cubic, _>(claimed.air).expect("a valid AIR");
    let layout = recorded.layout();
    let log_trace = recorded.log_trace_length();
    let hash = cheat.hash(options.suite.tree());
    let stated = Domain { shift: options.offset(), log_size: options.log_lde(log_trace) };
    let domain = cheat.domain(stated);
    let rows = Domain { shift: Goldilocks::ONE, log_size: log_trace };
    let mut public = recorded.public_inputs().to_vec();
    cheat.public_inputs(&mut public);
    let seed = claimed.seed.bytes::<Cubic>(&recorded.digest(), rows.size() as u64, &public, &options);
    let mut transcript = Transcript::new(&seed);

    let extend = |column: &[Goldilocks]| domain.evaluate(&rows.coefficients(column));
    let mut main: Table<Goldilocks> = (0..trace.width()).map(|j| extend(trace.column(j))).collect();
    cheat.main(domain, &mut main);
    let mut main_tree = commit(hash, domain, &main, 1);
    let challenges: Vec<Fp3> = in_order(
        &mut transcript,
        cheat.is_early(Round::Challenges),
        |t| t.append_bytes(&main_tree.root()),
        |t| (0..layout.challenges).map(|_| t.sample_element()).collect(),
    );
    let mut aux = build_aux(&recorded, claimed.air, trace, &challenges).expect("of the AIR's shape");
    cheat.auxiliary(&mut aux);
    let aux: Table<Fp3> = aux.iter().map(|column| domain.evaluate(&rows.coefficients(column))).collect();
    let aux_tree = (layout.aux_columns > 0).then(|| commit(hash, domain, &aux, 1));
    let beta: Fp3 = in_order(
        &mut transcript,
        cheat.is_early(Round::Beta),
        |t| aux_tree.iter().for_each(|tree| t.append_bytes(&tree.root())),
        Transcript::sample_element,
    );
    let step = domain.size() / rows.size();
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
    let z: Fp3 = in_order(
        &mut transcript,
        cheat.is_early(Round::Point),
        |t| t.append_bytes(&composition_tree.root()),
        |t| {
            let mut elements = std::iter::repeat_with(|| t.sample_element());
            elements.find(|z: &Fp3| options.is_out_of_domain(*z, log_trace, parts_count)).expect("there are many")
        },
    );
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
    let by_row = frame.iter().flatten().copied().collect();
    let by_column = (0..columns).flat_map(|column| frame.iter().map(move |row| row[column])).collect();
    let ordered: Vec<Fp3> = if cheat.is_by_row() { by_row } else { by_column };
    let gamma: Fp3 = in_order(
        &mut transcript,
        cheat.is_early(Round::Gamma),
        |t| ordered.iter().chain(&part_values).for_each(|value| t.append_element(value)),
        Transcript::sample_element,
    );
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
    let folds = cheat.folds(log_trace);
    let mut next: Fp3 = transcript.sample_element();
    for k in 0..folds {
        let zeta = cheat.factor(k, next);
        zetas.push(zeta);
        (layer, word) = fold(layer, &word, zeta);
        if k + 1 < folds {
            cheat.layer(k + 1, &mut word);
            let tree = commit(hash, layer, std::slice::from_ref(&word), 2);
            next = in_order(
                &mut transcript,
                k == 0 && cheat.is_early(Round::Zeta),
                |t| t.append_bytes(&tree.root()),
                Transcript::sample_element,
            );
            layers.push((layer, word.clone(), tree));
        }
    }
    let last = cheat.last_value(&word);
    // Where queries are early, nothing absorbs the last value for them.
    let mut early = transcript.clone();
    transcript.append_element(&last);
    let nonce = (options.grinding > 0).then(|| {
        let (search, lazy) = (grinding::search(&transcript.state(), options.grinding), cheat.is_lazy());
        let fits = |nonce: &u64| search.is_work(*nonce) != lazy;
        (0..).find(fits).expect("one of 2^64")
    });
    nonce.iter().for_each(|nonce: &u64| transcript.append_bytes(&nonce.to_be_bytes()));
    let half = stated.size() as u64 / 2;
    let drawn = if cheat.is_early(Round::Queries) { &mut early } else { &mut transcript };
    let mut queries: Vec<u64> = (0..options.queries).map(|_| drawn.sample_u64(half)).collect();
    cheat.queries(half, &mut queries);
    // The domain may be a smaller one.
    queries.iter_mut().for_each(|query| *query %= domain.size() as u64 / 2);

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

/// Absorbs, then draws; or the other way round.
fn in_order<T>(
    transcript: &mut Transcript,
    is_early: bool,
    absorb: impl FnOnce(&mut Transcript),
    draw: impl FnOnce(&mut Transcript) -> T,
) -> T {
    if is_early {
        let drawn = draw(transcript);
        absorb(transcript);
        drawn
    } else {
        absorb(transcript);
        draw(transcript)
    }
}
