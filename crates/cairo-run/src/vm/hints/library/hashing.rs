//! Hints of the hash functions that the library computes by instructions: Blake2s, Keccak, SHA-256.

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::Hint;
use super::context::At;
use super::math::ensure;
use super::sha256;
use crate::machine::blake;
use crate::machine::keccak::{STATE, keccak256, permute};
use crate::vm::hints::error::custom;

/// The hints of this family by their texts.
pub(super) const HINTS: &[(&str, Hint)] = &[
    (hint_code::BLAKE2S_COMPUTE, blake_of_instance),
    (hint_code::EXAMPLE_BLAKE2S_COMPRESS, blake_of_message),
    (hint_code::BLAKE2S_FINALIZE, |at| finalize_blake(at, true)),
    (hint_code::BLAKE2S_FINALIZE_V2, |at| finalize_blake(at, true)),
    (hint_code::BLAKE2S_FINALIZE_V3, |at| finalize_blake(at, false)),
    (hint_code::BLAKE2S_ADD_UINT256, |at| words_of_integer(at, false)),
    (hint_code::BLAKE2S_ADD_UINT256_BIGEND, |at| words_of_integer(at, true)),
    (hint_code::IS_LESS_THAN_63_BITS_AND_NOT_END, is_short_and_not_end),
    (hint_code::BLAKE2S_UNPACK_FELTS, unpack_felts),
    (hint_code::UNSAFE_KECCAK, keccak_of_bytes),
    (hint_code::UNSAFE_KECCAK_FINALIZE, keccak_of_words),
    (hint_code::KECCAK_WRITE_ARGS, words_of_64_bits),
    (hint_code::COMPARE_BYTES_IN_WORD_NONDET, |at| at.set_ap(at.felt("n_bytes")? < at.constant("BYTES_IN_WORD")?)),
    (hint_code::COMPARE_KECCAK_FULL_RATE_IN_BYTES_NONDET, |at| {
        at.set_ap(at.felt("n_bytes")? >= at.constant("KECCAK_FULL_RATE_IN_BYTES")?)
    }),
    (hint_code::BLOCK_PERMUTATION, keccak_before),
    (hint_code::BLOCK_PERMUTATION_WHITELIST_V1, keccak_before),
    (hint_code::BLOCK_PERMUTATION_WHITELIST_V2, |at| {
        let (from, to) = (at.pointer("keccak_ptr_start")?, at.pointer("output")?);
        keccak(at, from, to)
    }),
    (hint_code::CAIRO_KECCAK_INPUT_IS_FULL_WORD, |at| at.set_flag("full_word", at.felt("n_bytes")? >= 8.into())),
    (hint_code::CAIRO_KECCAK_FINALIZE_V1, |at| finalize_keccak(at, 10)),
    (hint_code::CAIRO_KECCAK_FINALIZE_V2, |at| finalize_keccak(at, 1000)),
    (hint_code::SPLIT_INPUT_3, |at| split_input(at, 3, 1, ["low3", "high3"])),
    (hint_code::SPLIT_INPUT_6, |at| split_input(at, 6, 2, ["low6", "high6"])),
    (hint_code::SPLIT_INPUT_9, |at| split_input(at, 9, 3, ["low9", "high9"])),
    (hint_code::SPLIT_INPUT_12, |at| split_input(at, 12, 4, ["low12", "high12"])),
    (hint_code::SPLIT_INPUT_15, |at| split_input(at, 15, 5, ["low15", "high15"])),
    (hint_code::SPLIT_N_BYTES, split_bytes),
    (hint_code::SPLIT_OUTPUT_MID_LOW_HIGH, split_output),
    (hint_code::SHA256_INPUT, |at| at.set_flag("full_word", at.felt("n_bytes")? >= 4.into())),
    (hint_code::SHA256_MAIN_CONSTANT_INPUT_LENGTH, |at| sha256_of_message(at, sha256::BEGIN)),
    (hint_code::SHA256_MAIN_ARBITRARY_INPUT_LENGTH, |at| {
        ensure(at.constant("SHA256_STATE_SIZE_FELTS")? == 8.into(), "a state of SHA-256 has eight words")?;
        let state = words(at, at.pointer("state")?)?;
        sha256_of_message(at, state)
    }),
    (hint_code::SHA256_FINALIZE, finalize_sha256),
];

/// The words of 32 bits from a pointer on.
fn words<const N: usize>(at: &At<'_>, start: Relocatable) -> Result<[u32; N], HintError> {
    let mut words = [0; N];
    for (index, word) in words.iter_mut().enumerate() {
        let felt = at.read(start, index)?;
        *word = felt.to_u32().ok_or_else(|| custom(format!("{felt} is no word of 32 bits")))?;
    }
    Ok(words)
}

/// Cells of an instance of Blake2s: state, message, counter, flag, and the new state.
const BLAKE_STATE: usize = 8;
const BLAKE_MESSAGE: usize = 16;
const BLAKE_INPUTS: usize = BLAKE_STATE + BLAKE_MESSAGE + 2;
/// The flag of the last block.
const LAST: u32 = u32::MAX;

/// The state before the first block of a hash of 32 bytes.
fn blake_begin() -> [u32; BLAKE_STATE] {
    let mut state = blake::IV;
    state[0] ^= 0x0101_0020;
    state
}

/// Writes the new state of the instance whose inputs stand before `output`.
fn blake_of_instance(at: &mut At<'_>) -> Result<(), HintError> {
    let output = at.pointer("output")?;
    let start = (output - BLAKE_INPUTS)?;
    let [state, message] = [start, (start + BLAKE_STATE)?];
    let (state, message) = (words(at, state)?, words(at, message)?);
    let [bytes, flag] = words(at, (start + (BLAKE_STATE + BLAKE_MESSAGE))?)?;
    ensure(flag == 0 || flag == LAST, "the flag of Blake2s is no flag")?;
    at.write_all(output, blake::compress(state, message, bytes, flag == LAST))
}

fn blake_of_message(at: &mut At<'_>) -> Result<(), HintError> {
    let (message, output) = (words(at, at.pointer("blake2s_start")?)?, at.pointer("output")?);
    let bytes = at.felt("n_bytes")?.to_u32().ok_or_else(|| custom("a message is too long"))?;
    at.write_all(output, blake::compress(blake_begin(), message, bytes, true))
}

/// Instances of Blake2s that are proven together.
const BLAKE_BATCH: usize = 7;

/// Fills up a batch with instances of a message of zeros. Their state is before the message, or behind it.
fn finalize_blake(at: &mut At<'_>, is_state_first: bool) -> Result<(), HintError> {
    let (state, message) = (blake_begin(), [0; BLAKE_MESSAGE]);
    let inputs = if is_state_first { [&state[..], &message] } else { [&message[..], &state] }.concat();
    let instance = [&inputs[..], &[0, LAST], &blake::compress(state, message, 0, true)].concat();
    let end = at.pointer("blake2s_ptr_end")?;
    at.write_all(end, instance.repeat(BLAKE_BATCH - 1))
}

/// The words of `low` and `high`, the least significant first, or the other way round.
fn words_of_integer(at: &mut At<'_>, is_reversed: bool) -> Result<(), HintError> {
    let [low, high] = [at.integer("low")?, at.integer("high")?];
    let word = |number: &BigUint, index: u32| (number >> (32 * index)) & BigUint::from(u32::MAX);
    let mut words: Vec<BigUint> =
        [low, high].iter().flat_map(|number| (0..4).map(move |index| word(number, index))).collect();
    if is_reversed {
        words.reverse();
    }
    at.write_all(at.pointer("data")?, words)
}

fn is_short_and_not_end(at: &mut At<'_>) -> Result<(), HintError> {
    let (end, values) = (at.pointer("end")?, at.pointer("packed_values")?);
    let is_short = end != values && at.read(values, 0)?.bits() <= 63;
    at.set_ap(is_short)
}

/// Words of a felt of more than 63 bits; a shorter one has two.
const FELT_WORDS: usize = 8;

/// Writes the words of felts, the most significant ones first. The top bit of eight words is set.
fn unpack_felts(at: &mut At<'_>) -> Result<(), HintError> {
    let (count, values) = (at.count("packed_values_len")?, at.pointer("packed_values")?);
    let mut to = at.pointer("unpacked_u32s")?;
    for index in 0..count {
        at.work(FELT_WORDS)?;
        let felt = at.read(values, index)?;
        let bytes = felt.to_bytes_be();
        let word = |word: &[u8]| word.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
        let mut words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
        if felt.bits() <= 63 {
            words.drain(..FELT_WORDS - 2);
        } else {
            words[0] |= 1 << 31;
        }
        let length = words.len();
        at.write_all(to, words)?;
        to = (to + length)?;
    }
    Ok(())
}

/// Sets `high` and `low` to a hash.
fn set_hash(at: &mut At<'_>, hash: [u8; 32]) -> Result<(), HintError> {
    at.set_number("high", BigUint::from_bytes_be(&hash[..16]))?;
    at.set_number("low", BigUint::from_bytes_be(&hash[16..]))
}

/// Bytes of a word that `unsafe_keccak` hashes.
const WORD_BYTES: usize = 16;

/// The last bytes of a felt, the others of which are 0.
fn bytes(felt: Felt252, count: usize) -> Result<Vec<u8>, HintError> {
    let bytes = felt.to_bytes_be();
    let (zeros, bytes) = bytes.split_at(32 - count);
    ensure(zeros.iter().all(|byte| *byte == 0), "a word of a message has too many bytes")?;
    Ok(bytes.to_vec())
}

fn keccak_of_bytes(at: &mut At<'_>) -> Result<(), HintError> {
    let (length, data) = (at.count("length")?, at.pointer("data")?);
    let mut message = Vec::new();
    while message.len() < length {
        at.work(1)?;
        let word = at.read(data, message.len() / WORD_BYTES)?;
        message.extend(bytes(word, WORD_BYTES.min(length - message.len()))?);
    }
    set_hash(at, keccak256(&message))
}

fn keccak_of_words(at: &mut At<'_>) -> Result<(), HintError> {
    let state = at.address("keccak_state")?;
    let [start, end] = [at.cell(state)?, at.cell((state + 1_usize)?)?].map(|cell| cell.get_relocatable());
    let (start, end) = start.zip(end).ok_or_else(|| custom("the state of Keccak has no pointers"))?;
    let mut message = Vec::new();
    for index in 0..(end - start)? {
        at.work(1)?;
        message.extend(bytes(at.read(start, index)?, WORD_BYTES)?);
    }
    set_hash(at, keccak256(&message))
}

fn words_of_64_bits(at: &mut At<'_>) -> Result<(), HintError> {
    let [low, high] = [at.integer("low")?, at.integer("high")?];
    let halves = [&low, &high].map(|number| [number & BigUint::from(u64::MAX), number >> 64_u32]);
    at.write_all(at.pointer("inputs")?, halves.into_iter().flatten())
}

/// Writes the permuted state.
fn keccak(at: &mut At<'_>, from: Relocatable, to: Relocatable) -> Result<(), HintError> {
    ensure(at.constant("KECCAK_STATE_SIZE_FELTS")? == STATE.into(), "a state of Keccak has 25 words")?;
    let mut state = [0; STATE];
    for (index, word) in state.iter_mut().enumerate() {
        *word = at.read(from, index)?.to_u64().ok_or_else(|| custom("a word of Keccak has more than 64 bits"))?;
    }
    permute(&mut state);
    at.write_all(to, state)
}

/// The state stands before the place of the permuted one.
fn keccak_before(at: &mut At<'_>) -> Result<(), HintError> {
    let to = at.pointer("keccak_ptr")?;
    keccak(at, (to - STATE)?, to)
}

fn finalize_keccak(at: &mut At<'_>, most: usize) -> Result<(), HintError> {
    let blocks = at.constant_or("BLOCK_SIZE", usize::MAX)?;
    let is_known = at.constant("KECCAK_STATE_SIZE_FELTS")? == STATE.into() && blocks < most;
    ensure(is_known, "there is no Keccak with such states or batches")?;
    let begin = [0; STATE];
    let mut end = begin;
    permute(&mut end);
    at.write_all(at.pointer("keccak_ptr_end")?, [begin, end].concat().repeat(blocks))
}

/// A word of the state in two parts, the first one of so many bytes.
fn split_input(at: &mut At<'_>, word: usize, bytes: u32, [low, high]: [&str; 2]) -> Result<(), HintError> {
    let word = at.read(at.pointer("inputs")?, word)?.to_biguint();
    let above = &word >> (8 * bytes);
    at.set_number(low, word - (&above << (8 * bytes)))?;
    at.set_number(high, above)
}

fn split_bytes(at: &mut At<'_>) -> Result<(), HintError> {
    let (bytes, of_word) = (at.count("n_bytes")?, at.constant_or("BYTES_IN_WORD", 0)?);
    ensure(of_word > 0, "a word has no bytes")?;
    at.set_number("n_words_to_copy", bytes / of_word)?;
    at.set_number("n_bytes_left", bytes % of_word)
}

fn split_output(at: &mut At<'_>) -> Result<(), HintError> {
    const LOW: u32 = 56;
    let number = at.integer("output1")?;
    at.set_number("output1_low", &number & BigUint::from((1_u64 << LOW) - 1))?;
    at.set_number("output1_mid", (&number >> LOW) & BigUint::from(u128::MAX))?;
    at.set_number("output1_high", number >> (LOW + 128))
}

fn sha256_of_message(at: &mut At<'_>, state: [u32; 8]) -> Result<(), HintError> {
    ensure(at.constant("SHA256_INPUT_CHUNK_SIZE_FELTS")? == 16.into(), "a message of SHA-256 has 16 words")?;
    let (message, output) = (words(at, at.pointer("sha256_start")?)?, at.pointer("output")?);
    at.write_all(output, sha256::compress(state, message))
}

/// Instances of SHA-256 that are proven together.
const SHA256_BATCH: usize = 7;

/// Fills up a batch with instances of a message of zeros.
fn finalize_sha256(at: &mut At<'_>) -> Result<(), HintError> {
    let message = [0; 16];
    let instance = [&message[..], &sha256::BEGIN, &sha256::compress(sha256::BEGIN, message)].concat();
    at.write_all(at.pointer("sha256_ptr_end")?, instance.repeat(SHA256_BATCH - 1))
}
