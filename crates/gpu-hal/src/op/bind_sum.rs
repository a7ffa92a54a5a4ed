//! Multilinear polynomials with their first variable bound, and weighted sums over the corners of the others.

use super::bind::{handed, of};
use super::cost::rows;
use super::sum::right;
use super::*;
use crate::ir::Kind;
use crate::{BindRequest, BindSumRequest, BoundSums, Multilinear, SumRequest};

type Request<'a, T> = BindSumRequest<'a, T>;

op! {
    /// [`crate::StarkBackend::bind_sum`].
    BindSum(requests: &'a [Request<'a, T>]) -> TablesAndSums;

    check(_) { requests.iter().try_for_each(request) }
    reads(on) {
        for Request { values, weights: [high, low], .. } in *requests {
            [values, high, low].into_iter().for_each(|values| on.table(&values.table));
        }
    }
    size() { requests.iter().fold(Size::default(), |size, request| size.and(of(&request.values))) }
    makes(on) {
        let sums = requests.iter().map(|request| request.outputs.len()).sum();
        let mut made = Vec::with_capacity(requests.len());
        for &Request { program, values: Multilinear { table, variables, .. }, outputs, .. } in *requests {
            let (bound, variables) = (on.table(table.width, variables - 1), variables - 1);
            let tables = [Columns::new((), table.width, variables)];
            on.beside(&Footprint::Sum { program, tables: &tables, variables, outputs, sums });
            made.push(BoundSums { sums: vec![Default::default(); outputs.len()], values: bound });
        }
        made
    }
    cost(request) {
        let (rows, width) = (rows(request.values.variables - 2), request.values.table.width as f64);
        let program = Cost::program(request.program.program(), rows);
        // Four values of a column become two, of which the program has one at 0 and one at 1.
        let products = rows * (2.0 * width / T::P::DEGREE as f64 + request.outputs.len() as f64);
        Cost { moved: 6.0 * rows * width, ext_products: program.ext_products + products, ..program }
    }
    uploaded() {
        let of = |request: &Request<'_, T>| size_of_val(request.params) + size_of_val(request.outputs);
        requests.iter().map(|request| size_of::<ExtOf<T>>() + of(request)).sum()
    }
    requests() {}
    through(on, see) {
        let mut seen: Vec<Request<'_, O::T>> = Vec::with_capacity(requests.len());
        for &Request { challenge, program, values, params, outputs, weights: [high, low] } in *requests {
            let weights = [handed(high, see)?, handed(low, see)?];
            let (program, values) = (see.program(program)?, handed(values, see)?);
            seen.push(Request { challenge, program, values, params, outputs, weights });
        }
        on.bind_sum(&seen)
    }
    run(on) { on.bind_sum(requests) }
    by_others(on) {
        let mut bound: Vec<BindRequest<'_, O::T>> = Vec::with_capacity(requests.len());
        for &Request { values, challenge, .. } in requests {
            bound.push(BindRequest { values, challenge });
        }
        let tables = on.bind(&bound)?;
        let values: Vec<_> = tables.iter().map(|table| [Multilinear::all(table.as_ref())]).collect();
        let mut sums: Vec<SumRequest<'_, O::T>> = Vec::with_capacity(requests.len());
        for (&Request { program, params, outputs, weights, .. }, values) in requests.iter().zip(&values) {
            sums.push(SumRequest { program, values, params, outputs, weights });
        }
        let sums = on.sum(&sums)?;
        Ok(tables.into_iter().zip(sums).map(|(values, sums)| BoundSums { sums, values }).collect())
    }
}

/// Whether one request is right.
fn request<T: Types>(request: &Request<'_, T>) -> Result<()> {
    let &Request { program, values, params, outputs, weights, .. } = request;
    let op = Operation::BindSum;
    let groups = program.program().groups();
    let is_of_polynomials = matches!(groups, [group] if group.kind == Kind::Ext);
    require!(is_of_polynomials, op, "a program of other groups than one of extension columns");
    require!(values.variables > 1, op, "{} variables: one is bound, and the sum leaves one", values.variables);
    right(op, &SumRequest { program, values: &[values], params, outputs, weights }, 1)
}
