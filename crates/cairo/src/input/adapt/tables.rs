//! The tables of a memory: each value once, and its id at each of its addresses.
//!
//! Addresses are walked upwards. A value below 2^72 takes the next small id, unless the small table is full; any other
//! value takes the next big one. A value that came before has the id that it got then. So an id follows from the first
//! address of its value, and from how many values before it are small and big: both are found in parallel.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;
use stwo_cairo_adapter::memory::{DEFAULT_ID, EncodedMemoryValueId, Memory, MemoryConfig};
use stwo_cairo_common::memory::LARGE_MEMORY_VALUE_ID_BASE;

use super::super::memory::{Words, is_small};

/// Values that the small table holds.
pub(super) const SMALL_CAPACITY: usize = 1 << 24;

/// Addresses that one task takes.
const CHUNK: usize = 1 << 14;

/// The tables of these values, the first of which has address 1.
pub(super) fn build(values: &[Words], small_capacity: usize) -> Memory {
    let first = first_occurrences(values);
    let is_first = |index: usize| first[index] as usize == index;
    let starts: Vec<usize> = (0..values.len()).step_by(CHUNK).collect();
    let chunk = |start: usize| start..values.len().min(start + CHUNK);

    // How many values of each chunk are new and below 2^72, and so how many are before each chunk.
    let new_small = |index: &usize| is_first(*index) && is_small(&values[*index]);
    let counts: Vec<usize> =
        starts.par_iter().map(|start| chunk(*start).filter(|index| new_small(index)).count()).collect();
    let before = running_sums(&counts);

    // The new values of each chunk. Small ones beyond the capacity are big.
    let news: Vec<New> = starts
        .par_iter()
        .zip(&before)
        .map(|(start, before)| {
            let mut new = New::default();
            for index in chunk(*start).filter(|index| is_first(*index)) {
                if is_small(&values[index]) && before + new.small.len() < small_capacity {
                    new.small.push(index as u32);
                } else {
                    new.big.push(index as u32);
                }
            }
            new
        })
        .collect();
    let small = concat(news.iter().map(|new| &new.small));
    let big = concat(news.iter().map(|new| &new.big));

    let mut id_of_first = vec![0; values.len()];
    for (base, indices) in [(0, &small), (LARGE_MEMORY_VALUE_ID_BASE, &big)] {
        for (id, index) in indices.iter().enumerate() {
            id_of_first[*index as usize] = base + id as u32;
        }
    }
    let ids = first.par_iter().map(|first| EncodedMemoryValueId(id_of_first[*first as usize]));
    let mut address_to_id = vec![EncodedMemoryValueId(DEFAULT_ID); values.len() + 1];
    address_to_id[1..].par_iter_mut().zip(ids).for_each(|(cell, id)| *cell = id);
    Memory {
        config: MemoryConfig::default(),
        address_to_id,
        f252_values: big.par_iter().map(|index| values[*index as usize]).collect(),
        small_values: small.par_iter().map(|index| small_value(&values[*index as usize])).collect(),
    }
}

/// The indices of new values in a chunk.
#[derive(Default)]
struct New {
    small: Vec<u32>,
    big: Vec<u32>,
}

fn concat<'a>(parts: impl Iterator<Item = &'a Vec<u32>>) -> Vec<u32> {
    parts.flatten().copied().collect()
}

/// The sums of all numbers before each number.
fn running_sums(numbers: &[usize]) -> Vec<usize> {
    let sums = numbers.iter().scan(0, |sum, number| {
        let before = *sum;
        *sum += number;
        Some(before)
    });
    sums.collect()
}

fn small_value(words: &Words) -> u128 {
    u128::from(words[0]) | u128::from(words[1]) << 32 | u128::from(words[2]) << 64
}

/// The index of the first equal value, for each value.
///
/// Each task keeps the values whose hash falls to it, in the order of their addresses. The hash is keyed, so that no
/// program can aim at collisions.
fn first_occurrences(values: &[Words]) -> Vec<u32> {
    let hasher = RandomState::new();
    let hashes: Vec<u64> = values.par_iter().with_min_len(CHUNK).map(|value| hasher.hash_one(value)).collect();
    let tasks = if values.len() < CHUNK { 1 } else { rayon::current_num_threads() as u64 };
    let first: Vec<AtomicU32> = values.iter().map(|_| AtomicU32::new(0)).collect();
    (0..tasks).into_par_iter().for_each(|task| {
        let mut seen: HashMap<Hashed<'_>, u32, BuildHasherDefault<Identity>> = HashMap::default();
        for (index, (value, hash)) in values.iter().zip(&hashes).enumerate() {
            // The top half of the hash chooses the task; the table uses all of it.
            if ((hash >> 32) * tasks) >> 32 == task {
                // At most 2^29 addresses, so an index has 32 bits. No two tasks write one cell.
                let earliest = *seen.entry(Hashed { hash: *hash, value }).or_insert(index as u32);
                first[index].store(earliest, Relaxed);
            }
        }
    });
    first.into_iter().map(AtomicU32::into_inner).collect()
}

/// A value with its hash.
#[derive(PartialEq, Eq)]
struct Hashed<'a> {
    hash: u64,
    value: &'a Words,
}

impl Hash for Hashed<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// The hasher of what is a hash already.
#[derive(Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stwo_cairo_adapter::memory::{MemoryBuilder, MemoryEntry};

    use super::*;

    /// The tables that the reference's builder makes of the same values, with a small table of `2^log_capacity` values.
    fn reference(values: &[Words], log_capacity: u32) -> Memory {
        let config = MemoryConfig::new((1 << 72) - 1, log_capacity);
        let entries = values.iter().zip(1..).map(|(value, address)| MemoryEntry { address, value: *value });
        MemoryBuilder::from_iter(config, entries).build().0
    }

    fn assert_equal(values: &[Words], log_capacity: u32) {
        let (ours, theirs) = (build(values, 1 << log_capacity), reference(values, log_capacity));
        assert_eq!(ours.small_values, theirs.small_values);
        assert_eq!(ours.f252_values, theirs.f252_values);
        assert_eq!(ours.address_to_id, theirs.address_to_id);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// Values that repeat, small and big, with small tables that overflow.
        #[test]
        fn tables_are_those_of_the_reference(
            values in prop::collection::vec((0u32..40, prop::sample::select(vec![0usize, 1, 2, 3, 7])), 1..200),
            log_capacity in 0u32..7,
        ) {
            let values: Vec<Words> = values
                .into_iter()
                .map(|(value, word)| {
                    let mut words = [0; 8];
                    words[word] = value * 9;
                    words
                })
                .collect();
            assert_equal(&values, log_capacity);
        }
    }

    /// So many values that several tasks share them.
    #[test]
    fn tables_of_many_values() {
        let values: Vec<Words> = (0..5 * CHUNK as u32)
            .map(|i| {
                let x = i.wrapping_mul(0x9e37_79b9) >> 15;
                [x, 0, if x % 3 == 0 { x % 600 } else { 0 }, 0, 0, 0, 0, 0]
            })
            .collect();
        for log_capacity in [13, 24] {
            assert_equal(&values, log_capacity);
        }
    }
}
