//! Values of all wires without building the circuit: its gates and guesses are recorded once, and executed for each
//! proof over a flat table of values.

mod kind;
mod record;
mod traced;

use field::{Field, M31, QM31};

use kind::Kind;
pub use record::{GateRecording, RecordError};
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
        /// Of the recording.
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
    /// The values of all wires, by address, for the values of the given ones. Every gate is satisfied.
    ///
    /// # Errors
    /// [`ValuesError`]: the first gate that is not.
    pub fn values(&self, given: &[QM31]) -> Result<Vec<QM31>, ValuesError> {
        if given.len() != self.given {
            return Err(ValuesError::Given { given: given.len(), expected: self.given });
        }
        let mut values = vec![QM31::default(); self.wires];
        values[..given.len()].copy_from_slice(given);
        for (wire, value) in &self.constants {
            values[*wire as usize] = *value;
        }
        let mut operands = &self.operands[..];
        for kind in &self.kinds {
            operands = step(*kind, operands, &mut values)?;
        }
        let is_unequal = |wires: &&[u32; 2]| values[wires[0] as usize] != values[wires[1] as usize];
        match self.equal.iter().find(is_unequal) {
            Some(&wires) => Err(ValuesError::Unequal { wires, values: wires.map(|wire| values[wire as usize]) }),
            None => Ok(values),
        }
    }
}

/// Makes a step, and gives the operands of the steps behind it.
fn step<'o>(kind: Kind, operands: &'o [u32], values: &mut [QM31]) -> Result<&'o [u32], ValuesError> {
    let at = |place: usize| values[operands[place] as usize];
    let words = |place: usize| word(operands[place], at(place));
    let (value, read) = match kind {
        Kind::Sum => (at(1) + at(2), 2),
        Kind::Difference => (at(1) - at(2), 2),
        Kind::Product => (at(1) * at(2), 2),
        Kind::Pointwise => (by_word(at(1), |word, index| word * at(2).0[index]), 2),
        Kind::Quotient => {
            let inverse = at(2).inverse().ok_or(ValuesError::Zero { wire: operands[0] })?;
            (at(1) * inverse, 2)
        }
        Kind::Inverses => (by_word(at(1), |word, _| word.inverse().unwrap_or_default()), 1),
        Kind::LowBits => (by_word(at(1), |word, _| M31::new(word.value() & 1)), 1),
        Kind::TripleXor => (halves(words(1)? ^ words(2)? ^ words(3)?), 3),
        Kind::Halves => match at(1).0.map(M31::value) {
            [number, 0, 0, 0] => (halves(number), 1),
            _ => return Err(ValuesError::Form { wire: operands[1], value: at(1) }),
        },
        Kind::BlakeG => {
            let [a, b, c, d, f0, f1] = [words(4)?, words(5)?, words(6)?, words(7)?, words(8)?, words(9)?];
            let results = circuits_core::blake::blake2s_g(a, b, c, d, f0, f1);
            for (wire, result) in operands.iter().zip(<[u32; 4]>::from(results)) {
                values[*wire as usize] = halves(result);
            }
            return Ok(&operands[10..]);
        }
        Kind::Sorted => {
            let (count, wires) = (operands[0] as usize, &operands[1..]);
            let mut sorted: Vec<QM31> = wires[count..2 * count].iter().map(|wire| values[*wire as usize]).collect();
            sorted.sort_by_key(|value| value.0[2].value());
            for (wire, value) in wires.iter().zip(sorted) {
                values[*wire as usize] = value;
            }
            return Ok(&wires[2 * count..]);
        }
    };
    values[operands[0] as usize] = value;
    Ok(&operands[1 + read..])
}

fn by_word(value: QM31, of: impl Fn(M31, usize) -> M31) -> QM31 {
    let QM31([a, b, c, d]) = value;
    QM31([of(a, 0), of(b, 1), of(c, 2), of(d, 3)])
}

/// A number of 32 bits in two halves.
fn halves(number: u32) -> QM31 {
    QM31([number & 0xffff, number >> 16, 0, 0].map(M31::new))
}

/// The number of a wire that holds one in two halves.
fn word(wire: u32, value: QM31) -> Result<u32, ValuesError> {
    match value.0.map(M31::value) {
        [low @ ..=0xffff, high @ ..=0xffff, 0, 0] => Ok(low | high << 16),
        _ => Err(ValuesError::Form { wire, value }),
    }
}
