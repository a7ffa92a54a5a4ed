//! Values at points outside the domain.

use super::cost::rows;
use super::*;
use crate::EvalOrder;

type Request<'a, T> = crate::EvalRequest<'a, T>;

op! {
    /// [`crate::StarkBackend::eval_at`].
    EvalAt(requests: &'a [Request<'a, T>]) -> PointValues;

    check(_) { requests.iter().try_for_each(request) }
    reads(on) {
        for request in *requests {
            on.table(&request.columns);
            on.basis(&request.from);
        }
    }
    makes(on) {
        let values = requests.iter().map(|request| request.columns.width * request.points.len()).sum();
        let mut made = Vec::with_capacity(requests.len());
        for request in *requests {
            let (table, points) = (request.columns.shape(), request.points.len());
            let log_size = log_size(request);
            on.beside(&Footprint::EvalAt { table, log_size, points, values });
            made.push(vec![vec![Default::default(); table.width]; on.zeros(points)]);
        }
        made
    }
    cost(request) {
        let (rows, width, degree) = (rows(log_size(request)), request.columns.width as f64, T::P::DEGREE as f64);
        let weights = rows * request.points.len() as f64;
        Cost {
            moved: rows * width,
            // A weight is x/(z - x), inverted in batches: three products and the one by x.
            products: weights * degree,
            ext_products: weights * 3.0,
            added_products: weights * width * degree,
            ..Cost::default()
        }
    }
    uploaded() { requests.iter().map(|request| size_of_val(request.points)).sum() }
    requests() {}
    through(on, see) {
        let mut seen: Vec<Request<'_, O::T>> = Vec::with_capacity(requests.len());
        for &Request { columns, from, points } in *requests {
            seen.push(Request { columns: see.table(columns)?, from, points });
        }
        on.eval_at(&seen)
    }
    run(on) { on.eval_at(requests) }
}

/// Log2 of the rows that are read.
fn log_size<T: Types>(request: &Request<'_, T>) -> u32 {
    request.from.domain().map_or(request.columns.log_height, Domain::log_size)
}

/// Whether one request is right.
fn request<T: Types>(request: &Request<'_, T>) -> Result<()> {
    let (op, table) = (Operation::EvalAt, &request.columns);
    columns(op, table)?;
    match &request.from {
        Basis::Evaluations { domain, order: EvalOrder::Storage } if domain.log_size() < table.log_height => {
            check::domain::<T::P>(op, domain)
        }
        from => check::basis::<T::P>(op, table.log_height, from),
    }
}
