//! The weights of a step: tables of `eq`.

use field::{Field, M31, QM31};
use gpu_hal::{CircleStark, HalError, Multilinear, StarkBackend, Table};
use sumcheck::MAX_VARIABLES;
use sumcheck::multilinear::EqTables;

use super::arithmetic::DEGREE;

/// Nodes of this many variables are few: they are computed on the host, which waits for no device. A round of as many
/// takes the host some 3 * 2^9 products of QM31 for a grand product and 6 * 2^9 for fractions, 12 and 25 us, about as
/// much as a device's answer to one operation. One more variable doubles the former.
pub(super) const LOG_FEW: usize = 9;

/// Tables of `eq` of a point, by halves: of its last variables, and of those before them. Both are made on the host,
/// from the square root of the nodes on, and are parts of one small table. The rows `2^j .. 2^(j + 1)` of a part are
/// `eq` of `j` variables.
pub(super) struct Eq<B: StarkBackend> {
    /// Tables of the last variables.
    pub(super) host: EqTables<QM31>,
    /// The variables of the low half, at most.
    log_low: usize,
    /// The low half, then the high one, where there are nodes on the device.
    table: Option<Table<B::T>>,
}

impl<B: StarkBackend<P = CircleStark>> Eq<B> {
    /// The tables of a point.
    pub(super) fn new(on: &B, point: &[QM31]) -> Result<Self, HalError> {
        // The first variable is apart. A longer low half has fewer factors, which processors multiply runs by.
        let behind = point.len().saturating_sub(1);
        let log_low = behind.div_ceil(2).max(LOG_FEW + 1).min(behind);
        let host = EqTables::new(point, log_low);
        let table = if point.len() > LOG_FEW {
            let high = EqTables::new(&point[..point.len() - log_low], MAX_VARIABLES);
            Some(uploaded(on, [(&host, log_low), (&high, behind - log_low)])?)
        } else {
            None
        };
        Ok(Self { host, log_low, table })
    }

    /// The weights of the corners of the last `variables` coordinates: the high half, then the low one.
    pub(super) fn weights(&self, variables: usize) -> [Multilinear<'_, B::T>; 2] {
        let Some(table) = &self.table else { unreachable!("nodes on a device have tables of eq there") };
        let of_low = variables.min(self.log_low);
        let part = |first: usize, variables: usize| Multilinear {
            table: table.as_ref(),
            first: first + (1 << variables),
            variables: variables as u32,
        };
        [part(table.height() / 2, variables - of_low), part(0, of_low)]
    }
}

/// All tables of up to so many variables, one after the other, of each half in a half of the rows.
fn uploaded<B: StarkBackend<P = CircleStark>>(
    on: &B,
    halves: [(&EqTables<QM31>, usize); 2],
) -> Result<Table<B::T>, HalError> {
    let log_half = 1 + halves[0].1.max(halves[1].1);
    let mut columns = vec![M31::ZERO; DEGREE << (log_half + 1)];
    for (number, rows) in columns.chunks_exact_mut(1 << log_half).enumerate() {
        // Column by column, half by half.
        let ((eq, most), coordinate) = (halves[number % 2], number / 2);
        for variables in 0..=most {
            let table = eq.table(variables);
            let rows = &mut rows[1 << variables..2 << variables];
            rows.iter_mut().zip(table).for_each(|(row, value)| *row = value.0[coordinate]);
        }
    }
    on.upload(&columns, DEGREE, log_half as u32 + 1)
}
