//! Validation at the front: [`crate::StarkBackend`] calls these before every operation, so that all backends refuse the same arguments
//! in the same words.

mod programs;
mod rows;

use alloc::format;
use core::ops::Range;

use field::{Field, PrimeField};
pub use programs::*;
pub use rows::*;

use crate::{
    Basis, Columns, DeepTerm, DeviceBuffer, DeviceTree, Domain, EvalAt, EvalOrder, GrindChallenge, HalError, HashFn,
    LeafLayout, Leaves, OpenRequest, Operation, Protocol, Result, Types,
};

/// A table's buffer has as many elements as its shape says.
pub fn columns<Buf: DeviceBuffer>(op: Operation, columns: &Columns<&Buf>) -> Result<()> {
    shape(op, columns.data.len(), columns.width, columns.log_height)
}

/// As many elements as a shape says.
pub fn shape(op: Operation, len: usize, width: usize, log_height: u32) -> Result<()> {
    let elements = 1usize.checked_shl(log_height).and_then(|height| height.checked_mul(width));
    if log_height >= usize::BITS || elements != Some(len) {
        return Err(HalError::invalid(
            op.name(),
            format!("{width} columns of 2^{log_height} rows do not make the {len} elements given"),
        ));
    }
    Ok(())
}

/// As many elements as the host can count.
pub fn made(op: Operation, width: usize, log_height: u32) -> Result<()> {
    let elements = 1usize.checked_shl(log_height).and_then(|height| height.checked_mul(width));
    if elements.is_some_and(|elements| elements <= isize::MAX as usize / size_of::<u64>()) {
        return Ok(());
    }
    Err(HalError::invalid(op.name(), format!("{width} columns of 2^{log_height} rows are more than a host has")))
}

/// Elements, slice after slice, that must be canonical: what a backend calls in `upload` and `upload_lde`, unless it looks at
/// elements on their way to the device.
pub fn canonical<F: PrimeField>(op: Operation, slices: &[&[F]]) -> Result<()> {
    match slices.iter().copied().flatten().position(|x| !x.is_canonical()) {
        Some(at) => {
            let detail = format!("element {at} is not canonical: reduce it modulo {}", F::ORDER);
            Err(HalError::invalid(op.name(), detail))
        }
        None => Ok(()),
    }
}

/// [`crate::StarkBackend::download`].
pub fn download<Buf: DeviceBuffer>(table: &Columns<&Buf>, rows: &Range<usize>) -> Result<()> {
    let op = Operation::Download;
    columns(op, table)?;
    if rows.start > rows.end || rows.end > table.height() {
        return Err(HalError::invalid(op.name(), format!("rows {rows:?} of a table of {} rows", table.height())));
    }
    Ok(())
}

fn domain<P: Protocol>(op: Operation, domain: &P::Domain) -> Result<()> {
    if !domain.is_valid() {
        return Err(HalError::invalid(
            op.name(),
            format!("no such domain: {domain:?}; its size must be one that the field has and its shift not zero"),
        ));
    }
    Ok(())
}

fn height<P: Protocol>(op: Operation, what: &str, log_height: u32, of: &P::Domain) -> Result<()> {
    domain::<P>(op, of)?;
    if log_height != of.log_size() {
        return Err(HalError::invalid(
            op.name(),
            format!("{what} has 2^{log_height} rows, its domain 2^{}", of.log_size()),
        ));
    }
    Ok(())
}

fn basis<P: Protocol>(op: Operation, log_height: u32, basis: &Basis<P::Domain>) -> Result<()> {
    match basis {
        Basis::Coefficients => Ok(()),
        Basis::Evaluations { domain, order } => {
            height::<P>(op, "the table", log_height, domain)?;
            if *order == EvalOrder::Row && domain.log_whole() != log_height {
                return Err(HalError::invalid(
                    op.name(),
                    "rows have an order on a whole domain, not on a prefix of one",
                ));
            }
            Ok(())
        }
    }
}

/// [`crate::StarkBackend::ntt`]: one side coefficients, the other evaluations on a domain of the table's size.
pub fn ntt<P: Protocol, Buf: DeviceBuffer>(
    table: &Columns<&Buf>,
    from: &Basis<P::Domain>,
    to: &Basis<P::Domain>,
) -> Result<()> {
    let op = Operation::Ntt;
    columns(op, table)?;
    basis::<P>(op, table.log_height, from)?;
    basis::<P>(op, table.log_height, to)?;
    let allowed = match (from, to) {
        (Basis::Coefficients, to) => !matches!(to, Basis::Coefficients),
        (_, Basis::Coefficients) => true,
        (Basis::Evaluations { domain, order }, Basis::Evaluations { domain: same, order: to }) => {
            domain == same && (*order, *to) == (EvalOrder::Storage, EvalOrder::Row)
        }
    };
    if !allowed {
        return Err(HalError::invalid(
            op.name(),
            "a transform goes from coefficients to evaluations or back, or from storage order to rows; use lde to change the domain",
        ));
    }
    Ok(())
}

/// [`crate::StarkBackend::lde`].
pub fn lde<P: Protocol, Buf: DeviceBuffer>(
    table: &Columns<&Buf>,
    from: &Basis<P::Domain>,
    to: &P::Domain,
) -> Result<()> {
    let op = Operation::Lde;
    columns(op, table)?;
    extension::<P>(op, table.log_height, from, to)
}

fn extension<P: Protocol>(op: Operation, log_height: u32, from: &Basis<P::Domain>, to: &P::Domain) -> Result<()> {
    basis::<P>(op, log_height, from)?;
    domain::<P>(op, to)?;
    if to.log_size() < log_height {
        return Err(HalError::invalid(
            op.name(),
            format!("a domain of 2^{} points is smaller than the 2^{log_height} rows", to.log_size()),
        ));
    }
    if let Basis::Evaluations { domain, .. } = from
        && !domain.same_basis(to)
    {
        let detail = format!("polynomials on {domain:?} are not polynomials on {to:?}; use domains of one kind");
        return Err(HalError::invalid(op.name(), detail));
    }
    Ok(())
}

/// [`crate::StarkBackend::upload_lde`], but for what the elements are: that is looked at on their way.
pub fn upload_lde<P: Protocol>(
    columns: &[&[P::Base]],
    log_height: u32,
    from: &Basis<P::Domain>,
    to: &P::Domain,
) -> Result<()> {
    let op = Operation::UploadLde;
    let height = 1usize.checked_shl(log_height);
    if let Some((at, column)) = columns.iter().enumerate().find(|(_, column)| Some(column.len()) != height) {
        let detail = format!("column {at} has {} elements, not 2^{log_height}", column.len());
        return Err(HalError::invalid(op.name(), detail));
    }
    extension::<P>(op, log_height, from, to)
}

/// [`crate::StarkBackend::split`].
pub fn split<Buf: DeviceBuffer>(table: &Columns<&Buf>, parts: usize, log_part: u32) -> Result<()> {
    let op = Operation::Split;
    columns(op, table)?;
    let rows = 1usize.checked_shl(log_part).and_then(|part| part.checked_mul(parts));
    if parts == 0 || rows.is_none_or(|rows| rows > table.height()) {
        return Err(HalError::invalid(
            op.name(),
            format!("{parts} parts of 2^{log_part} coefficients out of 2^{}", table.log_height),
        ));
    }
    if table.width == 0 {
        return Err(HalError::invalid(op.name(), "no column to split"));
    }
    Ok(())
}

/// [`crate::StarkBackend::merkle`]: tables of one height or such as can be lifted, at least one leaf, a hash that the backend has.
/// Returns the leaves.
pub fn merkle<P: Protocol, Buf: DeviceBuffer>(
    tables: &[Columns<&Buf>],
    layout: LeafLayout,
    hash: HashFn,
    hashes: &[HashFn],
) -> Result<Leaves> {
    let op = Operation::Merkle;
    tables.iter().try_for_each(|table| columns(op, table))?;
    if !hashes.contains(&hash) {
        return Err(HalError::unsupported(op.name(), format!("{hash}; this backend has {hashes:?}")));
    }
    if ![1, 2, 4].contains(&layout.rows_per_leaf) {
        return Err(HalError::invalid(op.name(), format!("{} rows a leaf: 1, 2 or 4", layout.rows_per_leaf)));
    }
    let Some(highest) = tables.iter().map(|table| table.log_height).max() else {
        return Err(HalError::invalid(op.name(), "no table to commit to"));
    };
    let log_height = layout.log_height.unwrap_or(highest);
    let lowest = tables.iter().map(|table| table.log_height).min().unwrap_or(highest);
    if highest > log_height || log_height >= usize::BITS {
        return Err(HalError::invalid(op.name(), format!("a table of 2^{highest} rows in a tree of 2^{log_height}")));
    }
    // A lift keeps the last bit of the index, so that even the lowest table must have two rows.
    if lowest != log_height && !(P::LIFTS && layout.rows_per_leaf == 1 && lowest > 0) {
        return Err(HalError::invalid(
            op.name(),
            format!("tables of 2^{lowest} and of 2^{log_height} rows in one tree, where they must have one height"),
        ));
    }
    if layout.rows_per_leaf > 1 << log_height {
        return Err(HalError::invalid(op.name(), "fewer rows than one leaf takes"));
    }
    Ok(Leaves { rows_per_leaf: layout.rows_per_leaf, log_height })
}

/// [`crate::StarkBackend::open`]: row and leaf numbers.
pub fn open<T: Types>(requests: &[OpenRequest<'_, T>]) -> Result<()> {
    let op = Operation::Open;
    for request in requests {
        request.columns.iter().try_for_each(|table| columns(op, table))?;
        let leaves = 1usize << request.tree.log_leaves();
        if let Some(leaf) = request.leaves.iter().find(|&&leaf| leaf >= leaves) {
            return Err(HalError::invalid(op.name(), format!("leaf {leaf} of a tree of {leaves} leaves")));
        }
        let log_rows = open_log_rows(request);
        if let (Some(row), true) = (request.rows.first(), request.columns.is_empty()) {
            return Err(HalError::invalid(op.name(), format!("row {row} of no table")));
        }
        if let Some(row) = request.rows.iter().find(|&&row| row >> log_rows != 0) {
            return Err(HalError::invalid(op.name(), format!("row {row} of tables of 2^{log_rows} rows")));
        }
        let lowest = request.columns.iter().map(|table| table.log_height).min().unwrap_or(log_rows);
        if lowest != log_rows && !(T::P::LIFTS && lowest > 0) {
            return Err(HalError::invalid(
                op.name(),
                format!("a table of 2^{lowest} rows opened at rows of 2^{log_rows}, where all must have one height"),
            ));
        }
    }
    Ok(())
}

/// Log2 of the number of rows that [`OpenRequest::rows`] counts: those of the highest table, or the tree's leaves.
pub fn open_log_rows<T: Types>(request: &OpenRequest<'_, T>) -> u32 {
    request.columns.iter().map(|table| table.log_height).fold(request.tree.log_leaves(), u32::max)
}

/// [`crate::StarkBackend::accumulate`]: one width, the summand not higher.
pub fn accumulate<P: Protocol, Buf: DeviceBuffer>(into: &Columns<&Buf>, from: &Columns<&Buf>) -> Result<()> {
    let op = Operation::Accumulate;
    columns(op, into)?;
    columns(op, from)?;
    if into.width != from.width {
        return Err(HalError::invalid(op.name(), format!("{} columns added to {}", from.width, into.width)));
    }
    // A circle's lift keeps the last bit of the index.
    let lifts = !P::LIFTS || from.log_height > 0 || into.log_height == 0;
    if from.log_height > into.log_height || !lifts {
        return Err(HalError::invalid(
            op.name(),
            format!("2^{} rows cannot be lifted to 2^{}", from.log_height, into.log_height),
        ));
    }
    Ok(())
}

/// [`crate::StarkBackend::select`].
pub fn select<Buf: DeviceBuffer>(tables: &[Columns<&Buf>], picks: &[(usize, usize)]) -> Result<()> {
    let op = Operation::Select;
    tables.iter().try_for_each(|table| columns(op, table))?;
    if tables.windows(2).any(|pair| pair[0].log_height != pair[1].log_height) {
        return Err(HalError::invalid(op.name(), "tables of different heights"));
    }
    if picks.is_empty() {
        return Err(HalError::invalid(op.name(), "no column picked"));
    }
    if let Some((table, column)) = picks.iter().find(|(t, c)| tables.get(*t).is_none_or(|t| *c >= t.width)) {
        return Err(HalError::invalid(op.name(), format!("column {column} of table {table} does not exist")));
    }
    Ok(())
}

/// One request of [`crate::StarkBackend::eval_at`].
pub fn eval_at<T: Types>(request: &EvalAt<'_, T>) -> Result<()> {
    let (op, table) = (Operation::EvalAt, &request.columns);
    columns(op, table)?;
    match &request.from {
        Basis::Evaluations { domain: of, order: EvalOrder::Storage } if of.log_size() < table.log_height => {
            domain::<T::P>(op, of)
        }
        from => basis::<T::P>(op, table.log_height, from),
    }
}

/// [`crate::StarkBackend::deep_quotient`].
pub fn deep_quotient<P: Protocol, Buf: DeviceBuffer>(
    tables: &[Columns<&Buf>],
    of: &P::Domain,
    terms: &[DeepTerm<P>],
) -> Result<()> {
    let op = Operation::DeepQuotient;
    domain::<P>(op, of)?;
    for table in tables {
        columns(op, table)?;
        if !P::LIFTS {
            height::<P>(op, "a table", table.log_height, of)?;
        } else if !(1..=of.log_whole()).contains(&table.log_height) {
            return Err(HalError::invalid(
                op.name(),
                format!("2^{} rows cannot be lifted to 2^{}", table.log_height, of.log_whole()),
            ));
        }
    }
    if !P::LIFTS && terms.iter().any(|term| !term.slope.is_zero()) {
        return Err(HalError::invalid(op.name(), "a slope is for circle domains: it is zero on a coset"));
    }
    for (table, column, _) in terms.iter().flat_map(|term| &term.weights) {
        if tables.get(*table).is_none_or(|t| *column >= t.width) {
            return Err(HalError::invalid(
                op.name(),
                format!("weight for column {column} of table {table}, not given"),
            ));
        }
    }
    Ok(())
}

/// [`crate::StarkBackend::fri_fold`]: one extension column on a domain of at least two points.
pub fn fri_fold<P: Protocol, Buf: DeviceBuffer>(layer: &Columns<&Buf>, of: &P::Domain) -> Result<P::Domain> {
    let op = Operation::FriFold;
    columns(op, layer)?;
    height::<P>(op, "the layer", layer.log_height, of)?;
    if layer.width != P::DEGREE {
        return Err(HalError::invalid(
            op.name(),
            format!("a layer is one extension column of {} base columns, not {}", P::DEGREE, layer.width),
        ));
    }
    of.folded().ok_or_else(|| HalError::invalid(op.name(), "a single point cannot be folded"))
}

/// [`crate::StarkBackend::grind_within`].
pub fn grind<P: Protocol>(challenge: &GrindChallenge, windows: &Range<u64>) -> Result<()> {
    if challenge.bits > 64 {
        return Err(HalError::invalid(Operation::Grind.name(), format!("{} bits: a nonce has 64", challenge.bits)));
    }
    if windows.start > windows.end || windows.end > P::WINDOWS {
        let detail = format!("windows {} to {} of the {} that there are", windows.start, windows.end, P::WINDOWS);
        return Err(HalError::invalid(Operation::Grind.name(), detail));
    }
    Ok(())
}
