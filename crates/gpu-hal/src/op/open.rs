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
        on.moves(Self::NAME, 0, 0);
        on.beside(&crate::Openings::of(requests).footprint());
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
    let invalid = |detail| Err(HalError::invalid(op, detail));
    request.columns.iter().try_for_each(|table| columns(op, table))?;
    let leaves = 1usize << request.tree.log_leaves();
    if let Some(leaf) = request.leaves.iter().find(|&&leaf| leaf >= leaves) {
        return invalid(format!("leaf {leaf} of a tree of {leaves} leaves"));
    }
    let log_rows = check::open_log_rows(request);
    if let (Some(row), true) = (request.rows.first(), request.columns.is_empty()) {
        return invalid(format!("row {row} of no table"));
    }
    if let Some(row) = request.rows.iter().find(|&&row| row >> log_rows != 0) {
        return invalid(format!("row {row} of tables of 2^{log_rows} rows"));
    }
    let lowest = request.columns.iter().map(|table| table.log_height).min().unwrap_or(log_rows);
    if lowest != log_rows && !(T::P::LIFTS && lowest > 0) {
        return invalid(format!(
            "a table of 2^{lowest} rows opened at rows of 2^{log_rows}, where all must have one height"
        ));
    }
    Ok(())
}
