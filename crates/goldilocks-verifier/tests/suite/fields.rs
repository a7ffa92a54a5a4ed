//! Every field of a proof changed, dropped, duplicated, reordered, extended: refused, by the check that is there for
//! it.

mod lists;

use field::{ExtensionField, Field, Fp3, Goldilocks, PrimeField};
use goldilocks_proof::merkle::PathError;
use goldilocks_proof::{Opening, Proof};
use goldilocks_verifier::{Part, VerifyError};

use crate::common::{CUBIC, Cubic, case, cubic};

/// The error that a changed proof of the first vector is refused with.
fn error(change: impl FnOnce(&mut Proof<Cubic>)) -> VerifyError {
    let case = case::<Cubic>(CUBIC[0]);
    let mut proof = case.proof.clone();
    change(&mut proof);
    case.verify(&proof).expect_err("refused")
}

/// The same for a vector without auxiliary columns.
fn error_without_aux(change: impl FnOnce(&mut Proof<Cubic>)) -> VerifyError {
    let case = case::<Cubic>("quadratic_n16_b4_q3_c3_g1");
    let mut proof = case.proof.clone();
    change(&mut proof);
    case.verify(&proof).expect_err("refused")
}

#[test]
fn trace_length() {
    for found in [0, 1, 16, 33, 64, u64::MAX] {
        assert_eq!(error(|p| p.trace_length = found), VerifyError::TraceLength { expected: 32, found });
    }
}

#[test]
fn auxiliary_root_and_openings() {
    assert_eq!(error(|p| p.aux_root = None), VerifyError::AuxRoot { expected: true });
    assert_eq!(error_without_aux(|p| p.aux_root = Some([0; 32])), VerifyError::AuxRoot { expected: false });
    for query in 0..3 {
        assert_eq!(error(|p| p.deep_openings[query].aux = None), VerifyError::AuxOpening { query, expected: true });
        let with = |p: &mut Proof<Cubic>| p.deep_openings[query].aux = Some(p.deep_openings[query].composition.clone());
        assert_eq!(error_without_aux(with), VerifyError::AuxOpening { query, expected: false });
    }
}

#[test]
fn out_of_domain_tables() {
    let (expected, found) = (3, 9);
    assert_eq!(error(|p| p.trace_ood.width = 9), VerifyError::OodWidth { expected, found });
    assert_eq!(error(|p| p.trace_ood.height = 9), VerifyError::OodHeight { expected, found });
    // The same nine values as another shape.
    let reshaped = error(|p| (p.trace_ood.width, p.trace_ood.height) = (9, 1));
    assert_eq!(reshaped, VerifyError::OodWidth { expected, found });
    let values = |found| VerifyError::OodValues { expected: 9, found };
    assert_eq!(error(|p| p.trace_ood.data.truncate(8)), values(8));
    assert_eq!(error(|p| p.trace_ood.data.push(Fp3::ONE)), values(10));
    let parts = |found| VerifyError::CompositionOod { expected: 1, found };
    assert_eq!(error(|p| p.composition_ood.clear()), parts(0));
    assert_eq!(error(|p| p.composition_ood.push(Fp3::ZERO)), parts(2));
    // A zero part more would change no sum.
    let parts = VerifyError::CompositionOod { expected: 2, found: 3 };
    assert_eq!(error_without_aux(|p| p.composition_ood.push(Fp3::ZERO)), parts);
}

#[test]
fn out_of_domain_values_are_tied_to_the_constraints() {
    // Without grinding, so that nothing else stops the changed transcript.
    let case = case::<Cubic>("fibrap_fp3_n16_s15_b2_q5_c7_g0");
    let error = |change: &dyn Fn(&mut Proof<Cubic>)| {
        let mut proof = case.proof.clone();
        change(&mut proof);
        case.verify(&proof)
    };
    for index in 0..9 {
        let refused = error(&|p| p.trace_ood.data[index] += Fp3::ONE);
        if index == 2 + 6 || index == 1 + 3 || index == 1 + 6 {
            // B(1), B(2) and Z(2) are in no constraint: the DEEP quotient ties them.
            assert!(matches!(refused, Err(VerifyError::LastValue { .. })), "value {index}: {refused:?}");
        } else {
            assert_eq!(refused, Err(VerifyError::Composition), "value {index}");
        }
    }
    assert_eq!(error(&|p| p.composition_ood[0] += Fp3::ONE), Err(VerifyError::Composition));
    // Columns that no constraint reads are tied by the DEEP quotient: column d of bit-flags.
    let case = self::case::<Cubic>("bit-flags_n32_b4_q3_c3_g1");
    for row in 0..16 {
        let mut proof = case.proof.clone();
        proof.trace_ood.data[2 * row + 1] += Fp3::ONE;
        let refused = case.verify(&proof);
        let expected = |e: &VerifyError| matches!(e, VerifyError::ProofOfWork { .. } | VerifyError::LastValue { .. });
        assert!(refused.as_ref().is_err_and(expected), "row {row}: {refused:?}");
    }
}

#[test]
fn fri_shape() {
    let roots = |found| VerifyError::FriRoots { expected: 4, found };
    assert_eq!(error(|p| p.fri_roots.truncate(3)), roots(3));
    assert_eq!(error(|p| p.fri_roots.push([0; 32])), roots(5));
    let decommitments = |found| VerifyError::FriDecommitments { expected: 3, found };
    assert_eq!(error(|p| p.fri_decommitments.truncate(2)), decommitments(2));
    assert_eq!(error(|p| p.fri_decommitments.push(p.fri_decommitments[0].clone())), decommitments(4));
    let openings = |found| VerifyError::DeepOpenings { expected: 3, found };
    assert_eq!(error(|p| p.deep_openings.truncate(2)), openings(2));
    assert_eq!(error(|p| p.deep_openings.push(p.deep_openings[0].clone())), openings(4));
    for query in 0..3 {
        let paths = |found| VerifyError::FriPaths { query, expected: 4, found };
        let values = |found| VerifyError::FriValues { query, expected: 4, found };
        assert_eq!(error(|p| p.fri_decommitments[query].paths.truncate(3)), paths(3));
        assert_eq!(error(|p| p.fri_decommitments[query].paths.push(vec![])), paths(5));
        assert_eq!(error(|p| p.fri_decommitments[query].values.truncate(3)), values(3));
        assert_eq!(error(|p| p.fri_decommitments[query].values.push(Fp3::ZERO)), values(5));
    }
}

#[test]
fn emptied_fri_decommitments() {
    for case in cubic() {
        // A proof that the reference's verifier accepts.
        let mut proof = case.proof.clone();
        for decommitment in &mut proof.fri_decommitments {
            decommitment.paths.clear();
            decommitment.values.clear();
        }
        assert!(matches!(case.verify(&proof), Err(VerifyError::FriPaths { query: 0, .. })), "{}", case.name);
        proof.fri_roots.clear();
        assert!(matches!(case.verify(&proof), Err(VerifyError::FriRoots { .. })));
        proof.fri_decommitments.clear();
        assert!(case.verify(&proof).is_err());
        proof.deep_openings.clear();
        assert!(case.verify(&proof).is_err());
    }
}

#[test]
fn opened_values() {
    for query in 0..3 {
        let wrong =
            |part, symmetric, expected, found| VerifyError::Evaluations { query, part, symmetric, expected, found };
        let composition = |change: fn(&mut Opening<Fp3>)| error(|p| change(&mut p.deep_openings[query].composition));
        assert_eq!(composition(|o| o.evaluations.clear()), wrong(Part::Composition, false, 1, 0));
        assert_eq!(composition(|o| o.evaluations_sym.clear()), wrong(Part::Composition, true, 1, 0));
        // Both values of the leaf on one side: the leaf's bytes would be the same.
        let moved = composition(|o| o.evaluations.extend(std::mem::take(&mut o.evaluations_sym)));
        assert_eq!(moved, wrong(Part::Composition, false, 1, 2));
        let main = |change: fn(&mut Opening<Goldilocks>)| error(|p| change(&mut p.deep_openings[query].main));
        assert_eq!(main(|o| o.evaluations.truncate(1)), wrong(Part::Main, false, 2, 1));
        assert_eq!(main(|o| o.evaluations_sym.push(Goldilocks::ZERO)), wrong(Part::Main, true, 2, 3));
        let aux = |change: fn(&mut Opening<Fp3>)| {
            error(|p| change(p.deep_openings[query].aux.as_mut().expect("auxiliary columns")))
        };
        assert_eq!(aux(|o| o.evaluations.clear()), wrong(Part::Aux, false, 1, 0));
        assert_eq!(aux(|o| o.evaluations_sym.push(Fp3::ZERO)), wrong(Part::Aux, true, 1, 2));

        // A changed value no longer folds to the last one.
        let last = VerifyError::LastValue { query };
        assert_eq!(composition(|o| o.evaluations[0] += Fp3::ONE), last);
        assert_eq!(composition(|o| o.evaluations_sym[0] += Fp3::ONE), last);
        assert_eq!(main(|o| o.evaluations[1] += Goldilocks::ONE), last);
        assert_eq!(main(|o| o.evaluations_sym[0] += Goldilocks::ONE), last);
        assert_eq!(aux(|o| o.evaluations[0] += Fp3::ONE), last);
        assert_eq!(aux(|o| o.evaluations_sym[0] += Fp3::ONE), last);
        for layer in 0..4 {
            assert_eq!(error(|p| p.fri_decommitments[query].values[layer] += Fp3::ONE), last);
        }
    }
    assert_ne!(error(|p| p.fri_last_value += Fp3::ONE), VerifyError::Composition);
}

#[test]
fn paths() {
    for query in 0..3 {
        let wrong = |part, error| VerifyError::Path { query, part, error };
        let length = |expected, found| PathError::Length { expected, found };
        for layer in 0..4 {
            let part = Part::Fri(layer + 1);
            let depth = 5 - layer;
            let path = |change: fn(&mut goldilocks_proof::Path)| {
                error(|p| change(&mut p.fri_decommitments[query].paths[layer]))
            };
            assert_eq!(path(|p| p.truncate(p.len() - 1)), wrong(part, length(depth as u32, depth - 1)));
            assert_eq!(path(|p| p.push([0; 32])), wrong(part, length(depth as u32, depth + 1)));
            for level in 0..depth {
                let flipped = error(|p| p.fri_decommitments[query].paths[layer][level][31] ^= 1);
                assert!(
                    matches!(flipped, VerifyError::Path { part: found, error: PathError::Root, .. } if found == part)
                );
            }
        }
        for symmetric in [false, true] {
            for level in 0..7 {
                let flipped = error(|p| {
                    let main = &mut p.deep_openings[query].main;
                    let path = if symmetric { &mut main.path_sym } else { &mut main.path };
                    path[level][0] ^= 0x80;
                });
                assert!(matches!(flipped, VerifyError::Path { part: Part::Main, error: PathError::Root, .. }));
                let flipped = error(|p| {
                    let aux = p.deep_openings[query].aux.as_mut().expect("auxiliary columns");
                    let path = if symmetric { &mut aux.path_sym } else { &mut aux.path };
                    path[level][0] ^= 0x80;
                });
                assert!(matches!(flipped, VerifyError::Path { part: Part::Aux, error: PathError::Root, .. }));
            }
        }
        assert_eq!(error(|p| p.deep_openings[query].main.path_sym.truncate(6)), wrong(Part::Main, length(7, 6)));
        let swapped = error(|p| {
            let main = &mut p.deep_openings[query].main;
            std::mem::swap(&mut main.path, &mut main.path_sym);
        });
        assert!(matches!(swapped, VerifyError::Path { part: Part::Main, error: PathError::Root, .. }));
        // The composition's second path, which the reference never reads.
        let differ = VerifyError::CompositionPaths { query };
        assert_eq!(error(|p| p.deep_openings[query].composition.path_sym.clear()), differ);
        assert_eq!(error(|p| p.deep_openings[query].composition.path_sym[3][7] ^= 1), differ);
        assert_eq!(error(|p| p.deep_openings[query].composition.path[3][7] ^= 1), differ);
        let both = |change: fn(&mut goldilocks_proof::Path)| {
            error(|p| {
                let composition = &mut p.deep_openings[query].composition;
                change(&mut composition.path);
                change(&mut composition.path_sym);
            })
        };
        assert_eq!(both(|p| p.truncate(5)), wrong(Part::Composition, length(6, 5)));
        assert_eq!(both(|p| p.push([0; 32])), wrong(Part::Composition, length(6, 7)));
        let flipped = both(|p| p[5][0] ^= 1);
        assert!(matches!(flipped, VerifyError::Path { part: Part::Composition, error: PathError::Root, .. }));
    }
}

#[test]
fn roots() {
    // A root enters the transcript, so that everything after it changes.
    for case in cubic() {
        let changed = |change: &dyn Fn(&mut Proof<Cubic>)| {
            let mut proof = case.proof.clone();
            change(&mut proof);
            assert!(case.verify(&proof).is_err(), "{}", case.name);
        };
        changed(&|p| p.main_root[0] ^= 1);
        changed(&|p| p.composition_root[31] ^= 1);
        changed(&|p| std::mem::swap(&mut p.main_root, &mut p.composition_root));
        if case.proof.aux_root.is_some() {
            changed(&|p| p.aux_root.as_mut().expect("one")[16] ^= 4);
        }
        for layer in 0..case.proof.fri_roots.len() {
            changed(&|p| p.fri_roots[layer][9] ^= 1);
        }
    }
}

#[test]
fn nonces() {
    assert_eq!(error(|p| p.nonce = None), VerifyError::Nonce { expected: true });
    let case = case::<Cubic>("fibrap_fp3_n16_s15_b2_q5_c7_g0");
    for nonce in [0, 1, u64::MAX] {
        let mut proof = case.proof.clone();
        proof.nonce = Some(nonce);
        assert_eq!(case.verify(&proof), Err(VerifyError::Nonce { expected: false }));
    }
}

#[test]
fn elements_that_are_not_reduced() {
    // Decoding has its own check; a proof made in memory can hold anything.
    let order: Goldilocks = bytemuck::cast(Goldilocks::ORDER);
    let zero = Fp3::new(Goldilocks::ZERO, order, Goldilocks::ZERO);
    assert!(zero.coordinates().contains(&order));
    let changes: [fn(&mut Proof<Cubic>, Fp3); 8] = [
        |p, e| p.trace_ood.data[8] = e,
        |p, e| p.composition_ood[0] = e,
        |p, e| p.fri_last_value = e,
        |p, e| p.fri_decommitments[2].values[3] = e,
        |p, e| p.deep_openings[2].composition.evaluations[0] = e,
        |p, e| p.deep_openings[1].composition.evaluations_sym[0] = e,
        |p, e| p.deep_openings[0].aux.as_mut().expect("one").evaluations[0] = e,
        |p, e| p.deep_openings[2].aux.as_mut().expect("one").evaluations_sym[0] = e,
    ];
    for change in changes {
        assert_eq!(error(|p| change(p, zero)), VerifyError::NotCanonical);
    }
    assert_eq!(error(|p| p.deep_openings[0].main.evaluations[1] = order), VerifyError::NotCanonical);
    assert_eq!(error(|p| p.deep_openings[2].main.evaluations_sym[0] = order), VerifyError::NotCanonical);
}

#[test]
fn queries_in_another_order() {
    for case in cubic() {
        let count = case.proof.deep_openings.len();
        for (a, b) in (0..count).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let mut proof = case.proof.clone();
            proof.deep_openings.swap(a, b);
            proof.fri_decommitments.swap(a, b);
            if proof != case.proof {
                assert!(case.verify(&proof).is_err(), "{}: queries {a} and {b}", case.name);
            }
        }
    }
}
