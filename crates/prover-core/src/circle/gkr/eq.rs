//! The weights of a step: tables of `eq`.

use field::{Field, M31, QM31};
use gpu_hal::{CircleStark, HalError, Multilinear, StarkBackend, Table};
use sumcheck::MAX_VARIABLES;
use sumcheck::multilinear::EqTables;

use super::arithmetic::DEGREE;

/// Nodes of this many variables are few: they are computed on the host, which waits for no device.
pub(super) const LOG_FEW: usize = 8;

/// Tables of `eq` of a point, by halves: of its last variables, and of those before them. Both are made on the host,
/// from the square root of the nodes on: one small table each, whose rows `2^j .. 2^(j + 1)` are `eq` of `j` variables.
pub(super) struct Eq<B: StarkBackend> {
    /// Tables of the last variables.
    pub(super) host: EqTables<QM31>,
    /// The variables of the low half, at most.
    log_low: usize,
    /// High and low, where there are nodes on the device.
    tables: Option<[Table<B::T>; 2]>,
}

impl<B: StarkBackend<P = CircleStark>> Eq<B> {
    /// The tables of a point.
    pub(super) fn new(on: &B, point: &[QM31]) -> Result<Self, HalError> {
        // The first variable is apart. A longer low half has fewer factors, which processors multiply runs by.
        let behind = point.len().saturating_sub(1);
        let log_low = behind.div_ceil(2).max(LOG_FEW + 1).min(behind);
        let host = EqTables::new(point, log_low);
        let tables = if point.len() > LOG_FEW {
            let high = EqTables::new(&point[..point.len() - log_low], MAX_VARIABLES);
            Some([uploaded(on, &high, behind - log_low)?, uploaded(on, &host, log_low)?])
        } else {
            None
        };
        Ok(Self { host, log_low, tables })
    }

    /// The weights of the corners of the last `variables` coordinates.
    pub(super) fn weights(&self, variables: usize) -> [Multilinear<'_, B::T>; 2] {
        let Some([high, low]) = &self.tables else { unreachable!("nodes on a device have tables of eq there") };
        let of_low = variables.min(self.log_low);
        let layer = |table, variables: usize| Multilinear::layer(table, variables as u32);
        [layer(high.as_ref(), variables - of_low), layer(low.as_ref(), of_low)]
    }
}

/// All tables of up to `most` variables, one after the other.
fn uploaded<B: StarkBackend<P = CircleStark>>(
    on: &B,
    eq: &EqTables<QM31>,
    most: usize,
) -> Result<Table<B::T>, HalError> {
    let mut columns = vec![M31::ZERO; DEGREE << (most + 1)];
    for (at, column) in columns.chunks_exact_mut(2 << most).enumerate() {
        let tables = (0..=most).flat_map(|variables| eq.table(variables));
        column[1..].iter_mut().zip(tables).for_each(|(target, value)| *target = value.0[at]);
    }
    on.upload(&columns, DEGREE, most as u32 + 1)
}
