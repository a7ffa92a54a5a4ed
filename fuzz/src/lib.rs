//! The common part of the fuzz targets: memory that is counted, and a statement with a proof that must stay the only
//! one.
#![forbid(unsafe_code)]

use std::alloc::System;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use air::RecordedAir;
use cap::Cap;
use goldilocks_proof::{Suite, lambdaworks};
use gpu_hal::GoldilocksStark;

/// The allocator of every target.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Heap bytes per input byte that decoding may take. The most a byte can become is the header of an empty list.
pub const PER_BYTE: usize = 40;

/// Runs `read`, which ends the process if it holds more memory at a time than `per_byte` bytes per byte of the input.
pub fn bounded<T>(input: &[u8], per_byte: usize, read: impl FnOnce(&[u8]) -> T) -> T {
    let limit = MEMORY.allocated() + per_byte * input.len() + 4096;
    MEMORY.set_limit(limit).expect("the limit is above what is allocated");
    let result = read(input);
    MEMORY.set_limit(usize::MAX).expect("there is no limit");
    result
}

/// The protocol of the targets.
pub type P = GoldilocksStark;

/// A proof without proof of work, so that no other nonce can make another valid proof of it.
pub const ORIGINAL: &[u8] = include_bytes!("../../vectors/goldilocks/fibrap_fp3_n16_s15_b2_q5_c7_g0.proof.bin");

/// The options of [`ORIGINAL`]. Its transcript seed is empty.
pub const OPTIONS: lambdaworks::Options =
    lambdaworks::Options { blowup: 2, queries: 5, grinding: 0, coset_offset: 7, suite: Suite::Keccak256 };

/// The statement of [`ORIGINAL`].
pub static STATEMENT: LazyLock<RecordedAir<P>> = LazyLock::new(|| recorded("fibonacci-rap", 16, &[("steps", 15)]));

/// A shipped AIR of a vector.
///
/// # Panics
/// If there is none.
pub fn recorded(name: &str, rows: u64, parameters: &[(&str, u64)]) -> RecordedAir<P> {
    let parameters: BTreeMap<String, u64> =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let air = air::airs::build::<P>(name, rows, &parameters).expect("the vector's AIR exists");
    air::record(&*air).expect("the vector's AIR can be recorded")
}

/// A proof with edits: each four bytes of `edits` are a kind, a place (two bytes) and a value.
pub fn edited(original: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for edit in edits.chunks_exact(4) {
        let &[kind, low, high, value] = edit else { continue };
        let at = usize::from(u16::from_le_bytes([low, high])) % bytes.len().max(1);
        match kind % 5 {
            0 if at < bytes.len() => bytes[at] = value,
            1 if at < bytes.len() => bytes[at] ^= value,
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => bytes.insert(at, value),
            4 => bytes.truncate(at),
            _ => {}
        }
    }
    bytes
}
