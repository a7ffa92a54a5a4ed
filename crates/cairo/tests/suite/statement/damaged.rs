//! Runs that no proof can be about: refused with an error, whatever is wrong with them.

use cairo::air_1_3::Air13;
use cairo::preprocessed::Variant;
use cairo::prove::Error;
use cairo::statement::{CairoStatement, RunError};
use cairo::witness::Sizes;
use cairo_run::{Place, Reason, Run};
use serde_json::{Value, json};

use super::vectors::Vector;

fn statement(input: &Run, salt: u32) -> Result<CairoStatement<Air13>, Error> {
    let sizes = Sizes::new::<Air13>(input, Variant::CanonicalSmall)?;
    Ok(CairoStatement::new(input, &sizes, salt)?)
}

/// The refusal of the run of `fib_10` with something changed.
fn refused(change: impl FnOnce(&mut Value)) -> (Reason, Place) {
    let mut json = serde_json::to_value(Vector::read("fib_10.small").input()).unwrap();
    change(&mut json);
    match statement(&serde_json::from_value(json).unwrap(), 0) {
        Err(Error::Run(RunError::Public(refusal))) => (refusal.reason, refusal.place),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn what_is_missing_is_named() {
    // Another number of builtins than the program's.
    let without_output = refused(|run| run["public_segment_context"]["present"][0] = json!(false));
    assert_eq!(without_output, (Reason::ProgramStart, Place::Pc(2)));
    let early = refused(|run| run["state_transitions"]["initial_state"]["ap"] = json!(2));
    assert_eq!(early, (Reason::ProgramStart, Place::Whole));
    let late = refused(|run| run["state_transitions"]["final_state"]["ap"] = json!(1_000_000));
    assert_eq!(late, (Reason::Address, Place::Whole));
    // The first pointer of output, at the first ap.
    let no_pointer = refused(|run| run["memory"]["address_to_id"][36] = json!(1_u32 << 30));
    assert_eq!(no_pointer, (Reason::PublicSegments, Place::Address(36)));
    let no_word = refused(|run| run["memory"]["address_to_id"][1] = json!((1 << 30) - 2));
    assert_eq!(no_word, (Reason::Memory, Place::Address(1)));
    // Another program than one in proof mode.
    let other = refused(|run| run["memory"]["address_to_id"][2] = run["memory"]["address_to_id"][1].clone());
    assert_eq!(other, (Reason::ProgramStart, Place::Pc(2)));
    // An output that does not follow the execution: its first pointer, 94, becomes 93.
    let elsewhere = refused(|run| {
        let id = run["memory"]["address_to_id"][36].as_u64().unwrap() as usize;
        run["memory"]["small_values"][id] = json!(93);
    });
    assert_eq!(elsewhere, (Reason::OutputPosition, Place::Address(93)));
}

#[test]
fn a_salt_is_a_number_of_the_field() {
    let run = Vector::read("fib_10.small").input();
    assert!(matches!(statement(&run, u32::MAX >> 1), Err(Error::Run(RunError::Salt(_)))));
    assert!(statement(&run, (u32::MAX >> 1) - 1).is_ok());
}

#[test]
fn nothing_panics() {
    let honest = Vector::read("fib_10.small").input();
    let mut state = 1_u64;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let extremes = [0, 1, 2, (1 << 30) - 2, (1 << 30) - 1, 1 << 30, (1 << 31) - 1, 1 << 31, u32::MAX];
    for _ in 0..500 {
        let mut run = honest.clone();
        for _ in 0..=next(3) {
            let value = if next(2) == 0 { extremes[next(extremes.len())] } else { next(200) as u32 };
            match next(5) {
                0 => {
                    let at = next(run.memory.address_to_id.len().max(1));
                    if let Some(id) = run.memory.address_to_id.get_mut(at) {
                        *id = value;
                    }
                }
                1 => {
                    let at = next(run.memory.small_values.len().max(1));
                    if let Some(small) = run.memory.small_values.get_mut(at) {
                        *small = u128::from(value) << next(90);
                    }
                }
                2 => run.memory.address_to_id.truncate(value as usize),
                3 => run.state_transitions.final_state.ap = value,
                _ => run.state_transitions.initial_state.ap = value,
            }
        }
        // An error, or a statement.
        drop(statement(&run, 0));
    }
}
