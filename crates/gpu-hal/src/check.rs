//! Validation at the trait's edge: every backend calls these first, so that all refuse the same arguments in the same words.

use std::ops::Range;

use field::PrimeField;

use crate::{
    Basis, Columns, Constraints, DeepTerm, DeviceBuffer, DeviceTree, EvalOrder, GrindChallenge, HalError, HashFn,
    LeafLayout, Multiplier, OpenRequest, Protocol, Result, Running, StarkBackend,
};
use crate::{ConstraintProgram, Operation};

/// A table's buffer has as many elements as its shape says.
pub fn columns<Buf: DeviceBuffer>(op: Operation, columns: &Columns<&Buf>) -> Result<()> {
    shape(op, columns.data.len(), columns.width, columns.log_height)
}

fn shape(op: Operation, len: usize, width: usize, log_height: u32) -> Result<()> {
    let elements = 1usize.checked_shl(log_height).and_then(|height| height.checked_mul(width));
    if log_height >= usize::BITS || elements != Some(len) {
        return Err(HalError::invalid(
            op.name(),
            format!("{width} columns of 2^{log_height} rows do not make the {len} elements given"),
        ));
    }
    Ok(())
}

/// [`StarkBackend::upload`]: shape, and canonical elements.
pub fn upload<F: PrimeField>(data: &[F], width: usize, log_height: u32) -> Result<()> {
    let op = Operation::Upload;
    shape(op, data.len(), width, log_height)?;
    if let Some(at) = data.iter().position(|x| !x.is_canonical()) {
        return Err(HalError::invalid(
            op.name(),
            format!("element {at} is not canonical: reduce it modulo {}", F::ORDER),
        ));
    }
    Ok(())
}

/// [`StarkBackend::download`].
pub fn download<Buf: DeviceBuffer>(table: &Columns<&Buf>, rows: &Range<usize>) -> Result<()> {
    let op = Operation::Download;
    columns(op, table)?;
    if rows.start > rows.end || rows.end > table.height() {
        return Err(HalError::invalid(op.name(), format!("rows {rows:?} of a table of {} rows", table.height())));
    }
    Ok(())
}

fn domain<P: Protocol>(op: Operation, domain: &P::Domain) -> Result<()> {
    if !P::is_valid(domain) {
        return Err(HalError::invalid(
            op.name(),
            format!("no such domain: {domain:?}; its size must be one that the field has and its shift not zero"),
        ));
    }
    Ok(())
}

fn height<P: Protocol>(op: Operation, what: &str, log_height: u32, of: &P::Domain) -> Result<()> {
    domain::<P>(op, of)?;
    if log_height != P::log_size(of) {
        return Err(HalError::invalid(
            op.name(),
            format!("{what} has 2^{log_height} rows, its domain 2^{}", P::log_size(of)),
        ));
    }
    Ok(())
}

fn basis<P: Protocol>(op: Operation, log_height: u32, basis: &Basis<P::Domain>) -> Result<()> {
    match basis {
        Basis::Coefficients => Ok(()),
        Basis::Evaluations { domain, .. } => height::<P>(op, "the table", log_height, domain),
    }
}

/// [`StarkBackend::ntt`]: one side coefficients, the other evaluations on a domain of the table's size.
pub fn ntt<P: Protocol, Buf: DeviceBuffer>(
    table: &Columns<&Buf>,
    from: &Basis<P::Domain>,
    to: &Basis<P::Domain>,
) -> Result<()> {
    let op = Operation::Ntt;
    columns(op, table)?;
    basis::<P>(op, table.log_height, from)?;
    basis::<P>(op, table.log_height, to)?;
    if matches!(from, Basis::Coefficients) == matches!(to, Basis::Coefficients) {
        return Err(HalError::invalid(
            op.name(),
            "a transform goes from coefficients to evaluations or back; use lde to change the domain",
        ));
    }
    Ok(())
}

/// [`StarkBackend::lde`].
pub fn lde<P: Protocol, Buf: DeviceBuffer>(
    table: &Columns<&Buf>,
    from: &Basis<P::Domain>,
    to: &P::Domain,
) -> Result<()> {
    let op = Operation::Lde;
    columns(op, table)?;
    basis::<P>(op, table.log_height, from)?;
    domain::<P>(op, to)?;
    if P::log_size(to) < table.log_height {
        return Err(HalError::invalid(
            op.name(),
            format!("a domain of 2^{} points is smaller than the 2^{} rows", P::log_size(to), table.log_height),
        ));
    }
    Ok(())
}

/// [`StarkBackend::split`].
pub fn split<P: Protocol, Buf: DeviceBuffer>(table: &Columns<&Buf>, parts: usize, log_part: u32) -> Result<()> {
    let op = Operation::Split;
    columns(op, table)?;
    let rows = 1usize.checked_shl(log_part).and_then(|part| part.checked_mul(parts));
    if parts == 0 || rows.is_none_or(|rows| rows > table.height()) {
        return Err(HalError::invalid(
            op.name(),
            format!("{parts} parts of 2^{log_part} coefficients out of 2^{}", table.log_height),
        ));
    }
    extension_width::<P>(op, table.width)
}

fn extension_width<P: Protocol>(op: Operation, width: usize) -> Result<()> {
    if width == 0 || !width.is_multiple_of(P::DEGREE) {
        return Err(HalError::invalid(
            op.name(),
            format!("{width} base columns are not whole extension columns of {} each", P::DEGREE),
        ));
    }
    Ok(())
}

/// [`StarkBackend::merkle`]: tables of one height, at least one leaf, a hash that the backend has.
pub fn merkle<Buf: DeviceBuffer>(
    tables: &[Columns<&Buf>],
    layout: LeafLayout,
    hash: HashFn,
    hashes: &[HashFn],
) -> Result<()> {
    let op = Operation::Merkle;
    tables.iter().try_for_each(|table| columns(op, table))?;
    if !hashes.contains(&hash) {
        return Err(HalError::unsupported(op.name(), format!("{hash}; this backend has {hashes:?}")));
    }
    if ![1, 2, 4].contains(&layout.rows_per_leaf) {
        return Err(HalError::invalid(op.name(), format!("{} rows a leaf: 1, 2 or 4", layout.rows_per_leaf)));
    }
    let Some(first) = tables.first() else {
        return Err(HalError::invalid(op.name(), "no table to commit to"));
    };
    if let Some(other) = tables.iter().find(|table| table.log_height != first.log_height) {
        return Err(HalError::invalid(
            op.name(),
            format!("tables of 2^{} and of 2^{} rows in one tree", first.log_height, other.log_height),
        ));
    }
    if first.height() < layout.rows_per_leaf {
        return Err(HalError::invalid(op.name(), "fewer rows than one leaf takes"));
    }
    Ok(())
}

/// [`StarkBackend::open`]: row and leaf numbers.
pub fn open<B: StarkBackend>(requests: &[OpenRequest<'_, B>]) -> Result<()> {
    let op = Operation::Open;
    for request in requests {
        request.columns.iter().try_for_each(|table| columns(op, table))?;
        let leaves = 1usize << request.tree.log_leaves();
        if let Some(leaf) = request.leaves.iter().find(|&&leaf| leaf >= leaves) {
            return Err(HalError::invalid(op.name(), format!("leaf {leaf} of a tree of {leaves} leaves")));
        }
        let rows = request.columns.iter().map(|table| table.height()).min();
        if let Some(row) = request.rows.iter().find(|&&row| rows.is_none_or(|rows| row >= rows)) {
            return Err(HalError::invalid(op.name(), format!("row {row} of tables of {} rows", rows.unwrap_or(0))));
        }
    }
    Ok(())
}

fn inputs<P: Protocol, Buf: DeviceBuffer>(
    op: Operation,
    program: &ConstraintProgram<P>,
    tables: &[Columns<&Buf>],
    params: usize,
    log_height: u32,
) -> Result<()> {
    if tables.len() != program.groups().len() {
        return Err(HalError::invalid(
            op.name(),
            format!("{} tables for a program of {} groups", tables.len(), program.groups().len()),
        ));
    }
    for (index, table) in tables.iter().enumerate() {
        columns(op, table)?;
        if table.width != program.base_width(index) {
            return Err(HalError::invalid(
                op.name(),
                format!("group {index} has {} base columns, its table {}", program.base_width(index), table.width),
            ));
        }
        if table.log_height > log_height {
            return Err(HalError::invalid(
                op.name(),
                format!("the table of group {index} has 2^{} rows, the domain 2^{log_height}", table.log_height),
            ));
        }
    }
    if params != program.params() {
        return Err(HalError::invalid(op.name(), format!("{params} parameters for a program of {}", program.params())));
    }
    Ok(())
}

fn output(op: Operation, outputs: usize, index: usize) -> Result<()> {
    if index >= outputs {
        return Err(HalError::invalid(op.name(), format!("output {index} of a program of {outputs} outputs")));
    }
    Ok(())
}

/// [`StarkBackend::running`]; `program` is what was given to `prepare`.
pub fn running<B: StarkBackend>(program: &ConstraintProgram<B::P>, args: &Running<'_, B>) -> Result<()> {
    let op = Operation::Running;
    // No table need have this height, so it is checked on its own: the result's bytes must be countable.
    let extension = std::mem::size_of::<<B::P as Protocol>::Ext>();
    let bytes =
        1usize.checked_shl(args.log_height).and_then(|height| height.checked_mul(args.running.len() * extension));
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(HalError::invalid(
            op.name(),
            format!("{} columns of 2^{} rows are more than an address can reach", args.running.len(), args.log_height),
        ));
    }
    inputs(op, program, args.columns, args.params.len(), args.log_height)?;
    for column in args.running {
        output(op, program.outputs().len(), column.numerator)?;
        output(op, program.outputs().len(), column.denominator)?;
    }
    if args.running.is_empty() {
        return Err(HalError::invalid(op.name(), "no column to build"));
    }
    Ok(())
}

/// [`StarkBackend::constraint_eval`]; `program` is what was given to `prepare`.
pub fn constraint_eval<B: StarkBackend>(program: &ConstraintProgram<B::P>, args: &Constraints<'_, B>) -> Result<()> {
    let op = Operation::ConstraintEval;
    domain::<B::P>(op, &args.domain)?;
    let log_size = B::P::log_size(&args.domain);
    inputs(op, program, args.columns, args.params.len(), log_size)?;
    if !(args.log_trace <= args.log_eval && args.log_eval <= log_size) {
        return Err(HalError::invalid(
            op.name(),
            format!("trace 2^{}, evaluation 2^{}, domain 2^{log_size}: must not fall", args.log_trace, args.log_eval),
        ));
    }
    // The prefix of a lower table must still be a whole number of periods.
    if let Some(table) = args.columns.iter().find(|table| table.log_height < log_size - args.log_trace) {
        return Err(HalError::invalid(
            op.name(),
            format!("a table of 2^{} rows is lower than the blowup 2^{}", table.log_height, log_size - args.log_trace),
        ));
    }
    for group in &args.combination.groups {
        for (index, _) in &group.terms {
            output(op, program.outputs().len(), *index)?;
        }
        multiplier::<B>(op, &group.multiplier, args)?;
    }
    Ok(())
}

fn multiplier<B: StarkBackend>(
    op: Operation,
    multiplier: &Multiplier<<B::P as Protocol>::Base>,
    args: &Constraints<'_, B>,
) -> Result<()> {
    if let Some(factor) = multiplier.factors.iter().find(|factor| factor.log_power > args.log_trace) {
        return Err(HalError::invalid(
            op.name(),
            format!("a factor of power 2^{} above the trace length 2^{}", factor.log_power, args.log_trace),
        ));
    }
    if let Some((group, column)) = multiplier.column
        && args.columns.get(group).is_none_or(|table| column >= table.width)
    {
        return Err(HalError::invalid(
            op.name(),
            format!("multiplier column {column} of group {group} does not exist"),
        ));
    }
    Ok(())
}

/// [`StarkBackend::select`].
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

/// [`StarkBackend::eval_at`].
pub fn eval_at<P: Protocol, Buf: DeviceBuffer>(table: &Columns<&Buf>, from: &Basis<P::Domain>) -> Result<()> {
    let op = Operation::EvalAt;
    columns(op, table)?;
    match from {
        Basis::Evaluations { domain: of, order: EvalOrder::Storage } if P::log_size(of) < table.log_height => {
            domain::<P>(op, of)
        }
        _ => basis::<P>(op, table.log_height, from),
    }
}

/// [`StarkBackend::deep_quotient`].
pub fn deep_quotient<P: Protocol, Buf: DeviceBuffer>(
    tables: &[Columns<&Buf>],
    of: &P::Domain,
    terms: &[DeepTerm<P>],
) -> Result<()> {
    let op = Operation::DeepQuotient;
    for table in tables {
        columns(op, table)?;
        height::<P>(op, "a table", table.log_height, of)?;
    }
    domain::<P>(op, of)?;
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

/// [`StarkBackend::fri_fold`]: one extension column on a domain of at least two points.
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
    P::folded(of).ok_or_else(|| HalError::invalid(op.name(), "a single point cannot be folded"))
}

/// [`StarkBackend::grind`].
pub fn grind(challenge: &GrindChallenge) -> Result<()> {
    if challenge.bits > 64 {
        return Err(HalError::invalid(Operation::Grind.name(), format!("{} bits: a nonce has 64", challenge.bits)));
    }
    Ok(())
}
