//! Kernels that were compiled before: a damaged file is never run. No GPU is needed to read them.

use std::sync::LazyLock;

use backend_cuda::{Cache, Compiled, Shipped, Target, pack};
use gpu_runtime::KernelSource;
use sha2::{Digest as _, Sha256};

use crate::Outcome;
use crate::mutate::{picked, raw};
use crate::script::Script;

/// Bytes before the hashed part of a file: the magic ones and the hash.
const HEAD: usize = 48;
const MAGIC: usize = 16;

/// The most that zlib packs into a byte.
const MOST_PACKED: usize = 1032;

fn source(name: &'static str) -> KernelSource {
    KernelSource { name, text: format!("void {name}();"), defines: vec![("SIZE", 3)] }
}

fn code(seed: u8, length: usize) -> Vec<u8> {
    (0..length).map(|at| seed.wrapping_mul(at as u8) ^ (at >> 5) as u8).collect()
}

static ENTRIES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let codes = [code(1, 0), code(3, 40), code(7, 1000), code(0, 5000)];
    codes.iter().map(|code| Cache::sealed(code)).collect()
});

/// Names of the kernels in files.
const NAMES: [&str; 4] = ["one", "two", "three", "nowhere"];

static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let file = |target, lengths: &[usize]| {
        let sources = NAMES.map(source);
        let compiled = lengths.iter().map(|&length| Compiled { code: code(5, length) });
        pack(target, sources.iter().zip(compiled)).expect("packing in memory")
    };
    vec![file(Target::Cubin(90), &[100, 0, 3000]), file(Target::Ptx(80), &[17]), file(Target::Cubin(90), &[])]
});

/// A changed entry of the cache: nothing is in it, unless it is the same again.
pub fn cache(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (entry, other) = picked(&ENTRIES, script);
    let bytes = raw(entry, other, script);
    match Cache::unsealed(bytes.clone()) {
        None => Outcome::Passed,
        Some(_) if ENTRIES.contains(&bytes) => Outcome::Original,
        Some(_) => Outcome::Accepted,
    }
}

/// A changed file of kernels. Half of them have the hash that they should: then it may hold any bytes, and must
/// be read without a panic, into no more memory than the packed bytes can take.
pub fn file(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (file, other) = picked(&FILES, script);
    let is_repaired = script.below(2) == 0;
    let mut bytes = raw(file, other, script);
    if is_repaired && bytes.len() >= HEAD {
        let hash = Sha256::digest(&bytes[HEAD..]);
        bytes[MAGIC..HEAD].copy_from_slice(&hash);
    }
    let is_original = FILES.contains(&bytes);
    let length = bytes.len();
    let Some(shipped) = Shipped::parse(bytes) else { return Outcome::Passed };
    for kernel in NAMES.iter().filter_map(|name| shipped.get(&source(name))) {
        assert!(kernel.code.len() <= MOST_PACKED * length, "{} bytes of {length}", kernel.code.len());
    }
    match (is_original, is_repaired) {
        (true, _) => Outcome::Original,
        (false, true) => Outcome::Passed,
        (false, false) => Outcome::Accepted,
    }
}
