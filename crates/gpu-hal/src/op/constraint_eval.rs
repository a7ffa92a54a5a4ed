//! Combinations of a program's outputs.

use super::*;
use crate::{Constraints, Multiplier};

op! {
    /// [`crate::StarkBackend::constraint_eval`].
    ConstraintEval(requests: &'a [Constraints<'a, T>]) -> NewTables;

    check(_) { requests.iter().try_for_each(request) }
    reads(on) {
        for request in *requests {
            on.tables(request.columns);
            on.domain(&request.domain);
        }
    }
    makes(on) {
        let mut made = Vec::with_capacity(requests.len());
        for &Constraints { program, columns, log_eval, combination, .. } in *requests {
            on.step(|source| {
                Step::ConstraintEval { program: source(program), log_eval, combination: combination.clone() }
            });
            made.push(on.table(T::P::DEGREE, log_eval));
            on.beside(&Footprint::ConstraintEval { program, tables: &shapes(columns), log_eval, combination });
        }
        made
    }
    uploaded() {
        let groups = requests.iter().flat_map(|request| &request.combination.groups);
        let combinations: usize = groups
            .map(|group| size_of_val(group.terms.as_slice()) + size_of_val(group.multiplier.factors.as_slice()))
            .sum();
        requests.iter().map(|request| size_of_val(request.params)).sum::<usize>() + combinations
    }
    requests() {}
    through(on, see) {
        let tables = requests.iter().map(|request| see.tables(request.columns)).collect::<Result<Vec<_>>>()?;
        let mut seen: Vec<Constraints<'_, O::T>> = Vec::with_capacity(requests.len());
        for (request, columns) in requests.iter().zip(&tables) {
            let &Constraints { program, domain, log_trace, log_eval, params, combination, .. } = request;
            let program = see.program(program)?;
            seen.push(Constraints { program, columns, domain, log_trace, log_eval, params, combination });
        }
        on.constraint_eval(&seen)
    }
    run(on) { on.constraint_eval(requests) }
}

/// Whether one request is right.
fn request<T: Types>(args: &Constraints<'_, T>) -> Result<()> {
    let (op, program) = (Operation::ConstraintEval, args.program.program());
    let invalid = |detail| Err(HalError::invalid(op, detail));
    check::domain::<T::P>(op, &args.domain)?;
    let log_size = args.domain.log_size();
    check::inputs(op, program, args.columns, args.params.len(), log_size)?;
    if !(args.log_trace <= args.log_eval && args.log_eval <= log_size) {
        return invalid(format!(
            "trace 2^{}, evaluation 2^{}, domain 2^{log_size}: must not fall",
            args.log_trace, args.log_eval
        ));
    }
    // The prefix of a lower table must still be a whole number of periods.
    let log_blowup = log_size - args.log_trace;
    if let Some(table) = args.columns.iter().find(|table| table.log_height < log_blowup) {
        return invalid(format!("a table of 2^{} rows is lower than the blowup 2^{log_blowup}", table.log_height));
    }
    if T::P::LIFTS {
        if let Some(table) = args.columns.iter().find(|table| table.width > 0 && table.log_height != log_size) {
            return invalid(format!("a table of 2^{} rows on a domain of 2^{log_size}", table.log_height));
        }
        if args.log_eval == args.log_trace {
            return invalid("constraints are zero on the trace's own domain: evaluate on more".into());
        }
    }
    for group in &args.combination.groups {
        for (index, _) in &group.terms {
            check::output(op, program.outputs().len(), *index)?;
        }
        multiplier(op, &group.multiplier, args)?;
    }
    Ok(())
}

fn multiplier<T: Types>(op: Operation, multiplier: &Multiplier<BaseOf<T>>, args: &Constraints<'_, T>) -> Result<()> {
    if let Some(factor) = multiplier.factors.iter().find(|factor| factor.log_power > args.log_trace) {
        let detail = format!("a factor of power 2^{} above the trace length 2^{}", factor.log_power, args.log_trace);
        return Err(HalError::invalid(op, detail));
    }
    if let Some((group, column)) = multiplier.column
        && args.columns.get(group).is_none_or(|table| column >= table.width)
    {
        let detail = format!("multiplier column {column} of group {group} does not exist");
        return Err(HalError::invalid(op, detail));
    }
    Ok(())
}
