//! The weights of a step: tables of `eq`.

use field::{M31, QM31};
use gpu_hal::{CircleStark, HalError, MapArgs, StarkBackend, Table, TableRef};
use sumcheck::multilinear::EqTables;

use super::arithmetic::DEGREE;

/// Nodes of this many variables are few: they are computed on the host, which waits for no device.
pub(super) const LOG_FEW: usize = 8;

/// Tables of `eq` of a point: of few variables on the host, of more on the device.
pub(super) struct Eq<B: StarkBackend> {
    pub(super) host: EqTables<QM31>,
    /// The layers of [`LOG_FEW`] variables and more.
    tables: Vec<Table<B::T>>,
}

impl<B: StarkBackend<P = CircleStark>> Eq<B> {
    /// The tables of a point. `double` is the program that makes one of the one before; `halves` has for each number of
    /// variables above [`LOG_FEW`] a column that is 0 in its lower half and 1 in its upper.
    pub(super) fn new(on: &B, double: &B::Program, halves: &[Table<B::T>], point: &[QM31]) -> Result<Self, HalError> {
        let host = EqTables::new(point, LOG_FEW);
        let mut tables: Vec<Table<B::T>> = Vec::new();
        for variables in LOG_FEW..point.len() {
            let table = match tables.last() {
                None => {
                    let table = host.table(variables);
                    let column = |at: usize| table.iter().map(move |value| value.0[at]);
                    let values: Vec<M31> = (0..DEGREE).flat_map(column).collect();
                    on.upload(&values, DEGREE, variables as u32)?
                }
                Some(last) => {
                    let y = on.upload(&host.coordinate(variables - 1).0, DEGREE, 0)?;
                    on.map(&MapArgs {
                        program: double,
                        columns: &[last.as_ref(), halves[variables - LOG_FEW - 1].as_ref(), y.as_ref()],
                        log_height: variables as u32,
                        outputs: &[0, 1, 2, 3],
                    })?
                }
            };
            tables.push(table);
        }
        Ok(Self { host, tables })
    }
}

impl<B: StarkBackend> Eq<B> {
    /// The table of the last `variables` coordinates.
    pub(super) fn table(&self, variables: usize) -> TableRef<'_, B::T> {
        self.tables[variables - LOG_FEW].as_ref()
    }
}
