//! Programs that use cairo-lang's common library: both machines make the same run of them, and their output is that of
//! the library's own runner.

use std::collections::HashMap;

use cairo_run::{Loaded, Machine, Options, RunBy, felt, load};
use field::SplitMix64;
use serde_json::{Value, json};

use super::files::read;

/// The run of a program, which both machines must make, ours without help.
fn loaded(name: &str, program_input: Option<Value>) -> Loaded {
    let program = read(&format!("cairo0-library/{name}.json"));
    let options = Options { machine: Machine::Compare, program_input: program_input.clone(), ..Options::default() };
    let loaded = load(&program, &options).unwrap_or_else(|error| panic!("{name} of {program_input:?}: {error}"));
    assert_eq!(loaded.run_by, RunBy::Own, "{name} of {program_input:?}");
    loaded
}

#[test]
fn programs_of_the_library_put_out_what_the_runner_of_cairo_lang_does() {
    let outputs: HashMap<String, Vec<String>> = serde_json::from_slice(&read("cairo0-library/outputs.json")).unwrap();
    for name in ["numbers", "ec_op", "secp256k1", "secp256r1", "keccak_state", "merkle"] {
        let output: Vec<String> = loaded(name, None).output.iter().map(felt::text).collect();
        assert_eq!(output, outputs[name], "{name}");
        #[cfg(feature = "python-hints")]
        super::python::judge(name, None);
    }
}

/// Numbers that look random, and are the same each time.
struct Numbers(SplitMix64);

impl Numbers {
    fn word(&mut self) -> u64 {
        self.0.word()
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }

    /// A number of at most so many bits as a text. Some are near 0 or near the most.
    fn bits(&mut self, bits: u32) -> String {
        let words: String = (0..4).map(|_| format!("{:016x}", self.word())).collect();
        let digits = (bits / 4) as usize;
        match self.below(8) {
            0 => self.below(4).to_string(),
            1 => format!("0x{}{:x}", "f".repeat(digits - 1), self.below(16)),
            _ => format!("0x{}", &words[..digits]),
        }
    }

    /// A felt: one of 248 bits, or one less than 2^64 below the prime.
    fn felt(&mut self) -> String {
        let near_the_prime = |low: u64| format!("0x800000000000010ffffffffffffffffffffffffffffffffffffffff{low:08x}");
        if self.below(4) == 0 { near_the_prime(self.below(1 << 32)) } else { self.bits(248) }
    }

    fn list(&mut self, length: u64, element: fn(&mut Self) -> String) -> Vec<String> {
        (0..length).map(|_| element(self)).collect()
    }
}

const RUNS: u64 = 12;

fn check(name: &str, input: fn(&mut Numbers) -> Value) {
    for seed in 0..RUNS {
        loaded(name, Some(input(&mut Numbers(SplitMix64::new(seed)))));
    }
    #[cfg(feature = "python-hints")]
    super::python::judge(name, Some(input(&mut Numbers(SplitMix64::new(0)))));
}

#[test]
fn arithmetic() {
    check("arithmetic", |numbers| {
        let tiny = 1 + numbers.below(1 << 40);
        json!({
            "a": numbers.felt(), "b": numbers.felt(), "small": numbers.bits(116), "other": numbers.bits(116), "tiny": tiny,
        })
    });
}

#[test]
fn collections() {
    check("collections", |numbers| {
        let count = 1 + numbers.below(20);
        let pairs: Vec<u64> = (0..2 * count).map(|_| numbers.below(12)).collect();
        let sorted: Vec<u64> = (0..count).flat_map(|index| [3 * index + 1, numbers.below(100)]).collect();
        json!({"list": pairs, "count": count, "sorted": sorted, "key": numbers.below(70)})
    });
}

#[test]
fn integers() {
    check("integers", |numbers| {
        let mut integer = || numbers.list(2, |numbers| numbers.bits(128));
        let (a, mut b, mut c) = (integer(), integer(), integer());
        b[1] = format!("{}", 1 + numbers.below(1 << 60));
        c[0] = format!("{}", 1 + numbers.below(1 << 60));
        json!({"a": a, "b": b, "c": c, "shift": numbers.below(260)})
    });
}

#[test]
fn digests() {
    check("digests", |numbers| {
        // The last words of eight and of sixteen bytes hold as much as the last one of four.
        let bytes = 8 * numbers.below(18) + [0, 4, 5, 6, 7][numbers.below(5) as usize];
        let words: Vec<u64> = (0..2 * bytes.max(1)).map(|_| numbers.below(1 << 32)).collect();
        let count = 1 + numbers.below(13);
        let (felts, number) = (numbers.list(count, Numbers::felt), numbers.list(2, |numbers| numbers.bits(128)));
        json!({"words": words, "bytes": bytes, "felts": felts, "count": count, "number": number})
    });
}

#[test]
fn curves() {
    /// x coordinates of points of Starknet's curve, and of secp256k1.
    const POINTS: [&str; 4] = [
        "0x36f675c81e74ef5e8e25d940ed904759531985d5d9dc9f81818e811892f902b",
        "0x6b4cb244a23d5962217beaddbc496cb8e81973e0becd7b03898d190f9ebdacc",
        "0x57ee05ce00902c77ebff206867347214cdd2055930d6eaf14f4733f3e7d1bfb",
        "0x7f2614498289fcd59a54a7bb1fee08f571242425051c1ccd17f9acae01f5057",
    ];
    const KEYS: [[&str; 2]; 3] = [
        ["0x8cdb305fdd2e16096e36aab0d1bc52d9", "0xfc891b4a6a50df4db4d66a3a47469a4d"],
        ["0x616499c9e25a7605aec6f0245bd86d40", "0x153e7c2a26a2c0bd3b1287fff52ddf5d"],
        ["0xa8948c893b61867626bb7dbd2d1c9af0", "0xd4c28c2e7c26847f0316909e3bbbe9ea"],
    ];
    check("curves", |numbers| {
        let first = numbers.below(4);
        let second = (first + 1 + numbers.below(3)) % 4;
        let scalars = numbers.list(2, |numbers| numbers.bits(248));
        let (hash, s) = (numbers.list(2, |numbers| numbers.bits(124)), numbers.list(2, |numbers| numbers.bits(124)));
        json!({
            "p": POINTS[first as usize], "q": POINTS[second as usize], "any": numbers.felt(), "scalars": scalars,
            "hash": hash, "r": KEYS[numbers.below(3) as usize], "s": s, "v": 27 + numbers.below(2),
        })
    });
}

#[test]
fn circuits() {
    /// Primes of 384 and of 64 bits in words of 96 bits.
    const LARGE: [&str; 4] =
        ["0xffffffff", "0xfffffffffffffffeffffffff", "0xffffffffffffffffffffffff", "0xffffffffffffffffffffffff"];
    const SMALL: [&str; 4] = ["0xffffffffffffffc5", "0", "0", "0"];
    check("circuit", |numbers| {
        let is_small = numbers.below(2) == 0;
        let words = if is_small { 1 } else { 4 };
        let mut value = || {
            let mut value: Vec<u64> = (0..words).map(|_| 1 + numbers.below(1 << 63)).collect();
            value.resize(4, 0);
            value
        };
        let values = [value(), value()].concat();
        json!({"p": if is_small { SMALL } else { LARGE }, "values": values})
    });
}

/// A function that was copied into segments of the program's own, with calls from each copy to another.
#[test]
fn code_outside_of_the_program() {
    check("outside", |numbers| json!({"n": numbers.below(200)}));
}
