//! Accepted and refused proofs.

use circle_air::{ClaimedSumError, ConfigError, Statement};
use circle_proof::{
    Allowed, CircleOptions, OptionsError, Policy, PolicyError, SecurityKind, Suite, VerifyError, decode, encode,
    security, verify,
};
use field::{Field, M31, QM31};
use golden::circle::{Vector, element, vector, vectors};
use golden::statements::Changed;

/// The prime of the base field.
const P: u32 = (1 << 31) - 1;

fn result(vector: &Vector, statement: &dyn Statement, policy: &Policy) -> Result<(), VerifyError> {
    verify(statement, &vector.claimed_sums(), &vector.proof, policy).map(drop)
}

#[test]
fn every_vector_is_accepted() {
    for vector in vectors() {
        let statement = vector.statement();
        assert_eq!(statement.words(), vector.words(), "{}", vector.name);
        let verified = verify(&*statement, &vector.claimed_sums(), &vector.proof, &Policy::ANY)
            .unwrap_or_else(|error| panic!("{}: {error}", vector.name));
        assert_eq!(verified.security, security(&*statement, &verified.options).unwrap());
        assert_eq!(u64::from(verified.log_domain), vector.json["log_sizes"]["common_domain_L"].as_u64().unwrap());
    }
}

#[test]
fn what_is_too_long_for_the_policy_is_not_looked_at() {
    let vector = vector("fibonacci_n4_b1_q3_f1_l0_p5");
    let statement = vector.statement();
    let at_most = |max_bytes: usize| Policy { max_bytes: max_bytes as u64, ..Policy::ANY };
    assert!(result(&vector, &*statement, &at_most(vector.proof.len())).is_ok());
    let most = vector.proof.len() - 1;
    let is_length =
        |error, most| matches!(error, VerifyError::Policy(PolicyError::Bytes { most: found }) if found == most);
    let refused = result(&vector, &*statement, &at_most(most)).unwrap_err();
    assert!(is_length(refused, most as u64));
    let shorter = verify(&*statement, &vector.claimed_sums(), b"no proof", &at_most(7)).unwrap_err();
    assert!(is_length(shorter, 7));
}

#[test]
fn a_claimed_sum_is_below_the_prime() {
    let vector = vector("plonk_n5_b1_q9_f2_l2_p6_L8");
    let statement = vector.statement();
    for coordinate in 0..4 {
        let mut sums = vector.claimed_sums();
        sums[0].0[coordinate] = bytemuck::cast(P);
        let refused = verify(&*statement, &sums, &vector.proof, &Policy::ANY).unwrap_err();
        assert!(matches!(refused, VerifyError::ClaimedSumNotCanonical { index: 0 }), "{refused}");
    }
}

#[test]
fn the_policy_comes_first() {
    for vector in vectors() {
        let statement = vector.statement();
        let options = decode(&vector.proof, Suite::default()).unwrap().config;
        let claimed = options.claimed_bits();
        assert_eq!(security(&*statement, &options).unwrap().claimed.bits, claimed, "{}", vector.name);
        let policy = |min_security_bits| Policy { min_security_bits, ..Policy::ANY };
        assert!(result(&vector, &*statement, &policy(claimed)).is_ok(), "{}", vector.name);
        let error = result(&vector, &*statement, &policy(claimed + 1)).unwrap_err();
        assert!(
            matches!(error, VerifyError::Policy(PolicyError::Security { required, .. }) if required == claimed + 1)
        );
        let error = result(&vector, &*statement, &Policy::default()).unwrap_err();
        assert!(matches!(error, VerifyError::Policy(PolicyError::Security { required: 100, .. })), "{error}");
        let queries = |min_query_bits| Policy { min_query_bits, ..Policy::ANY };
        assert!(result(&vector, &*statement, &queries(claimed)).is_ok(), "{}", vector.name);
        assert!(result(&vector, &*statement, &queries(claimed + 1)).is_err(), "{}", vector.name);
        let provable = Policy { kind: SecurityKind::Provable, ..policy(claimed) };
        assert!(matches!(result(&vector, &*statement, &provable), Err(VerifyError::Policy(_))));
        let exactly = |options| Policy { allowed: Allowed::Exactly(options), ..Policy::ANY };
        assert!(result(&vector, &*statement, &exactly(options)).is_ok(), "{}", vector.name);
        let stronger = CircleOptions { queries: options.queries + 1, ..options };
        assert!(matches!(result(&vector, &*statement, &exactly(stronger)), Err(VerifyError::Policy(_))));
        let cells = Policy { max_preprocessed_cells: 0, ..Policy::ANY };
        // Counters have no closed form.
        let has_cells = ["plonk", "range-squares"].contains(&statement.name());
        let error = result(&vector, &*statement, &cells);
        assert_eq!(matches!(error, Err(VerifyError::Policy(PolicyError::Preprocessed { .. }))), has_cells);
    }
}

#[test]
fn a_root_that_the_caller_vouches_for_is_not_evaluated() {
    for vector in vectors() {
        let statement = vector.statement();
        let root = decode(&vector.proof, Suite::default()).unwrap().commitments[0];
        let trusted = |root| Policy { preprocessed_root: Some(root), max_preprocessed_cells: 0, ..Policy::ANY };
        assert!(result(&vector, &*statement, &trusted(root)).is_ok(), "{}", vector.name);
        let mut other = root;
        other[31] ^= 1;
        let error = result(&vector, &*statement, &trusted(other));
        assert!(matches!(error, Err(VerifyError::PreprocessedRoot { .. })), "{}: {error:?}", vector.name);
    }
}

#[test]
fn a_weaker_configuration_is_another_transcript() {
    // The proof says that less was asked for. Under any policy, the queries are others.
    for vector in vectors() {
        let statement = vector.statement();
        let changes: [fn(&mut CircleOptions); 6] = [
            |c| c.pow_bits -= 1,
            |c| c.queries -= 1,
            |c| c.log_blowup += 1,
            |c| c.fold_step += 1,
            |c| c.log_last += 1,
            |c| c.lifting = c.lifting.map_or(Some(12), |_| None),
        ];
        for (index, change) in changes.iter().enumerate() {
            let mut proof = decode(&vector.proof, Suite::default()).unwrap();
            change(&mut proof.config);
            let result = verify(&*statement, &vector.claimed_sums(), &encode(&proof), &Policy::ANY);
            assert!(result.is_err(), "{}, change {index}", vector.name);
        }
    }
}

#[test]
fn configurations_out_of_range_are_refused_with_a_reason() {
    let vector = vector("plonk_n5_b1_q3_f1_l0_p5");
    let statement = vector.statement();
    let mut seen = 0;
    let changes: [fn(&mut CircleOptions); 8] = [
        |c| c.pow_bits = 33,
        |c| c.queries = 0,
        |c| c.log_blowup = 0,
        |c| c.log_blowup = u32::MAX,
        |c| c.fold_step = 0,
        |c| c.fold_step = 6,
        |c| c.log_last = 5,
        |c| c.lifting = Some(5),
    ];
    for change in changes {
        let mut proof = decode(&vector.proof, Suite::default()).unwrap();
        change(&mut proof.config);
        let error = verify(&*statement, &vector.claimed_sums(), &encode(&proof), &Policy::ANY).unwrap_err();
        seen += usize::from(matches!(error, VerifyError::Options(_)));
    }
    assert_eq!(seen, changes.len());
    // As many queries as a proof of stwo's can say.
    let mut bytes = vector.proof.clone();
    bytes[12..20].fill(0xFF);
    let error = verify(&*statement, &vector.claimed_sums(), &bytes, &Policy::ANY).unwrap_err();
    assert!(matches!(error, VerifyError::Options(OptionsError::Queries(u64::MAX))), "{error}");
}

#[test]
fn another_statement_is_not_proven() {
    for vector in vectors() {
        let name = &vector.name;
        let air = vector.json["air"].as_str().unwrap();
        // A public value, or a size.
        let param = match air {
            "fibonacci" => "a",
            "plonk" => "v0",
            "range-squares" => "table",
            _ => "w",
        };
        let other = vector.statement_with(|params| {
            let value = &mut params.iter_mut().find(|(name, _)| name == param).unwrap().1;
            *value = (value.parse::<u32>().unwrap() + 1).to_string();
        });
        assert!(result(&vector, &*other, &Policy::ANY).is_err(), "{name}: {param}");
        let words = vector.words();
        let longer = Changed::new(vector.statement()).with_words([&words[..], &[0]].concat());
        assert!(result(&vector, &longer, &Policy::ANY).is_err(), "{name}: words");
    }
}

#[test]
fn wrong_claimed_sums_are_refused() {
    let one = QM31::ONE;
    for vector in vectors().into_iter().filter(|vector| !vector.claimed_sums().is_empty()) {
        let (statement, sums) = (vector.statement(), vector.claimed_sums());
        let check = |sums: &[QM31]| verify(&*statement, sums, &vector.proof, &Policy::ANY).map(drop);
        let mut changed = sums.clone();
        changed[0] += one;
        assert!(matches!(check(&changed), Err(VerifyError::ClaimedSums(ClaimedSumError::Value { .. }))));
        assert!(matches!(check(&sums[1..]), Err(VerifyError::ClaimedSums(ClaimedSumError::Count { .. }))));
        assert!(check(&[&sums[..], &[one]].concat()).is_err());
        assert!(check(&[]).is_err());
        if sums.len() > 1 {
            // The total is right, each is wrong.
            changed[1] -= one;
            assert!(check(&changed).is_err());
        }
        let mut unreduced = sums.clone();
        unreduced[0].0[0] = bytemuck::cast(sums[0].0[0].value() + P);
        assert!(matches!(check(&unreduced), Err(VerifyError::ClaimedSumNotCanonical { index: 0 })));
    }
    // A statement without lookups takes none.
    let vector = vector("fibonacci_n4_b1_q3_f1_l0_p5");
    assert!(verify(&*vector.statement(), &[one], &vector.proof, &Policy::ANY).is_err());
}

#[test]
fn preprocessed_columns_are_the_statement_s() {
    for vector in vectors() {
        let statement = vector.statement();
        let lifting = decode(&vector.proof, Suite::default()).unwrap().config.lifting;
        let is_wide = vector.json["air"] == "wide-fibonacci";
        for (column, values) in statement.preprocessed_values(lifting).iter().enumerate() {
            for row in [0, values.len() / 2, values.len() - 1] {
                let change = move |values: &mut Vec<Vec<M31>>| values[column][row] += M31::ONE;
                let changed = Changed::new(vector.statement()).with_values(change);
                let result = result(&vector, &changed, &Policy::ANY);
                if is_wide {
                    // No component reads its column.
                    assert!(result.is_ok());
                } else {
                    assert!(matches!(result, Err(VerifyError::Preprocessed { column: c, .. }) if c == column));
                }
            }
        }
    }
}

#[test]
fn traps_are_refused_before_anything_is_decoded() {
    // Trap 9: three offsets in a column that is lifted.
    let fibonacci = vector("fibonacci_n4_b1_q3_f1_l0_p5");
    let error = |vector: &Vector, statement: &dyn Statement, lifting| {
        let mut proof = decode(&vector.proof, Suite::default()).unwrap();
        proof.config.lifting = lifting;
        verify(statement, &[], &encode(&proof), &Policy::ANY).unwrap_err()
    };
    assert!(matches!(
        error(&fibonacci, &*fibonacci.statement(), Some(7)),
        VerifyError::Config(ConfigError::Offsets { .. })
    ));
    // Trap 3: lifting with an empty preprocessed tree.
    let wide = vector("wide-fibonacci-w20_n4_b1_q3_f1_l0_p5");
    let bare = Changed::new(wide.statement()).without_columns();
    assert!(matches!(error(&wide, &bare, Some(7)), VerifyError::Config(ConfigError::EmptyPreprocessed)));
}

/// A statement may ask for work before its elements are drawn, of which a proof of this kind has no nonce.
#[test]
fn work_that_a_proof_does_not_have_is_not_passed_over() {
    let vector = vector("plonk_n5_b1_q3_f1_l0_p5");
    let refused = result(&vector, &Changed::new(vector.statement()).with_work(1), &Policy::ANY).unwrap_err();
    assert!(matches!(refused, VerifyError::InteractionWork { bits: 1 }), "{refused}");
}

#[test]
fn the_vectors_claimed_sums_are_read_right() {
    let vector = vector("plonk_n5_b1_q3_f1_l0_p5");
    assert_eq!(vector.claimed_sums(), [element(&vector.json["claimed_sums"][0])]);
}
