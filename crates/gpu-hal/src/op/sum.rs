//! Weighted sums of a program's outputs over the corners of a hypercube.

use alloc::collections::BTreeSet;

use super::bind::{handed, multilinear, of, some_rows};
use super::cost::rows;
use super::*;
use crate::SumRequest;
use crate::ir::{Kind, NodeOp};

type Request<'a, T> = SumRequest<'a, T>;

op! {
    /// [`crate::StarkBackend::sum`].
    Sum(requests: &'a [Request<'a, T>]) -> Sums;

    check(_) { requests.iter().try_for_each(|request| right(Self::NAME, request, 0)) }
    reads(on) {
        for request in *requests {
            request.values.iter().chain(&request.weights).for_each(|values| on.table(&values.table));
        }
    }
    size() {
        let all = requests.iter().flat_map(|request| request.values);
        all.fold(Size::default(), |size, values| size.and(of(values)))
    }
    makes(on) {
        let sums = requests.iter().map(|request| request.outputs.len()).sum();
        let mut made = Vec::with_capacity(requests.len());
        for &Request { program, values, outputs, weights, .. } in *requests {
            let tables: Vec<_> = values.iter().map(|values| values.table.shape()).collect();
            let variables = 1 + weights.iter().map(|weights| weights.variables).sum::<u32>();
            on.beside(&Footprint::Sum { program, tables: &tables, variables, outputs, sums });
            made.push(vec![Default::default(); outputs.len()]);
        }
        made
    }
    cost(request) {
        let rows = rows(request.weights.iter().map(|weights| weights.variables).sum());
        let program = request.program.program();
        let columns: BTreeSet<_> = program.nodes().iter().filter_map(|node| match node.op {
            NodeOp::Load { group, column, offset } => Some((group, column, offset, node.kind)),
            _ => None,
        }).collect();
        let width = |kind| if kind == Kind::Ext { T::P::DEGREE } else { 1 };
        let moved = rows * columns.into_iter().map(|(.., kind)| width(kind)).sum::<usize>() as f64;
        let cost = Cost::program(program, rows);
        Cost { moved, ext_products: cost.ext_products + rows * request.outputs.len() as f64, ..cost }
    }
    uploaded() {
        requests.iter().map(|request| size_of_val(request.params) + size_of_val(request.outputs)).sum()
    }
    requests() {}
    through(on, see) {
        let mut lists = Vec::with_capacity(requests.len());
        for request in *requests {
            let values = request.values.iter().map(|values| handed(*values, see)).collect::<Result<Vec<_>>>()?;
            let [high, low] = request.weights;
            lists.push((values, [handed(high, see)?, handed(low, see)?]));
        }
        let mut seen: Vec<Request<'_, O::T>> = Vec::with_capacity(requests.len());
        for (&Request { program, params, outputs, .. }, (values, weights)) in requests.iter().zip(&lists) {
            seen.push(Request { program: see.program(program)?, values, params, outputs, weights: *weights });
        }
        on.sum(&seen)
    }
    run(on) { on.sum(requests) }
}

/// Whether one request is right, if so many first variables are bound before, fewer than there are.
pub(super) fn right<T: Types>(op: Operation, request: &Request<'_, T>, bound: u32) -> Result<()> {
    let program = request.program.program();
    let (count, groups) = (request.values.len(), program.groups().len());
    require!(count == groups, op, "{count} tables for a program of {groups} groups");
    let [high, low] = &request.weights;
    let variables = high.variables.saturating_add(low.variables);
    for (index, values) in request.values.iter().enumerate() {
        multilinear(op, values)?;
        let (width, base_width) = (values.table.width, program.base_width(index));
        require!(width == base_width, op, "group {index} has {base_width} base columns, its table {width}");
        let of_values = values.variables.saturating_sub(1 + bound);
        let fits = of_values == variables;
        require!(
            fits,
            op,
            "group {index} has {of_values} variables behind the one of the sum, the weights {variables}"
        );
    }
    for weights in [high, low] {
        some_rows(op, weights)?;
        let (width, degree) = (weights.table.width, T::P::DEGREE);
        require!(width == degree, op, "weights are one extension column, {degree} base columns, and not {width}");
    }
    let (given, params) = (request.params.len(), program.params());
    require!(given == params, op, "{given} parameters for a program of {params}");
    require!(!request.outputs.is_empty(), op, "no output to sum");
    request.outputs.iter().try_for_each(|index| check::output(op, program.outputs().len(), *index))?;
    let other = program.nodes().iter().find_map(|node| match node.op {
        NodeOp::Load { offset, .. } if !(0..=1).contains(&offset) => Some(offset),
        _ => None,
    });
    let other = other.unwrap_or_default();
    require!(other == 0, op, "a load with the row offset {other}: the first variable is 0 or 1");
    Ok(())
}
