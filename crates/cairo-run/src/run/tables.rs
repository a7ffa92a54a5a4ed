//! The tables of a memory: each value once, and its id at each of its addresses.
//!
//! Addresses are walked upwards. A value below 2^72 takes the next small id, unless the small table is full; any other
//! value takes the next big one. A value that came before has the id that it got then. So an id follows from the first
//! address of its value, and from how many values before it are small and big: both are found in parallel.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::memory::{BIG_ID, Memory, NO_ID, is_small};
use crate::Words;

/// Values that the small table holds.
const SMALL_CAPACITY: usize = 1 << 24;

/// Addresses that one task takes.
const CHUNK: usize = 1 << 14;

impl Memory {
    /// The memory of these values, the first of which has address 1.
    pub fn of_values(values: &[Words]) -> Self {
        build(values, SMALL_CAPACITY)
    }
}

/// As [`Memory::of_values`], with a small table of this capacity.
fn build(values: &[Words], small_capacity: usize) -> Memory {
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
    for (base, indices) in [(0, &small), (BIG_ID, &big)] {
        for (id, index) in indices.iter().enumerate() {
            id_of_first[*index as usize] = base + id as u32;
        }
    }
    let ids = first.par_iter().map(|first| id_of_first[*first as usize]);
    let mut address_to_id = vec![NO_ID; values.len() + 1];
    address_to_id[1..].par_iter_mut().zip(ids).for_each(|(cell, id)| *cell = id);
    let f252_values = big.par_iter().map(|index| values[*index as usize]).collect();
    let small_values = small.par_iter().map(|index| small_value(&values[*index as usize])).collect();
    Memory::new(address_to_id, f252_values, small_values)
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
/// Values are dealt out to parts by their hash, in the order of their addresses; the table of a part stays in a core's
/// cache. The hash is keyed, so that no program can aim at collisions.
fn first_occurrences(values: &[Words]) -> Vec<u32> {
    let hasher = Hasher::new();
    let log_parts = (values.len() / PART).checked_ilog2().unwrap_or(0).min(MAX_LOG_PARTS);
    let parts = 1usize << log_parts;
    // The highest bits of a hash choose the part, the next ones the slot of its table.
    let part_of = |hash: u64| (hash >> 32 >> (32 - log_parts)) as usize;
    let hashes: Vec<u64> = values.par_iter().with_min_len(CHUNK).map(|value| hasher.hash(value)).collect();

    // How many values of each chunk belong to each part, and so where a chunk's values begin in a part.
    let chunks: Vec<&[u64]> = hashes.chunks(CHUNK).collect();
    let counted = chunks.par_iter().map(|hashes| {
        let mut counts = vec![0usize; parts];
        hashes.iter().for_each(|hash| counts[part_of(*hash)] += 1);
        counts
    });
    let mut places: Vec<Vec<usize>> = counted.collect();
    let mut next = 0;
    let mut bounds = vec![0];
    for part in 0..parts {
        for places in &mut places {
            (places[part], next) = (next, next + places[part]);
        }
        bounds.push(next);
    }

    // At most 2^29 addresses, so an index has 32 bits. No two tasks write one cell.
    let dealt: Vec<AtomicU64> = values.iter().map(|_| AtomicU64::new(0)).collect();
    chunks.par_iter().zip(places).enumerate().for_each(|(chunk, (hashes, mut places))| {
        for (index, hash) in (chunk * CHUNK..).zip(*hashes) {
            let place = &mut places[part_of(*hash)];
            dealt[*place].store(hash << log_parts & TAG | index as u64, Relaxed);
            *place += 1;
        }
    });

    let first: Vec<AtomicU32> = values.iter().map(|_| AtomicU32::new(0)).collect();
    bounds.par_windows(2).for_each(|bounds| {
        let dealt = &dealt[bounds[0]..bounds[1]];
        // At most half full. The lower half of a slot is one more than an index, the upper half the index's tag.
        let log_slots = (2 * dealt.len()).next_power_of_two().ilog2();
        let mut slots = vec![0u64; 1 << log_slots];
        for entry in dealt {
            let entry = entry.load(Relaxed);
            let (tag, index) = (entry & TAG, entry as u32);
            let mut slot = (tag >> 32 >> (32 - log_slots)) as usize;
            let earliest = loop {
                let held = slots[slot];
                if held == 0 {
                    slots[slot] = tag | u64::from(index + 1);
                    break index;
                }
                let other = held as u32 - 1;
                if held & TAG == tag && values[other as usize] == values[index as usize] {
                    break other;
                }
                slot = (slot + 1) & (slots.len() - 1);
            };
            first[index as usize].store(earliest, Relaxed);
        }
    });
    first.into_iter().map(AtomicU32::into_inner).collect()
}

/// Values of a part, about, and log2 of the most parts.
const PART: usize = 1 << 13;
const MAX_LOG_PARTS: u32 = 10;

/// The bits of a hash that an entry keeps.
const TAG: u64 = !0 << 32;

/// A keyed hash of values: NH of UMAC (Black et al., CRYPTO 1999, section 4) on words of 64 bits, and a keyed product
/// that brings it to 64 bits.
struct Hasher {
    keys: [u64; 4],
    last: [u64; 2],
}

impl Hasher {
    fn new() -> Self {
        let random = RandomState::new();
        let key = |number: u64| random.hash_one(number);
        Self { keys: [0, 1, 2, 3].map(key), last: [4, 5].map(|number| key(number) | 1) }
    }

    fn hash(&self, value: &Words) -> u64 {
        let term = |i: usize| {
            let word = u64::from(value[2 * i]) | u64::from(value[2 * i + 1]) << 32;
            u128::from(word.wrapping_add(self.keys[i]))
        };
        let sum = (term(0) * term(1)).wrapping_add(term(2) * term(3));
        let [low, high] = [sum as u64, (sum >> 64) as u64];
        let mixed = low.wrapping_mul(self.last[0]).wrapping_add(high.wrapping_mul(self.last[1]));
        // The upper bits depend on all lower ones; they are the ones that count.
        (mixed ^ mixed >> 32).wrapping_mul(self.last[0])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stwo_cairo_adapter::memory::{Memory as Theirs, MemoryBuilder, MemoryConfig, MemoryEntry};

    use super::*;

    /// The tables that the reference's builder makes of the same values, with a small table of `2^log_capacity` values.
    fn reference(values: &[Words], log_capacity: u32) -> Theirs {
        let config = MemoryConfig::new((1 << 72) - 1, log_capacity);
        let entries = values.iter().zip(1..).map(|(value, address)| MemoryEntry { address, value: *value });
        MemoryBuilder::from_iter(config, entries).build().0
    }

    fn assert_equal(values: &[Words], log_capacity: u32) {
        let (ours, theirs) = (build(values, 1 << log_capacity), reference(values, log_capacity));
        assert_eq!(ours.small_values, theirs.small_values);
        assert_eq!(ours.f252_values, theirs.f252_values);
        let ids: Vec<u32> = theirs.address_to_id.iter().map(|id| id.0).collect();
        assert_eq!(ours.address_to_id, ids);
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

    /// Enough values that several tasks share them.
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
