//! Counting uses of places: by every thread for itself where there are many for each place, else in the counter that
//! all share.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use bytemuck::cast_slice_mut;
use field::PrimeField;
use gpu_hal::RowProgram;
use gpu_hal::ir::{RowEffect, RowKind};
use rayon::prelude::*;

/// Most places that a thread counts for itself.
const MOST_COPIED: usize = 1 << 22;

/// A counter while several threads count. Its numbers are below the field's order at rest; meanwhile they may be more,
/// but not more than they can hold: a call counts less than the order once ([`gpu_hal::check::MAX_COUNTED`]), and two
/// orders fit.
pub(super) enum Counter<'a, F> {
    /// Every thread has a copy, which is added in the end.
    Copied(&'a mut [F]),
    /// All threads count in elements of 32 bits, or one alone does.
    Narrow(&'a [AtomicU32], bool),
    /// The same of 64 bits.
    Wide(&'a [AtomicU64], bool),
}

/// A thread's counter, and whether the thread is the only one.
pub(super) enum Tally<'a> {
    Own(Vec<u32>),
    Narrow(&'a [AtomicU32], bool),
    Wide(&'a [AtomicU64], bool),
}

macro_rules! one_more {
    ($name:ident, $atomic:ty, $number:ty) => {
        /// One more, modulo `order`.
        #[inline(always)]
        fn $name(number: &$atomic, order: $number, is_alone: bool) {
            if is_alone {
                let more = number.load(Ordering::Relaxed) + 1;
                number.store(if more == order { 0 } else { more }, Ordering::Relaxed);
            } else if number.fetch_add(1, Ordering::Relaxed) == order - 1 {
                // The thread that makes it the order makes it zero; others may have added meanwhile.
                number.fetch_sub(order, Ordering::Relaxed);
            }
        }
    };
}

one_more!(one_more_narrow, AtomicU32, u32);
one_more!(one_more_wide, AtomicU64, u64);

impl<'a, F: PrimeField> Counter<'a, F> {
    /// Counter number `index` of a program that is run for `2^log_height` rows by `threads` threads.
    pub(super) fn new(
        program: &RowProgram<F>,
        index: usize,
        elements: &'a mut [F],
        log_height: u32,
        threads: usize,
    ) -> Self {
        let counts = |effect: &RowEffect| match effect {
            RowEffect::Count { counter, places, .. } if *counter as usize == index => {
                match program.nodes()[places.index()].kind {
                    RowKind::Words(words) => (words as usize) << log_height,
                    RowKind::Element => 0,
                }
            }
            _ => 0,
        };
        let counts: usize = program.effects().iter().map(counts).sum();
        // Adding up copies costs about as much as that many atomic additions more than plain ones.
        if threads > 1 && elements.len() <= MOST_COPIED && counts / 2 >= elements.len() {
            return Self::Copied(elements);
        }
        let len = elements.len();
        if size_of::<F>() == size_of::<u32>() {
            let numbers: *mut u32 = cast_slice_mut(elements).as_mut_ptr();
            // SAFETY: an atomic is like its number in memory, and the elements are borrowed for this view alone, as
            // long as it lives.
            Self::Narrow(unsafe { std::slice::from_raw_parts(numbers.cast(), len) }, threads == 1)
        } else {
            let numbers: *mut u64 = cast_slice_mut(elements).as_mut_ptr();
            // SAFETY: as above; the cast looks at the alignment of 64 bits, which an atomic has on all targets.
            Self::Wide(unsafe { std::slice::from_raw_parts(numbers.cast(), len) }, threads == 1)
        }
    }

    /// The counter of another thread.
    pub(super) fn tally(&self) -> Tally<'a> {
        match self {
            Self::Copied(elements) => Tally::Own(vec![0; elements.len()]),
            Self::Narrow(numbers, is_alone) => Tally::Narrow(numbers, *is_alone),
            Self::Wide(numbers, is_alone) => Tally::Wide(numbers, *is_alone),
        }
    }

    /// Adds the counts of all threads.
    pub(super) fn add_up(self, tallies: &[&Tally<'_>]) {
        let Self::Copied(elements) = self else { return };
        let copies: Vec<&[u32]> = tallies
            .iter()
            .filter_map(|tally| match tally {
                Tally::Own(copy) => Some(copy.as_slice()),
                Tally::Narrow(..) | Tally::Wide(..) => None,
            })
            .collect();
        elements.par_chunks_mut(1 << 14).enumerate().for_each(|(chunk, elements)| {
            for (index, element) in elements.iter_mut().enumerate() {
                let counted: u64 = copies.iter().map(|copy| u64::from(copy[(chunk << 14) + index])).sum();
                if counted != 0 {
                    *element += F::from_u64(counted);
                }
            }
        });
    }
}

impl Tally<'_> {
    /// Number of places.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Own(copy) => copy.len(),
            Self::Narrow(numbers, _) => numbers.len(),
            Self::Wide(numbers, _) => numbers.len(),
        }
    }

    /// Counts each of the places that is there, where the condition is not zero; numbers wrap at `order`. Gives the
    /// first lane whose place is not there.
    pub(super) fn count(&mut self, order: u64, places: &[u32], when: Option<&[u32]>) -> Option<usize> {
        let lanes = places.iter().enumerate().filter(|(lane, _)| when.is_none_or(|when| when[*lane] != 0));
        let mut beyond = None;
        let mut missing = |lane: usize| beyond = beyond.or(Some(lane));
        match self {
            Self::Own(copy) => {
                for (lane, place) in lanes {
                    match copy.get_mut(*place as usize) {
                        // No more than `MAX_COUNTED` for all threads together.
                        Some(number) => *number = number.wrapping_add(1),
                        None => missing(lane),
                    }
                }
            }
            Self::Narrow(numbers, is_alone) => {
                for (lane, place) in lanes {
                    match numbers.get(*place as usize) {
                        Some(number) => one_more_narrow(number, order as u32, *is_alone),
                        None => missing(lane),
                    }
                }
            }
            Self::Wide(numbers, is_alone) => {
                for (lane, place) in lanes {
                    match numbers.get(*place as usize) {
                        Some(number) => one_more_wide(number, order, *is_alone),
                        None => missing(lane),
                    }
                }
            }
        }
        beyond
    }
}
