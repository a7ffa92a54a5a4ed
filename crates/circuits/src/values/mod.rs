//! Values of all wires without building the circuit: its gates and guesses are recorded once, and executed for each
//! proof over a flat table of values.

mod bands;
mod kind;
mod record;
mod table;
mod traced;

use field::{Field, M31, QM31};
use rayon::prelude::*;

use bands::Task;
use kind::{Kind, Operands};
pub use record::{GateRecording, RecordError};
use table::Table;
pub use traced::Traced;

/// Why there are no values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValuesError {
    /// Another number of given values than the recording has.
    #[error("{given} values are given, and {expected} wires have given ones")]
    Given {
        /// Given.
        given: usize,
        /// Given values of the recording.
        expected: usize,
    },
    /// A quotient by zero.
    #[error("wire {wire} is a quotient by zero")]
    Zero {
        /// Its address.
        wire: u32,
    },
    /// A wire that is no number of 32 bits in two halves, or no number of the base field, where a gate reads one.
    #[error("wire {wire} is {value}, which its gate does not read")]
    Form {
        /// Its address.
        wire: u32,
        /// Its value.
        value: QM31,
    },
    /// Two wires that must be equal.
    #[error("wires {wires:?} must be equal, and are {values:?}")]
    Unequal {
        /// Their addresses.
        wires: [u32; 2],
        /// Their values.
        values: [QM31; 2],
    },
}

impl GateRecording {
    /// The values of all wires, by address, for the values of the given ones. Every gate is satisfied. All cores share
    /// the work.
    ///
    /// # Errors
    /// [`ValuesError`]: one gate that is not, always the same.
    pub fn values(&self, given: &[QM31]) -> Result<Vec<QM31>, ValuesError> {
        if given.len() != self.given {
            return Err(ValuesError::Given { given: given.len(), expected: self.given });
        }
        // Its pages are touched first here, which takes as long as many a band.
        let all = (0..self.wires).into_par_iter();
        let mut values: Vec<QM31> = all.map(|wire| given.get(wire).copied().unwrap_or_default()).collect();
        for (wire, value) in &self.constants {
            values[*wire as usize] = *value;
        }
        let table = Table::new(&mut values);
        // A task knows its values when those of all bands before are there.
        for tasks in &self.bands {
            let failed = match &tasks[..] {
                [task] => self.run(task, table).err(),
                tasks => tasks.par_iter().find_map_first(|task| self.run(task, table).err()),
            };
            failed.map_or(Ok(()), Err)?;
        }
        let is_unequal = |wires: &&[u32; 2]| values[wires[0] as usize] != values[wires[1] as usize];
        match self.equal.par_iter().find_first(is_unequal) {
            Some(&wires) => Err(ValuesError::Unequal { wires, values: wires.map(|wire| values[wire as usize]) }),
            None => Ok(values),
        }
    }

    /// Makes the steps of a task.
    fn run(&self, task: &Task, table: Table<'_>) -> Result<(), ValuesError> {
        let mut operands = &self.operands[task.operands.clone()];
        for kind in &self.kinds[task.kinds.clone()] {
            operands = step(*kind, operands, table)?;
        }
        Ok(())
    }
}

/// Makes a step, and gives the operands of the steps behind it.
#[inline(always)]
fn step<'o>(kind: Kind, operands: &'o [u32], table: Table<'_>) -> Result<&'o [u32], ValuesError> {
    let at = |place: usize| table.get(operands[place]);
    let words = |place: usize| word(operands[place], at(place));
    let (value, read) = match kind {
        Kind::Sum => (at(1) + at(2), 2),
        Kind::Difference => (at(1) - at(2), 2),
        Kind::Product => (at(1) * at(2), 2),
        Kind::Pointwise => {
            let by = at(2);
            (by_word(at(1), |word, index| word * by.0[index]), 2)
        }
        Kind::Quotient => {
            let inverse = at(2).inverse().ok_or(ValuesError::Zero { wire: operands[0] })?;
            (at(1) * inverse, 2)
        }
        Kind::Inverses => (by_word(at(1), |word, _| word.inverse().unwrap_or_default()), 1),
        Kind::LowBits => (by_word(at(1), |word, _| M31::new(word.value() & 1)), 1),
        Kind::TripleXor => (halves(words(1)? ^ words(2)? ^ words(3)?), 3),
        Kind::Halves => match at(1) {
            value if value == QM31::from(value.0[0]) => (halves(value.0[0].value()), 1),
            value => return Err(ValuesError::Form { wire: operands[1], value }),
        },
        Kind::BlakeG => {
            let [a, b, c, d, f0, f1] = [words(4)?, words(5)?, words(6)?, words(7)?, words(8)?, words(9)?];
            let (a, b, c, d) = circuits_core::blake::blake2s_g(a, b, c, d, f0, f1);
            table.set(operands[0], halves(a));
            table.set(operands[1], halves(b));
            table.set(operands[2], halves(c));
            table.set(operands[3], halves(d));
            return Ok(&operands[10..]);
        }
        Kind::Sorted => {
            let Operands { writes, reads, rest } = kind.split(operands);
            let mut sorted: Vec<QM31> = reads.iter().map(|wire| table.get(*wire)).collect();
            sorted.sort_by_key(|value| value.0[2].value());
            writes.iter().zip(sorted).for_each(|(wire, value)| table.set(*wire, value));
            return Ok(rest);
        }
    };
    table.set(operands[0], value);
    Ok(&operands[1 + read..])
}

fn by_word(value: QM31, of: impl Fn(M31, usize) -> M31) -> QM31 {
    let QM31([a, b, c, d]) = value;
    QM31([of(a, 0), of(b, 1), of(c, 2), of(d, 3)])
}

/// A number of 32 bits in two halves.
#[inline(always)]
fn halves(number: u32) -> QM31 {
    QM31([M31::new(number & 0xffff), M31::new(number >> 16), M31::ZERO, M31::ZERO])
}

/// The number of a wire that holds one in two halves.
#[inline(always)]
fn word(wire: u32, value: QM31) -> Result<u32, ValuesError> {
    let QM31([low, high, third, fourth]) = value;
    let is_word = low.value() <= 0xffff && high.value() <= 0xffff && third == M31::ZERO && fourth == M31::ZERO;
    if is_word { Ok(low.value() | high.value() << 16) } else { Err(ValuesError::Form { wire, value }) }
}
