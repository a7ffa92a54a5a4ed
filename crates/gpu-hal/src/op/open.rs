//! Rows and paths.

use super::*;
use crate::{Digest, OpenRequest, Opened};

op! {
    /// [`crate::StarkBackend::open`].
    Open(requests: &'a [OpenRequest<'a, T>]) -> Openings;

    check(_) { requests.iter().try_for_each(request) }
    reads(on) {
        for request in *requests {
            on.tables(request.columns);
            on.tree(request.tree);
        }
    }
    size() { Size::default() }
    makes(on) {
        on.beside(&crate::OpenSizes::of(requests).footprint());
        let opened = requests.iter().map(|request| Opened {
            rows: vec![vec![Default::default(); request.width()]; on.zeros(request.rows.len())],
            paths: vec![vec![Digest::default(); request.tree.log_leaves() as usize]; on.zeros(request.leaves.len())],
        });
        opened.collect()
    }
    uploaded() { requests.iter().map(|request| size_of_val(request.rows) + size_of_val(request.leaves)).sum() }
    requests() {}
    through(on, see) {
        let tables = requests.iter().map(|request| see.tables(request.columns)).collect::<Result<Vec<_>>>()?;
        let mut seen: Vec<OpenRequest<'_, O::T>> = Vec::with_capacity(requests.len());
        for (&OpenRequest { tree, rows, leaves, .. }, columns) in requests.iter().zip(&tables) {
            seen.push(OpenRequest { columns, tree: see.tree(tree)?, rows, leaves });
        }
        on.open(&seen)
    }
    run(on) { on.open(requests) }
}

/// Whether the row and leaf numbers of one request are right.
fn request<T: Types>(request: &OpenRequest<'_, T>) -> Result<()> {
    let op = Operation::Open;
    request.columns.iter().try_for_each(|table| columns(op, table))?;
    let (leaves, log_rows) = (1usize << request.tree.log_leaves(), check::open_log_rows(request));
    for &leaf in request.leaves {
        require!(leaf < leaves, op, "leaf {leaf} of a tree of {leaves} leaves");
    }
    for &row in request.rows {
        require!(!request.columns.is_empty(), op, "row {row} of no table");
        require!(row >> log_rows == 0, op, "row {row} of tables of 2^{log_rows} rows");
    }
    for &Columns { log_height, .. } in request.columns {
        let is_lifted = log_height == log_rows || (DomainOf::<T>::LIFTS && log_height > 0);
        let rows = "where all must have one height";
        require!(is_lifted, op, "a table of 2^{log_height} rows opened at rows of 2^{log_rows}, {rows}");
    }
    Ok(())
}
