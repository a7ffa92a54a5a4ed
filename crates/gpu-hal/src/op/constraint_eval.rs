//! Combinations of a program's outputs.

use super::cost::rows;
use super::*;
use crate::ir::Kind;
use crate::{Constraints, Factor, Multiplier};

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
            made.push(on.table(T::P::DEGREE, log_eval));
            on.beside(&Footprint::ConstraintEval { program, tables: &shapes(columns), log_eval, combination });
        }
        made
    }
    cost(request) {
        let (program, rows) = (request.program.program(), rows(request.log_eval));
        let groups = &request.combination.groups;
        let weight = |output: usize| match program.nodes()[program.outputs()[output].index()].kind {
            Kind::Base => T::P::DEGREE,
            Kind::Ext => T::P::DEGREE * T::P::DEGREE,
        };
        let weights: usize = groups.iter().flat_map(|group| &group.terms).map(|(output, _)| weight(*output)).sum();
        let mut cost = Cost::program(program, rows);
        cost.moved += rows * T::P::DEGREE as f64;
        cost.products += rows * (groups.len() * T::P::DEGREE) as f64;
        cost.added_products = rows * weights as f64;
        cost
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
    check::domain::<T::P>(op, &args.domain)?;
    let (log_trace, log_eval, log_size) = (args.log_trace, args.log_eval, args.domain.log_size());
    check::inputs(op, program, args.columns, args.params.len(), log_size)?;
    let rises = log_trace <= log_eval && log_eval <= log_size;
    require!(rises, op, "trace 2^{log_trace}, evaluation 2^{log_eval}, domain 2^{log_size}: must not fall");
    let log_blowup = log_size - log_trace;
    for &Columns { width, log_height, .. } in args.columns {
        // The prefix of a lower table must still be a whole number of periods.
        let is_whole = log_height >= log_blowup;
        require!(is_whole, op, "a table of 2^{log_height} rows is lower than the blowup 2^{log_blowup}");
        let is_high = !DomainOf::<T>::LIFTS || width == 0 || log_height == log_size;
        require!(is_high, op, "a table of 2^{log_height} rows on a domain of 2^{log_size}");
    }
    let is_more = !DomainOf::<T>::LIFTS || log_eval != log_trace;
    require!(is_more, op, "constraints are zero on the trace's own domain: evaluate on more");
    for group in &args.combination.groups {
        for (index, _) in &group.terms {
            check::output(op, program.outputs().len(), *index)?;
        }
        let Multiplier { factors, column } = &group.multiplier;
        for Factor { log_power, .. } in factors {
            let is_below = *log_power <= log_trace;
            require!(is_below, op, "a factor of power 2^{log_power} above the trace length 2^{log_trace}");
        }
        if let Some((group, column)) = column {
            let exists = args.columns.get(*group).is_some_and(|table| *column < table.width);
            require!(exists, op, "multiplier column {column} of group {group} does not exist");
        }
    }
    Ok(())
}
