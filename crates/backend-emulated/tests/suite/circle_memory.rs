//! What proofs of the Circle protocol take of a device's memory: what the plan says.

use std::sync::Arc;

use backend_emulated::{Emulated, NAME, device};
use golden::circle::{CircleOptions, air, planned_is_measured};
use gpu_hal::{Basis, CircleDomain, CircleStark, Columns, EvalOrder, Rehearsed, StarkBackend};
use hal_conformance::{Random, random_rows};

fn emulated() -> Emulated<CircleStark> {
    Emulated::<CircleStark>::new(NAME, device().expect("a C++ compiler")).expect("a backend")
}

#[test]
fn the_plan_is_what_a_proof_takes() {
    let base = CircleOptions { pow_bits: 3, log_blowup: 1, queries: 4, fold_step: 1, log_last: 0, lifting: None };
    let more = CircleOptions { log_blowup: 2, fold_step: 2, log_last: 1, ..base };
    for options in [base, more] {
        for (name, log_rows, params) in [
            ("fibonacci", 10, "a=1;b=1"),
            ("wide-fibonacci", 9, "w=40;s=3"),
            ("plonk", 9, "v0=1;v1=2"),
            ("range-squares", 10, "table=6;s=2"),
            ("poseidon2", 6, "s=1"),
            ("rpo-m31", 7, "s=1"),
        ] {
            // A column that is read at three row offsets must not be lifted.
            let lifting = (name == "plonk" && options != base).then_some(13);
            planned_is_measured(emulated, &air(name, log_rows, params), &CircleOptions { lifting, ..options });
        }
    }
}

/// What is extended may be values on a part of a larger domain, whose tables count.
#[test]
fn an_extension_takes_the_tables_of_both_its_domains() {
    let (shape, to) = (Columns::new((), 1, 4), CircleDomain::canonic(5));
    let from = Basis::Evaluations { domain: CircleDomain::prefix_of(12, 4), order: EvalOrder::Storage };
    let rehearsed = Rehearsed::new(Arc::new(emulated()));
    let table = rehearsed.upload_shape(shape);
    drop(rehearsed.lde(table.as_ref(), from, to).expect("shapes"));
    let planned = rehearsed.finish().peak_bytes;
    let uploaded = Rehearsed::new(Arc::new(emulated()));
    drop(uploaded.upload_lde_shape(shape, from, to, true));
    assert!(uploaded.finish().peak_bytes >= planned, "the same tables in one operation");

    let backend = emulated();
    let table = backend.upload(&[field::M31::new(1); 16], 1, 4).expect("a table");
    drop(backend.lde(table.as_ref(), from, to).expect("an extension"));
    let peak = backend.memory().expect("counted").peak;
    assert!(peak <= planned, "{peak} bytes taken, {planned} planned");
}

/// Scratch memory, tallies of counters, tables and lists that share a buffer.
#[test]
fn row_programs_take_what_is_planned() {
    for (seed, log_height) in (1..=12).flat_map(|seed| [0, 6, 11].map(|log| (seed, log))) {
        let case = random_rows::<field::M31>(&mut Random::new(seed), log_height, 30);
        let rehearsed = Rehearsed::new(Arc::new(emulated()));
        drop(case.run(&rehearsed).expect("shapes"));
        let backend = emulated();
        drop(case.run(&backend).expect("a program without faults"));
        let (peak, planned) = (backend.memory().expect("counted").peak, rehearsed.finish().peak_bytes);
        let at = format!("seed {seed}, 2^{log_height} rows: {peak} bytes taken, {planned} planned");
        assert!(peak <= planned && planned - peak <= planned / 50, "{at}");
    }
}
