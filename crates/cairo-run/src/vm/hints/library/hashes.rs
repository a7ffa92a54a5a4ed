//! Hints of hash functions that are computed by instructions.

use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;

use super::context::At;
use super::sha256;
use crate::vm::hints::error::custom;

/// Cells of a message block of SHA-256.
const BLOCK: usize = 16;
/// The state of SHA-256 after a block of zeros.
const SHA256_OF_ZEROS: [u32; 8] =
    [0xda56_98be, 0x17b9_b469, 0x6233_5799, 0x779f_beca, 0x8ce5_d491, 0xc0d2_6243, 0xbafe_f9ea, 0x1837_a9d8];

/// Fills up the last batch of SHA-256 with blocks of zeros.
pub(super) fn sha256_fill(at: &mut At<'_>) -> Result<(), HintError> {
    let (batch, block) = (at.constant_or("BATCH_SIZE", 7)?, at.constant_or("SHA256_INPUT_CHUNK_SIZE_FELTS", BLOCK)?);
    if !(1..=20).contains(&batch) || block != BLOCK {
        return Err(custom(format!("there is no SHA-256 in batches of {batch} blocks of {block} cells")));
    }
    let blocks = at.integer("n")? % batch;
    let missing = (0..batch).find(|missing| (&blocks + *missing) % batch == BigUint::ZERO).unwrap_or(0);
    let end = at.pointer("sha256_ptr_end")?;
    let one: Vec<u32> = [&[0; BLOCK][..], &sha256::BEGIN, &SHA256_OF_ZEROS].concat();
    let padding = one.iter().cycle().take(missing * one.len());
    padding.enumerate().try_for_each(|(index, word)| at.write(end, index, *word))
}

/// Bits of a member of keccak's state, and of a word of it.
const MEMBER_BITS: u32 = 200;
const WORD_BITS: u32 = 64;

/// The 25 words of keccak's state, from its eight members.
pub(super) fn keccak_words(at: &mut At<'_>) -> Result<(), HintError> {
    let (state, words) = (at.address("keccak_builtin_state")?, at.pointer("felt_array")?);
    let mut all = BigUint::ZERO;
    for member in 0..8 {
        all += at.read(state, member)?.to_biguint() << (MEMBER_BITS * member as u32);
    }
    for index in 0..25 {
        let word = &all >> (WORD_BITS * index as u32);
        at.write(words, index, word % (1u128 << WORD_BITS))?;
    }
    Ok(())
}

/// Word `3 N` of keccak's state in two parts: `lowI`, its first `N` bytes, and `highI`, the others.
pub(super) fn keccak_split<const N: usize>(at: &mut At<'_>) -> Result<(), HintError> {
    let index = 3 * N;
    let word = at.read(at.pointer("felt_array")?, index)?.to_biguint();
    let bits = 8 * N as u64;
    at.set(&format!("high{index}"), Felt252::from(&word >> bits))?;
    at.set(&format!("low{index}"), Felt252::from(word % (BigUint::from(1u32) << bits)))
}
