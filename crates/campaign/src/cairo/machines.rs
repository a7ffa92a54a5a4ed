//! Random programs, run by our Cairo machine and by cairo-vm. Nothing is proven.

use adversary_cairo::random::draw;
use cairo_run::{InputError, Machine, Options, Problem, RunBy, load};
use serde_json::Value;

use crate::script::Script;
use crate::{Outcome, json};

/// More steps than any program takes that is not changed.
const MAX_STEPS: usize = 1 << 20;
/// And more addresses.
const MAX_ADDRESSES: usize = 1 << 20;

/// The bit of an instruction's first flag.
const FLAGS: usize = 48;

/// A random program, which both machines must run in the same way, to the cell; or a changed one, which both must run
/// so, or refuse.
pub fn machines(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (seed, with_ec) = (script.word(), script.below(4) == 0);
    let drawn = draw(seed, with_ec).json();
    let options =
        Options { machine: Machine::Compare, max_steps: MAX_STEPS, max_addresses: MAX_ADDRESSES, ..Options::default() };
    if script.below(2) == 0 {
        let loaded = load(drawn.as_bytes(), &options).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(loaded.run_by, RunBy::Own, "seed {seed}");
        return Outcome::Passed;
    }
    let parsed = |text: &str| serde_json::from_str::<Value>(text).expect("a compiled program is JSON");
    let other = draw(script.word(), false).json();
    let changed = match script.below(2) {
        0 => json::mutated(&parsed(&drawn), &parsed(&other), script),
        _ => with_flipped_bits(parsed(&drawn), script),
    };
    match load(&changed, &options) {
        Ok(_) => Outcome::Taken,
        Err(InputError { problem, .. }) => {
            assert!(!matches!(*problem, Problem::Machines(_) | Problem::Unforeseen(_)), "seed {seed}: {problem}");
            Outcome::Passed
        }
    }
}

/// The text of a program some of whose words have flipped bits, flags of instructions most of all: what no compiler
/// writes must be refused by both machines, too, or run in the same way.
fn with_flipped_bits(mut program: Value, script: &mut Script<'_>) -> Vec<u8> {
    let words = program["data"].as_array_mut().expect("a compiled program has data");
    for _ in 0..1 + script.below(3) {
        let at = script.below(words.len());
        let digits = words[at].as_str().and_then(|word| word.strip_prefix("0x")).expect("a word is hexadecimal");
        // A word that is longer is no instruction.
        let Ok(word) = u64::from_str_radix(digits, 16) else { continue };
        let bit = if script.below(4) == 0 { script.below(64) } else { FLAGS + script.below(16) };
        words[at] = Value::from(format!("{:#x}", word ^ (1 << bit)));
    }
    serde_json::to_vec(&program).expect("a value has a text")
}
