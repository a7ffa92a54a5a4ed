//! Somebody starts with nothing, makes a secret deposit in each row but the last, and has a public total in the end.

use std::sync::Arc;

use polystark::air::{Air, AirBuilder, Column, Layout, Rows, Trace};
use polystark::circle_air::{LoweredAir, lower_air};
use polystark::field::{Field, Goldilocks, M31, PrimeField};
use polystark::hal::Protocol;
use polystark::{Param, StatementError, circle, goldilocks};

const NAME: &str = "savings";
const SUMMARY: &str = "secret deposits add up to a public total";

// Main columns.
const DEPOSIT: usize = 0;
const BALANCE: usize = 1;

/// The statement: all that a verifier knows.
struct Savings<F> {
    log_rows: u32,
    total: F,
}

impl<P: Protocol> Air<P> for Savings<P::Base> {
    fn name(&self) -> &str {
        NAME
    }

    fn log_trace_length(&self) -> u32 {
        self.log_rows
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 2, aux_columns: 0, frame_rows: 2, challenges: 0, composition_parts: 1 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        let (deposit, balance) = (builder.main(DEPOSIT, 0), |row| builder.main(BALANCE, row));
        builder.transition(balance(1) - balance(0) - deposit, Rows::all().except_last(1));
        builder.boundary(Column::Main(BALANCE), 0, P::Base::ZERO);
        builder.boundary(Column::Main(BALANCE), (1 << self.log_rows) - 1, self.total);
    }

    fn public_inputs(&self) -> Vec<P::Base> {
        vec![self.total]
    }
}

/// The deposit of a row, and the balance before it: the columns of the trace. A program of use would read deposits from
/// somewhere.
fn columns<F: PrimeField>(rows: u64, seed: u64) -> Vec<Vec<F>> {
    let deposits: Vec<F> = (0..rows).map(|row| F::from_u64((row + seed) % 97)).collect();
    let mut balance = F::ZERO;
    let before = |deposit: &F| {
        let before = balance;
        balance += *deposit;
        before
    };
    let balances = deposits.iter().map(before).collect();
    vec![deposits, balances]
}

/// The statement that the columns satisfy.
fn of_columns<F: PrimeField>(rows: u64, columns: &[Vec<F>]) -> Savings<F> {
    Savings { log_rows: rows.ilog2(), total: columns[BALANCE].last().copied().unwrap_or(F::ZERO) }
}

fn seed() -> Param {
    Param::private("seed", "chooses the deposits").or(1)
}

fn one_total() -> StatementError {
    StatementError::Public("the last of them must be the total".into())
}

/// The AIR for the Goldilocks protocol.
pub(crate) fn of_goldilocks() -> goldilocks::Family {
    goldilocks::Family::new(
        NAME,
        SUMMARY,
        // To prove: rows and all parameters become a statement and its trace.
        |rows, parameters| {
            let columns = columns::<Goldilocks>(rows, parameters.get("seed")?);
            let air = Arc::new(of_columns(rows, &columns));
            Ok(goldilocks::AirInstance::new(air, move || Ok(Trace::from_columns(columns.clone())?)))
        },
        // To verify: rows, public parameters and public inputs become the same statement.
        |rows, _, public_inputs| match *public_inputs {
            [total] => Ok(Arc::new(Savings { log_rows: rows.ilog2(), total })),
            _ => Err(one_total()),
        },
    )
    .with(seed())
    .with_log_rows(2..=24)
}

/// The AIR for the Circle protocol.
pub(crate) fn of_circle() -> circle::Family {
    circle::Family::new(
        NAME,
        SUMMARY,
        |rows, parameters| {
            let columns = columns::<M31>(rows, parameters.get("seed")?);
            let statement = Arc::new(lowered(of_columns(rows, &columns))?);
            Ok(circle::AirInstance::new(statement, move || Ok(vec![columns.clone()].into())))
        },
        // The words are the AIR's: its rows, its digest, its public inputs.
        |rows, _, words| match words.last().and_then(|&total| M31::from_canonical(total.into())) {
            Some(total) => Ok(Arc::new(lowered(Savings { log_rows: rows.ilog2(), total })?)),
            None => Err(one_total()),
        },
    )
    .with(seed())
    .with_log_rows(2..=24)
}

/// The AIR as a statement of the Circle protocol.
fn lowered(air: Savings<M31>) -> Result<LoweredAir, StatementError> {
    lower_air(Arc::new(air)).map_err(|error| StatementError::Other(error.to_string()))
}
