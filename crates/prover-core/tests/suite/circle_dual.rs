//! Whole Circle proofs of random statements on two backends at once, operation by operation, and accepted by the
//! verifier.

use std::sync::Arc;

use circle_proof::{CircleOptions, Policy, encode, verify};
use golden::backends::{cpu_of, reference};
use golden::circle::air;
use gpu_hal::CircleStark;
use gpu_hal::decorate::Dual;
use proptest::prelude::*;
use prover_core::Silent;
use prover_core::circle::{ProveError, Prover};

#[derive(Clone, Debug)]
struct Case {
    air: &'static str,
    log_rows: u32,
    /// Numbers for the AIR's parameters.
    numbers: [u32; 2],
    options: CircleOptions,
    /// How much more than natural the common domain is.
    lifting: Option<u32>,
    is_generated: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    let names = vec!["fibonacci", "wide-fibonacci", "plonk", "range-squares", "poseidon2", "rpo-m31"];
    let options = (0u32..6, 1u32..4, 1u32..12, 1u32..4, 0u32..3);
    let lifting = prop_oneof![3 => Just(None), 1 => (0u32..3).prop_map(Some)];
    let numbers = [0u32..0x7fff_ffff, 0u32..0x7fff_ffff];
    (proptest::sample::select(names), 2u32..9, numbers, options, lifting, any::<bool>()).prop_map(
        |(air, log_rows, numbers, (pow_bits, log_blowup, queries, fold_step, log_last), lifting, is_generated)| {
            let options =
                CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, ..CircleOptions::default() };
            Case { air, log_rows, numbers, options, lifting, is_generated }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn both_backends_agree_and_the_verifier_accepts(case in cases()) {
        let [a, b] = case.numbers;
        let table = 1 + a % 9;
        let params = match case.air {
            "fibonacci" => format!("a={a};b={b}"),
            "wide-fibonacci" => format!("w={};s={b}", 3 + a % 20),
            "plonk" => format!("v0={a};v1={b}"),
            "range-squares" => format!("table={table};s={b}"),
            _ => format!("s={a}"),
        };
        let air = air(case.air, case.log_rows, &params);
        let highest = if case.air == "range-squares" { table.max(case.log_rows) } else { case.log_rows };
        let lifting = case.lifting.map(|more| highest + case.options.log_blowup + more);
        let options = CircleOptions { lifting, ..case.options };
        let backend = Arc::new(Dual::new(
            reference::<CircleStark>(),
            cpu_of::<CircleStark>(2),
        ));
        // Folds beyond the last layer, and statements that cannot be lifted: refused with an error, which is tested
        // elsewhere.
        let prover = match Prover::new(backend.clone(), air.clone(), &options) {
            Err(ProveError::Options(_) | ProveError::Config(_)) => return Ok(()),
            other => other.unwrap_or_else(|error| panic!("{case:?}: {error}")),
        };
        let made = match case.is_generated && prover.generates() {
            true => prover.prove_generated(&Silent),
            false => prover.prove(&air.trace(), &Silent),
        };
        let made = match made {
            Err(ProveError::Unsorted(_)) => return Ok(()),
            other => other.unwrap_or_else(|error| panic!("{case:?}: {error}")),
        };
        verify(&*air, &made.claimed_sums, &encode(&made.proof), &Policy::ANY)
            .unwrap_or_else(|error| panic!("{case:?}: {error}"));
    }
}
