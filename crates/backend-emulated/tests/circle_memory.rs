//! What proofs of the Circle protocol take of a device's memory: what the plan says.

use backend_emulated::{Emulated, NAME, device};
use golden::circle::{CircleOptions, air, planned_is_measured};
use gpu_hal::CircleStark;

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
