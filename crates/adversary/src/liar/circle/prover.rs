//! A prover that departs from the protocol where it is told to. It shares the recorded statement and the transcript
//! with the prover of this workspace, and the quotient with the verifier.

use circle_air::{Mixes, RecordedStatement, Statement, base, interaction_columns, qm31, secure};
use circle_proof::positions::{is_packed, layer_opening, preprocessed_positions};
use circle_proof::{
    CircleOptions, Committed, FriLayer, FriProof, Policy, Proof, Verified, VerifyError, encode, verify,
};
use field::circle::{CanonicDomain, CirclePoint, CirclePointIndex, neighbour_index};
use field::{Field, M31, QM31, bit_reverse};
use gpu_hal::Digest;
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::TreeVec;
use stwo::core::pcs::quotients::{PointSample, fri_answers};

use super::cheat::{Cheat, Round};
use super::identity::{Identity, Samples, constraints};
use super::words::{Table, Tree, at, coefficients, evaluate, extend, fold, line_coefficients};

/// A claimed statement, and its options.
#[derive(Clone, Copy)]
pub struct Claimed<'a> {
    /// The statement.
    pub statement: &'a dyn Statement,
    /// The options that the proof names.
    pub options: CircleOptions,
}

/// A proof and the values that are sent beside it.
pub struct Forged {
    /// The proof.
    pub proof: Proof,
    /// The claimed sums.
    pub sums: Vec<QM31>,
}

impl Claimed<'_> {
    /// The verifier's answer.
    ///
    /// # Errors
    /// The check that failed.
    pub fn check(&self, forged: &Forged) -> Result<Verified, VerifyError> {
        let policy = Policy { suite: self.options.suite, ..Policy::ANY };
        verify(self.statement, &forged.sums, &encode(&forged.proof), &policy)
    }

    /// Proves and verifies. Columns of a component may have more rows than it: `2^m` at most, `m` log2 of the longest.
    ///
    /// # Errors
    /// The check that failed.
    pub fn attack(&self, trace: &[Table], cheat: &mut dyn Cheat) -> Result<Verified, VerifyError> {
        self.check(&prove(self, trace, cheat))
    }
}

fn point(point: CirclePoint<QM31>) -> stwo::core::circle::CirclePoint<SecureField> {
    stwo::core::circle::CirclePoint { x: secure(point.x), y: secure(point.y) }
}

/// A proof of the trace as the cheat changes it.
///
/// # Panics
/// If the statement cannot be recorded, or trace or options do not fit it.
pub fn prove(claimed: &Claimed<'_>, trace: &[Table], cheat: &mut dyn Cheat) -> Forged {
    let (statement, mut options) = (claimed.statement, claimed.options);
    cheat.options(&mut options);
    let recorded = RecordedStatement::new(statement, options.lifting).expect("a sound statement");
    let log_domain = options.validate(recorded.max_log_size()).expect("options that fit");
    let (log_degree, log_blowup) = (log_domain - options.log_blowup, options.log_blowup);
    let extended = |columns: &Table| columns.iter().map(|column| extend(column, log_blowup, log_domain)).collect();

    // Declared sizes and row offsets by tree, words by tree.
    let mut sizes: Vec<Vec<u32>> =
        (0..3).map(|tree| recorded.log_sizes(tree).iter().map(|log| log + log_blowup).collect()).collect();
    let of_fixed = |column| if recorded.is_sampled(column) { vec![0] } else { vec![] };
    let fixed_offsets = (0..sizes[0].len()).map(of_fixed).collect();
    let of_tree = |tree: usize| recorded.components.iter().flat_map(|c| c.offsets[tree].clone()).collect();
    let mut offsets: Vec<Vec<Vec<isize>>> = vec![fixed_offsets, of_tree(1), of_tree(2)];

    let suite = claimed.options.suite;
    let hash = suite.tree();
    let mut fixed: Table = statement.preprocessed_values(options.lifting);
    cheat.preprocessed(&mut fixed);
    let commit = |words: &Table, sizes: &[u32], height: u32| {
        if words.is_empty() && height == 0 {
            return Tree::empty(suite.empty_root());
        }
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|column| sizes[*column]);
        let place = |leaf: usize| ((leaf >> 1) << (log_domain - height + 1)) + (leaf & 1);
        Tree::new(hash, height, |leaf| order.iter().map(|&column| words[column][place(leaf)]).collect())
    };
    let natural = sizes[0].iter().copied().max().unwrap_or(0);
    let fixed_height = options.lifting.unwrap_or(natural);
    let mut words: Vec<Table> = vec![extended(&fixed), extended(&trace.concat())];
    cheat.main(&mut words[1]);
    let mut trees = vec![commit(&words[0], &sizes[0], fixed_height), commit(&words[1], &sizes[1], log_domain)];

    let mut public = statement.words();
    cheat.words(&mut public);
    let mixes = Mixes::words(public);
    let draws = statement.draws();
    let early = [Round::Elements, Round::Alpha, Round::Point, Round::Fold].map(|round| cheat.is_early(round));
    let root_or_zero = |is_early: bool, tree: &Tree| if is_early { Digest::default() } else { tree.root() };
    let main_root = root_or_zero(early[0], &trees[1]);
    let (round, drawn) = Committed::begin(&claimed.options, &mixes, trees[0].root(), main_root).draw(None, draws);
    let (mut sums, mut interaction): (Vec<QM31>, Table) = (Vec::new(), Vec::new());
    if draws > 0 {
        let params = recorded.logup_params(statement, &drawn).expect("the statement's shape");
        for (index, component) in recorded.components.iter().enumerate() {
            let Some(logup) = &component.logup else { continue };
            let log_rows = trace[index].iter().map(|column| column.len().ilog2()).max().expect("main columns");
            let repeated = |column: &usize| fixed[*column].iter().copied().cycle().take(1 << log_rows).collect();
            let read: Table = recorded.preprocessed_indices[index].iter().map(repeated).collect();
            let made = interaction_columns(logup, log_rows, [&read, &trace[index]], &params[index]).expect("no zero");
            // A sum over more rows than there are counts them more than once.
            let times = M31::new(1 << ((31 - (log_rows - component.log_size)) % 31));
            sums.push(made.claimed_sum * times);
            interaction.extend(made.columns);
        }
        cheat.interaction(&mut sums, &mut interaction);
        words.push(extended(&interaction));
        trees.push(commit(&words[2], &sizes[2], log_domain));
    } else {
        sizes.pop();
        offsets.pop();
    }
    let mixed = sums.clone();
    let closing = (draws > 0).then(|| (&mixed[..], root_or_zero(early[1], &trees[2])));
    let rounds = round.commit(closing).expect("an interaction tree if something is drawn");

    let (out_of_domain, alpha) = rounds.weight();
    let params_of = |sums: &[QM31]| recorded.params(statement, &drawn, sums).expect("the statement's shape");
    let params = params_of(&mixed);
    let domain = CanonicDomain::new(log_domain);
    let divided = |index: usize| {
        let load = |tree: usize, column: usize, offset: i32| {
            let place = neighbour_index(index, offset.into(), log_degree, log_domain);
            QM31::from(words[tree][column][place])
        };
        let vanishing = CirclePoint::repeated_double_x(domain.at_storage(index).x, log_degree - 1);
        constraints(&recorded, &params, alpha, load) * vanishing.inverse().expect("not in the domain")
    };
    let all: Vec<QM31> = (0..1 << log_domain).map(divided).collect();
    let whole = coefficients(&all);
    let half = |number: usize| evaluate(&whole[number << log_degree..(number + 1) << log_degree], log_domain);
    let mut halves: Table = [half(0), half(1)]
        .iter()
        .flat_map(|half| (0..4).map(|c| half.iter().map(|value| value.0[c]).collect()))
        .collect();
    cheat.composition(&all, &mut halves);
    words.push(halves);
    sizes.push(vec![log_domain; 8]);
    offsets.push(vec![vec![0]; 8]);
    trees.push(commit(&words[words.len() - 1], &[log_domain; 8], log_domain));

    let (sampled, z) = out_of_domain.point(root_or_zero(early[2], &trees[trees.len() - 1]));
    let z = z.expect("a point");
    let moved = |offset: &isize| {
        let step = CirclePointIndex::subgroup_generator(log_degree) * offset.unsigned_abs() as u64;
        z + (if *offset < 0 { -step } else { step }).to_point().into_extension()
    };
    let values_of = |words: &Table, offsets: &[Vec<isize>]| -> Vec<Vec<QM31>> {
        let value = |(word, offsets): (&Vec<M31>, &Vec<isize>)| {
            let polynomial = coefficients(word);
            offsets.iter().map(|offset| at(&polynomial, moved(offset))).collect()
        };
        words.iter().zip(offsets).map(value).collect()
    };
    let mut values: Samples = words.iter().zip(&offsets).map(|(words, offsets)| values_of(words, offsets)).collect();
    let identity = Identity { recorded: &recorded, params: &params, alpha, point: z, offsets: &offsets, log_degree };
    let last = words.len() - 1;
    if cheat.at_point(&identity, &values, &mut words[last]) {
        trees[last] = commit(&words[last], &[log_domain; 8], log_domain);
        values[last] = values_of(&words[last], &offsets[last]);
    }
    let missing = |sums: &[QM31]| {
        let params = params_of(sums);
        Identity { params: &params, ..identity }.composition(&values) - identity.claimed(&values)
    };
    cheat.after_point(&missing, &mut sums);
    cheat.out_of_domain(&identity, &mut values);
    let flat: Vec<QM31> = values.iter().flatten().flatten().copied().collect();
    let early_beta = cheat.is_early(Round::Beta);
    let (mut folding, beta) = sampled.quotients(&if early_beta { vec![QM31::ZERO; flat.len()] } else { flat });
    cheat.after_beta(beta, &identity, &mut values);

    let sample = |(offset, value): (&isize, &QM31)| PointSample { point: point(moved(offset)), value: secure(*value) };
    let of_column = |(offsets, values): (&Vec<isize>, &Vec<QM31>)| offsets.iter().zip(values).map(sample).collect();
    let of_tree = |(offsets, values): (&Vec<Vec<isize>>, &Vec<Vec<QM31>>)| -> Vec<Vec<PointSample>> {
        offsets.iter().zip(values).map(of_column).collect()
    };
    let mut samples = TreeVec(offsets.iter().zip(&values).map(of_tree).collect());
    cheat.samples(&mut samples);
    let read = |table: &Table| table.iter().map(|word| word.iter().map(|&value| base(value)).collect()).collect();
    let read = TreeVec(words.iter().map(read).collect());
    let everywhere: Vec<usize> = (0..1 << log_domain).collect();
    let quotient =
        fri_answers(TreeVec(sizes.clone()), samples, secure(beta), &everywhere, read, log_domain).expect("shapes");
    let mut word: Vec<QM31> = quotient.into_iter().map(qm31).collect();

    let mut layers: Vec<(Vec<QM31>, Tree, u32)> = Vec::new();
    let mut steps = options.fold_steps(log_domain);
    cheat.folds(&mut steps);
    for (number, step) in steps.into_iter().enumerate() {
        cheat.layer(number, &mut word);
        let packing = if is_packed(word.len().ilog2(), step) != cheat.packs_otherwise() { 2 } else { 0 };
        let leaf = |leaf: usize| word[leaf << packing..(leaf + 1) << packing].iter().flat_map(|v| v.0).collect();
        let tree = Tree::new(hash, word.len().ilog2() - packing, leaf);
        let drawn = folding.layer(root_or_zero(early[3] && number == 0, &tree));
        let mut alpha = cheat.factor(number, drawn);
        let mut next = word.clone();
        for times in 0..step {
            next = fold(&next, alpha, number == 0 && times == 0);
            alpha = alpha.square();
        }
        layers.push((std::mem::replace(&mut word, next), tree, step));
    }
    let mut last = line_coefficients(&word);
    cheat.last(&mut last);
    let last: Vec<QM31> = (0..1 << options.log_last).map(|index| last[bit_reverse(index, options.log_last)]).collect();

    let early_queries = cheat.is_early(Round::Queries);
    let own = folding.clone().last(&vec![QM31::ZERO; last.len()]);
    let work = folding.last(&last);
    let mut nonces = cheat.first_nonce()..;
    let nonce =
        nonces.find(|&nonce| work.is_valid_nonce(options.pow_bits, nonce) != cheat.is_lazy()).expect("one of 2^64");
    // The transcript that the verifier will have: other positions if something was changed after it was mixed.
    let verifier_s = || {
        let mixes = Mixes::words(statement.words());
        let (round, _) = Committed::begin(&claimed.options, &mixes, trees[0].root(), trees[1].root()).draw(None, draws);
        let closing = (draws > 0).then(|| (&sums[..], trees[2].root()));
        let (out_of_domain, _) = round.commit(closing).expect("as before").weight();
        let flat: Vec<QM31> = values.iter().flatten().flatten().copied().collect();
        let (mut folding, _) = out_of_domain.point(trees[trees.len() - 1].root()).0.quotients(&flat);
        for (_, tree, _) in &layers {
            folding.layer(tree.root());
        }
        folding.last(&last).queries(nonce, log_domain, options.queries)
    };
    let mut positions = match early_queries {
        true => own.queries(nonce, log_domain, options.queries),
        false => verifier_s(),
    };
    cheat.positions(&mut positions);

    let open = |tree: usize| -> (Vec<Vec<M31>>, Vec<Digest>) {
        let column = |word: &Vec<M31>| positions.iter().map(|&position| word[position]).collect();
        let leaves = match tree {
            // Out of order there is nothing to open.
            0 => preprocessed_positions(&positions, log_domain, fixed_height).unwrap_or_default(),
            _ => positions.clone(),
        };
        (words[tree].iter().map(column).collect(), trees[tree].siblings(&leaves))
    };
    let (queried, siblings): (Vec<_>, Vec<_>) = (0..trees.len()).map(open).unzip();
    let mut queries = positions.clone();
    let mut opened = layers.iter().map(|(word, tree, step)| {
        let opening = layer_opening(&queries, word.len().ilog2(), *step);
        // Different from the protocol's if the leaves are.
        let mut leaves: Vec<usize> = opening.next.iter().flat_map(|group| group << step..(group + 1) << step).collect();
        leaves.iter_mut().for_each(|leaf| *leaf >>= word.len().ilog2() - tree.height());
        leaves.dedup();
        let groups = opening.next.iter().flat_map(|group| group << step..(group + 1) << step);
        let missing = groups.filter(|position| queries.binary_search(position).is_err());
        let layer = FriLayer {
            fri_witness: missing.map(|position| word[position]).collect(),
            decommitment: tree.siblings(&leaves),
            commitment: tree.root(),
        };
        queries = opening.next;
        layer
    });
    let first_layer = opened.next().expect("there is a first layer");
    let mut proof = Proof {
        config: claimed.options,
        commitments: trees.iter().map(Tree::root).collect(),
        sampled_values: values,
        decommitments: siblings,
        queried_values: queried,
        proof_of_work: nonce,
        fri_proof: FriProof { first_layer, inner_layers: opened.collect(), last_layer: last },
    };
    cheat.finish(&mut proof);
    cheat.claim(&mut sums);
    Forged { proof, sums }
}
