//! The transcript against every intermediate of the vectors.

use circle_air::Mixes;
use circle_proof::codec::decode;
use circle_proof::{CircleOptions, Committed, Suite};
use golden::circle::{element, elements, vector, vectors};
use golden::{list, number};

#[test]
fn every_draw_is_that_of_the_reference() {
    for vector in vectors() {
        let (name, json) = (&vector.name, &vector.json);
        let proof = decode(&vector.proof, Suite::default()).unwrap();
        let options = proof.config;
        let sums = vector.claimed_sums();
        let draws = if sums.is_empty() { 0 } else { 2 };
        let roots = &proof.commitments;

        let mixes = Mixes::words(vector.words());
        let (round, drawn) = Committed::begin(&options, &mixes, roots[0], roots[1]).draw(None, draws);
        if draws > 0 {
            assert_eq!(drawn, vector.drawn(), "{name}");
            assert!(round.clone().commit(None).is_err(), "{name}");
        } else {
            assert!(round.clone().commit(Some((&[], roots[1]))).is_err(), "{name}");
        }
        let rounds = round.commit((draws > 0).then(|| (&sums[..], roots[2]))).unwrap();
        let (out_of_domain, alpha) = rounds.weight();
        assert_eq!(alpha, element(&json["composition_alpha"]), "{name}");
        let (sampled, point) = out_of_domain.point(*roots.last().unwrap());
        let point = point.unwrap();
        assert_eq!([point.x, point.y][..], elements(&json["oods_point"])[..], "{name}");
        let (mut folding, beta) = sampled.quotients(&proof.sampled_values.concat().concat());
        assert_eq!(beta, element(&json["quotient_beta"]), "{name}");
        let fri = &proof.fri_proof;
        let factors: Vec<_> = fri.layers().map(|layer| folding.layer(layer.commitment)).collect();
        assert_eq!(factors, elements(&json["fri_alphas"]), "{name}");
        let work = folding.last(&fri.last_layer);
        assert!(work.is_valid_nonce(options.pow_bits, proof.proof_of_work), "{name}");
        let log_domain = number(&json["log_sizes"]["common_domain_L"]) as u32;
        assert_eq!(options.fold_steps(log_domain).len(), factors.len(), "{name}");
        let positions = work.queries(proof.proof_of_work, log_domain, options.queries);
        assert_eq!(positions, list(&json["query_positions"], |value| number(value) as usize), "{name}");
    }
}

/// One nonce of eight does three bits of it, and others do where another trace was committed.
#[test]
fn work_before_the_elements_depends_on_the_main_root() {
    let vector = vector("plonk_n5_b1_q3_f1_l0_p5");
    let roots = decode(&vector.proof, Suite::default()).unwrap().commitments.clone();
    let done = |main| {
        let committed =
            Committed::begin(&CircleOptions::default(), &Mixes::words(vector.words()), roots[0], roots[main]);
        assert!((0..256).all(|nonce| committed.is_valid_nonce(0, nonce)));
        (0..256).filter(|nonce| committed.is_valid_nonce(3, *nonce)).collect::<Vec<_>>()
    };
    let (one, other) = (done(1), done(2));
    assert!((16..64).contains(&one.len()), "{one:?}");
    assert_ne!(one, other);
}
