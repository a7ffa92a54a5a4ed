//! The results of builtins' instances.

use field::stark252::hades;
use starknet_types_core::hash::{Pedersen, StarkHash};

use super::cell::Cell;
use super::stop::Stop;
use crate::curve::pedersen;
use crate::{BuiltinName, check};

/// The results of an instance: at most three.
pub(super) type Results = [Cell; 3];

/// Cells of an instance before its results, and results; `None` for a builtin without.
pub(super) fn results(name: BuiltinName) -> Option<(usize, usize)> {
    match name {
        BuiltinName::Pedersen => Some((2, 1)),
        BuiltinName::Bitwise => Some((2, 3)),
        BuiltinName::EcOp => Some((5, 2)),
        BuiltinName::Poseidon => Some((3, 3)),
        _ => None,
    }
}

/// The results of an instance that is proven; `None` if an input has no value.
pub(super) fn compute_proven(name: BuiltinName, inputs: &[Cell]) -> Result<Option<Results>, Stop> {
    if name != BuiltinName::EcOp || !inputs.iter().all(|cell| cell.is_number()) {
        return compute(name, inputs);
    }
    let sum = ec_sum(inputs)?;
    if !sum.is_provable() {
        return Err(Stop::Lacks("an instance of ec_op has a result that cannot be proven"));
    }
    coordinates(&sum).map(Some)
}

/// The results of an instance; `None` if an input has no value.
pub(super) fn compute(name: BuiltinName, inputs: &[Cell]) -> Result<Option<Results>, Stop> {
    if !inputs.iter().all(|cell| cell.is_known()) {
        return Ok(None);
    }
    if !inputs.iter().all(|cell| cell.is_number()) {
        let is_lenient = matches!(name, BuiltinName::Pedersen | BuiltinName::Bitwise);
        return if is_lenient { Ok(None) } else { Err(Stop::Fails("an input of a builtin is a pointer")) };
    }
    let felt = |index: usize| inputs[index].to_felt().unwrap_or_default();
    let limbs = |index: usize| inputs[index].to_limbs().unwrap_or_default();
    let results = match name {
        BuiltinName::Pedersen => {
            let [a, b] = [0, 1].map(limbs);
            let hash =
                pedersen::hash(a, b).map_or_else(|| Cell::felt(&Pedersen::hash(&felt(0), &felt(1))), Cell::number);
            [hash, Cell::default(), Cell::default()]
        }
        BuiltinName::Poseidon => {
            let mut state = [0, 1, 2].map(limbs);
            hades::permute(&mut state);
            state.map(Cell::number)
        }
        BuiltinName::Bitwise => bitwise(inputs[0], inputs[1])?,
        _ => coordinates(&ec_sum(inputs)?)?,
    };
    Ok(Some(results))
}

fn ec_sum(inputs: &[Cell]) -> Result<check::EcSum, Stop> {
    let [x, y, other_x, other_y, m] = [0, 1, 2, 3, 4].map(|index: usize| inputs[index].to_felt().unwrap_or_default());
    check::EcSum::new((x, y), (other_x, other_y), &m).map_err(Stop::Fails)
}

fn coordinates(sum: &check::EcSum) -> Result<Results, Stop> {
    let [x, y] = sum.coordinates().map_err(Stop::Fails)?.map(Cell::number);
    Ok([x, y, Cell::default()])
}

/// And, xor, or.
fn bitwise(left: Cell, right: Cell) -> Result<Results, Stop> {
    let limbs = |cell: Cell| cell.to_limbs().filter(|limbs| limbs[3] >> 59 == 0);
    let (left, right) =
        limbs(left).zip(limbs(right)).ok_or(Stop::Fails("an input of bitwise has more than 251 bits"))?;
    let each = |operation: fn(u64, u64) -> u64| Cell::number([0, 1, 2, 3].map(|i| operation(left[i], right[i])));
    Ok([each(|a, b| a & b), each(|a, b| a ^ b), each(|a, b| a | b)])
}
