//! The values in builtin segments: the ones that their components can prove.
//!
//! Hashes are left to the components, which compute them; a wrong one leaves the sums of the lookups unequal.

use rayon::prelude::*;

use super::ec;
use super::modulo::{self, Instance};
use crate::felt::from_words;
use crate::{BuiltinName, Cells, Place, Reason, Refusal, Run, Words};

/// Instances are padded to a power of two, at least this.
const MIN_INSTANCES: usize = 16;
/// Bits of an operand of bitwise.
const BITWISE_BITS: u32 = 251;

/// Checks the segment of each builtin: its bounds, and its instances. A run of our machine has right instances of all
/// builtins that [`is_computed`], but for hashes of pointers, which the prover refuses.
pub(super) fn check(run: &Run, is_own: bool) -> Result<(), Refusal> {
    let cells = Cells(&run.memory);
    let mut ranges = Vec::new();
    for name in BuiltinName::PUBLIC {
        let Some(segment) = run.builtin_segments.get(name) else { continue };
        let (start, stop, cells_each) = (segment.begin_addr, segment.stop_ptr, name.cells());
        let refuse = |what: String| {
            let remedy = "Make the ProverInput anew; the adapter pads the segments of builtins";
            Err(Refusal::new(Reason::Builtin, Place::Address(start as u64), what, remedy))
        };
        if start == 0 || start >= stop || stop > run.memory.address_to_id.len() {
            return refuse(format!("the segment of {name}, {start}..{stop}, is not within the memory"));
        }
        ranges.push((start, stop, name));
        if name == BuiltinName::Output {
            continue;
        }
        let instances = (stop - start) / cells_each;
        if !(stop - start).is_multiple_of(cells_each) || !instances.is_power_of_two() || instances < MIN_INSTANCES {
            return refuse(format!(
                "the segment of {name} has {} cells, not {cells_each} times a power of two from 16",
                stop - start
            ));
        }
        if is_own && is_computed(name) {
            continue;
        }
        // Addresses are below 2^29 here. The first instance that is wrong is the one to name, whichever thread finds
        // it.
        let wrong = |instance: usize| {
            let first = (start + instance * cells_each) as u32;
            let place = Instance { name, first, opens: instance == 0, closes: instance + 1 == instances };
            check_instance(&cells, place).err()
        };
        if let Some(refusal) = (0..instances).into_par_iter().with_min_len(1 << 8).find_map_first(wrong) {
            return Err(refusal);
        }
    }
    ranges.sort_unstable_by_key(|(start, ..)| *start);
    if let Some(pair) = ranges.windows(2).find(|pair| pair[0].1 > pair[1].0) {
        let what = format!("the segments of {} and {} overlap", pair[0].2, pair[1].2);
        let place = Place::Address(pair[1].0 as u64);
        return Err(Refusal::new(Reason::Builtin, place, what, "Make the ProverInput anew"));
    }
    Ok(())
}

/// Whether our machine computes the instances of the builtin, and ends with none that its component cannot prove.
fn is_computed(name: BuiltinName) -> bool {
    !matches!(name, BuiltinName::AddMod | BuiltinName::MulMod)
}

fn check_instance(cells: &Cells<'_>, instance: Instance) -> Result<(), Refusal> {
    let Instance { name, first, .. } = instance;
    let length = name.cells() as u32;
    let addresses = first..first + length;
    let modulo = !is_computed(name);
    // An instance with the values of the one before needs no second look.
    let again = |address: u32| cells.id(address) == cells.id(address - length);
    if !instance.opens && !modulo && addresses.clone().all(again) {
        return Ok(());
    }
    let refuse = |what: String| {
        let remedy = "Give the builtin inputs that it is defined for";
        Refusal::new(Reason::BuiltinValue, Place::Address(u64::from(first)), what, remedy)
    };
    let values: Vec<Words> = addresses
        .map(|address| cells.words(address))
        .collect::<Option<_>>()
        .ok_or_else(|| refuse(format!("an instance of {name} has a cell without a value")))?;
    match name {
        BuiltinName::RangeCheck => below(&values[0], 128),
        BuiltinName::RangeCheck96 => below(&values[0], 96),
        BuiltinName::Bitwise => bitwise(&values),
        BuiltinName::EcOp => {
            let [x, y, other_x, other_y, factor] = [0, 1, 2, 3, 4].map(|cell| from_words(&values[cell]));
            ec::check((x, y), (other_x, other_y), &factor).map_err(Into::into)
        }
        _ if modulo => modulo::check(cells, instance),
        _ => Ok(()),
    }
    .map_err(refuse)
}

/// `bits` is a multiple of 32.
fn below(value: &Words, bits: usize) -> Result<(), String> {
    if value[bits / 32..].iter().all(|word| *word == 0) {
        Ok(())
    } else {
        Err(format!("the range-checked value {} has more than {bits} bits", from_words(value)))
    }
}

/// x, y, x & y, x ^ y, x | y: integers of at most 251 bits, in the machine as in the component.
fn bitwise(values: &[Words]) -> Result<(), String> {
    let [x, y] = [&values[0], &values[1]];
    if let Some(value) = [x, y].into_iter().find(|value| value[7] >> (BITWISE_BITS % 32) != 0) {
        return Err(format!("the operand {} of bitwise has more than {BITWISE_BITS} bits", from_words(value)));
    }
    let right = |cell: usize, op: fn(u32, u32) -> u32| (0..8).all(|i| values[cell][i] == op(x[i], y[i]));
    if right(2, |x, y| x & y) && right(3, |x, y| x ^ y) && right(4, |x, y| x | y) {
        Ok(())
    } else {
        Err("an instance of bitwise has wrong results".into())
    }
}
