//! Columns that accumulate from row to row.

use super::cost::rows;
use super::*;
use crate::{Accumulated, RunningForm};

type Request<'a, T> = crate::RunningRequest<'a, T>;

op! {
    /// [`crate::StarkBackend::running`].
    Running(requests: &'a [Request<'a, T>]) -> Totals;

    check(_) { requests.iter().try_for_each(request) }
    reads(on) { requests.iter().for_each(|request| on.tables(request.columns)) }
    makes(on) {
        let totals = totals(requests);
        let mut made = Vec::with_capacity(requests.len());
        for &Request { program, columns, log_height, form, .. } in *requests {
            let built = on.table(form.width() * T::P::DEGREE, log_height);
            on.beside(&Footprint::Running { program, tables: &shapes(columns), log_height, form, totals });
            made.push(Accumulated { columns: built, total: Default::default() });
        }
        made
    }
    cost(request) {
        let (rows, columns) = (rows(request.log_height), request.form.width() as f64);
        let mut cost = Cost::program(request.program.program(), rows);
        cost.moved += rows * columns * T::P::DEGREE as f64;
        // Inversion in batches, the ratio, the scan.
        cost.ext_products += rows * columns * 5.0;
        cost
    }
    uploaded() {
        let form = |form: &RunningForm<'_>| match form {
            RunningForm::Columns(columns) => size_of_val(*columns),
            RunningForm::Logup(fractions) => size_of_val(*fractions),
        };
        requests.iter().map(|request| size_of_val(request.params) + form(&request.form)).sum()
    }
    requests() {}
    through(on, see) {
        let tables = requests.iter().map(|request| see.tables(request.columns)).collect::<Result<Vec<_>>>()?;
        let mut seen: Vec<Request<'_, O::T>> = Vec::with_capacity(requests.len());
        for (&Request { program, log_height, params, form, .. }, columns) in requests.iter().zip(&tables) {
            seen.push(Request { program: see.program(program)?, columns, log_height, params, form });
        }
        on.running(&seen)
    }
    run(on) { on.running(requests) }
    outcome(made) { Outcome::Accumulated(made, totals(requests)) }
}

/// How many totals come to the host.
fn totals<T: Types>(requests: &[Request<'_, T>]) -> usize {
    requests.iter().filter(|request| request.form.has_total()).count()
}

/// Whether one request is right.
fn request<T: Types>(args: &Request<'_, T>) -> Result<()> {
    let (op, program) = (Operation::Running, args.program.program());
    check::countable::<ExtOf<T>>(op, args.form.width(), args.log_height)?;
    check::inputs(op, program, args.columns, args.params.len(), args.log_height)?;
    let ratio = |numerator, denominator| {
        check::output(op, program.outputs().len(), numerator)?;
        check::output(op, program.outputs().len(), denominator)
    };
    match args.form {
        RunningForm::Columns(columns) => {
            columns.iter().try_for_each(|column| ratio(column.numerator, column.denominator))?;
        }
        RunningForm::Logup(fractions) => {
            for &Columns { width, log_height, .. } in args.columns {
                let is_high = width == 0 || log_height == args.log_height;
                require!(is_high, op, "a table of 2^{log_height} rows among those of 2^{}", args.log_height);
            }
            fractions.iter().try_for_each(|(numerator, denominator)| ratio(*numerator, *denominator))?;
        }
    }
    require!(args.form.width() > 0, op, "no column to build");
    Ok(())
}
