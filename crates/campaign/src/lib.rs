//! The functions of a campaign: from the bytes of a case to its outcome, each for one thing that bytes of others reach.
//!
//! | module | what is changed |
//! |---|---|
//! | [`goldilocks`], [`compact`], [`circle`] | proofs, and files that hold them; keys of statements |
//! | [`gkr`] | files of batches of GKR |
//! | [`air_file`] | AIRs as files |
//! | [`cairo`] | proofs of Cairo programs; programs, arguments and runs that are to be proven |
//! | [`kernels`] | kernels that were compiled before |
//! | [`words`] | the arguments of the command line |
//!
//! The program beside this library has more targets: each operation, each round and each whole proof of a backend next
//! to the reference.
#![forbid(unsafe_code)]

pub mod air_file;
pub mod cairo;
pub mod circle;
pub mod compact;
pub mod gkr;
pub mod goldilocks;
pub mod json;
pub mod kernels;
pub mod map;
pub mod mutate;
mod outcome;
pub mod script;
pub mod words;

use std::alloc::System;

use cap::Cap;
use circle_proof::Suite;
use field::SplitMix64;

pub use outcome::Outcome;

/// The allocator of the program: it knows the peak.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// The most bytes of the heap that were taken at a time since the process began.
pub fn peak() -> usize {
    MEMORY.max_allocated()
}

/// A target: its name, and the function that runs a case.
pub type Target = (String, Box<dyn Fn(&[u8]) -> Outcome + Sync>);

/// The targets that need no backend. Proofs and files of Circle and proofs of Cairo programs have one for each suite.
pub fn targets() -> Vec<Target> {
    type Case = fn(&[u8]) -> Outcome;
    let others: [(&str, Case); 14] = [
        ("goldilocks-proof", goldilocks::proof),
        ("goldilocks-file", goldilocks::file),
        ("goldilocks-compact-proof", compact::proof),
        ("goldilocks-compact-file", compact::file),
        ("goldilocks-key", compact::key),
        ("air-file", air_file::file),
        ("cairo-program", cairo::inputs::program),
        ("cairo-executable", cairo::inputs::executable),
        ("cairo-prover-input", cairo::inputs::prover_input),
        ("cairo-arguments", cairo::inputs::arguments),
        ("cairo-machines", cairo::machines::machines),
        ("kernel-cache", kernels::cache),
        ("kernel-file", kernels::file),
        ("arguments", words::arguments),
    ];
    let mut targets: Vec<Target> = others.map(|(name, run)| (name.to_owned(), Box::new(run) as _)).into();
    for suite in Suite::ALL {
        let mut add = |name: &str, run: fn(Suite, &[u8]) -> Outcome| {
            targets.push((format!("{name}-{suite}"), Box::new(move |data| run(suite, data))));
        };
        add("circle-proof", circle::proof);
        add("circle-file", circle::file);
        add("cairo-proof", cairo::proofs::proof);
        add("gkr-file", gkr::file);
    }
    targets
}

/// The bytes of a case.
pub fn input(seed: u64, number: u64) -> [u8; 64] {
    let mut random = SplitMix64::new(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
    let mut data = [0; 64];
    data.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&random.word().to_le_bytes()));
    data
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;
    use std::time::Instant;

    use super::*;

    /// The short form of a campaign: changed proofs and files of every suite of Circle, compact ones of Goldilocks and
    /// keys, on all processors. `POLYSTARK_EDITS` has as many of each.
    #[test]
    fn no_changed_proof_is_accepted() {
        let edits: Option<u64> = std::env::var("POLYSTARK_EDITS").ok().map(|text| text.parse().expect("a number"));
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let mut ran = 0;
        for (name, run) in targets() {
            let cases = match name.rsplit_once('-') {
                Some(("circle-proof" | "circle-file" | "gkr-file", _)) => edits.unwrap_or(300),
                Some(("cairo-proof", _)) => edits.unwrap_or(30),
                Some(("goldilocks-compact", _) | ("goldilocks", "key")) => edits.unwrap_or(1000),
                _ => continue,
            };
            let (next, begun) = (AtomicU64::new(0), Instant::now());
            let work = || {
                let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                for number in numbers.take_while(|number| *number < cases) {
                    let outcome = run(&input(7, number));
                    assert!(
                        matches!(outcome, Outcome::Passed | Outcome::Original | Outcome::Nonce),
                        "{name}, case {number}"
                    );
                }
            };
            thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
            eprintln!("{name}: {cases} cases in {:?}", begun.elapsed());
            ran += 1;
        }
        assert_eq!(ran, 4 * Suite::ALL.len() + 3);
    }
}
