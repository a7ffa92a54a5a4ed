//! Everything that the verdict depends on is mixed before the first challenge that must not be known when it is chosen.

use circle_air::Mixes;
use circle_proof::{CircleOptions, Committed};
use field::{M31, QM31};
use gpu_hal::Digest;

/// All that a proof and its statement bring to the transcript.
#[derive(Clone)]
struct Inputs {
    options: CircleOptions,
    words: Vec<u32>,
    roots: [Digest; 4],
    sums: Vec<QM31>,
    sampled: Vec<QM31>,
    layers: [Digest; 2],
    last: Vec<QM31>,
    nonce: u64,
}

/// The number of the first challenge that a change changes, and the change.
type Change = (usize, fn(&mut Inputs));

fn element(value: u32) -> QM31 {
    QM31::from(M31::new(value))
}

fn inputs() -> Inputs {
    Inputs {
        options: CircleOptions { lifting: Some(20), ..CircleOptions::default() },
        words: vec![9, 4, 1],
        roots: [1, 2, 3, 4].map(|byte| [byte; 32]),
        sums: vec![element(1), element(2)],
        sampled: vec![element(3), element(4)],
        layers: [5, 6].map(|byte| [byte; 32]),
        last: vec![element(5), element(6)],
        nonce: 7,
    }
}

/// The challenges in order, as text: elements of the AIR, weights of the constraints, point, weights of the quotients,
/// two factors, positions.
fn challenges(inputs: &Inputs) -> Vec<String> {
    let [fixed, main, interaction, composition] = inputs.roots;
    let mixes = Mixes::words(inputs.words.clone());
    let (round, drawn) = Committed::begin(&inputs.options, &mixes, fixed, main).draw(None, 2);
    let rounds = round.commit(Some((&inputs.sums, interaction))).unwrap();
    let (out_of_domain, alpha) = rounds.weight();
    let (sampled, point) = out_of_domain.point(composition);
    let (mut folding, beta) = sampled.quotients(&inputs.sampled);
    let factors = inputs.layers.map(|root| folding.layer(root));
    let positions = folding.last(&inputs.last).queries(inputs.nonce, 20, 10);
    let all: [&dyn std::fmt::Debug; 7] = [&drawn, &alpha, &point, &beta, &factors[0], &factors[1], &positions];
    all.iter().map(|challenge| format!("{challenge:?}")).collect()
}

#[test]
fn every_input_is_mixed_before_what_must_not_depend_on_it() {
    let changes: [Change; 27] = [
        (0, |i| i.options.pow_bits += 1),
        (0, |i| i.options.log_blowup += 1),
        (0, |i| i.options.queries += 1),
        (0, |i| i.options.fold_step += 1),
        (0, |i| i.options.log_last += 1),
        (0, |i| i.options.lifting = Some(21)),
        (0, |i| i.options.lifting = None),
        (0, |i| i.words[0] += 1),
        (0, |i| i.words[1] += 1),
        (0, |i| i.words[2] ^= 1 << 31),
        (0, |i| i.words.push(0)),
        (0, |i| i.words.truncate(2)),
        (0, |i| i.roots[0][31] ^= 1),
        (0, |i| i.roots[1][31] ^= 1),
        (0, |i| i.roots.swap(0, 1)),
        (1, |i| i.sums[0] += element(1)),
        (1, |i| i.sums.swap(0, 1)),
        (1, |i| i.roots[2][31] ^= 1),
        (2, |i| i.roots[3][31] ^= 1),
        (3, |i| i.sampled[1] += element(1)),
        (3, |i| i.sampled.swap(0, 1)),
        (4, |i| i.layers[0][31] ^= 1),
        (5, |i| i.layers[1][31] ^= 1),
        (6, |i| i.last[1] += element(1)),
        (6, |i| i.last.swap(0, 1)),
        (6, |i| i.nonce += 1),
        (6, |i| i.nonce |= 1 << 63),
    ];
    let honest = challenges(&inputs());
    for (index, (first, change)) in changes.into_iter().enumerate() {
        let mut changed = inputs();
        change(&mut changed);
        for (number, (one, other)) in honest.iter().zip(challenges(&changed)).enumerate() {
            assert_eq!(*one != other, number >= first, "change {index}, challenge {number}");
        }
    }
}
