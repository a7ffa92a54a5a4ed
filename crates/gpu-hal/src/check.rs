//! Validation at the front: the parts that several operations ([`crate::op::Op::check`]) have in common, so that all
//! backends refuse the same arguments in the same words.

use alloc::format;

use field::PrimeField;

use crate::ir::Kind;
use crate::{
    Basis, Columns, ConstraintProgram, DeviceBuffer, DeviceTree, Domain, EvalOrder, HalError, OpenRequest, Operation,
    Protocol, Result, Types,
};

/// Most counts of a call of [`crate::StarkBackend::rows`]: below the order of every field, and below 2^31.
pub const MAX_COUNTED: usize = (1 << 31) - 2;

/// Returns [`crate::ErrorKind::InvalidArgument`] of an operation unless something is so.
macro_rules! require {
    ($is_so:expr, $op:expr, $($detail:tt)+) => {
        if !$is_so {
            return Err(HalError::invalid($op, format!($($detail)+)));
        }
    };
}

pub(crate) use require;

/// A table's buffer has as many elements as its shape says.
pub fn columns<Buf: DeviceBuffer>(op: Operation, columns: &Columns<&Buf>) -> Result<()> {
    shape(op, columns.data.len(), columns.width, columns.log_height)
}

/// As many elements as a shape says.
pub fn shape(op: Operation, len: usize, width: usize, log_height: u32) -> Result<()> {
    let elements = 1usize.checked_shl(log_height).and_then(|height| height.checked_mul(width));
    let is_shape = log_height < usize::BITS && elements == Some(len);
    require!(is_shape, op, "{width} columns of 2^{log_height} rows do not make the {len} elements given");
    Ok(())
}

/// As many elements as the host can count.
pub(crate) fn made(op: Operation, width: usize, log_height: u32) -> Result<()> {
    let elements = 1usize.checked_shl(log_height).and_then(|height| height.checked_mul(width));
    let is_countable = elements.is_some_and(|elements| elements <= isize::MAX as usize / size_of::<u64>());
    require!(is_countable, op, "{width} columns of 2^{log_height} rows are more than a host has");
    Ok(())
}

/// Elements, slice after slice, that must be canonical: a backend calls this in `upload` and `upload_lde`, unless it
/// looks at elements on their way to the device.
pub fn canonical<F: PrimeField>(op: Operation, slices: &[&[F]]) -> Result<()> {
    match slices.iter().copied().flatten().position(|x| !x.is_canonical()) {
        Some(at) => {
            let detail = format!("element {at} is not canonical: reduce it modulo {}", F::ORDER);
            Err(HalError::invalid(op, detail))
        }
        None => Ok(()),
    }
}

pub(crate) fn domain<P: Protocol>(op: Operation, domain: &P::Domain) -> Result<()> {
    let is_one = domain.is_valid();
    require!(is_one, op, "no such domain: {domain:?}; its size must be one that the field has and its shift not zero");
    Ok(())
}

pub(crate) fn height<P: Protocol>(op: Operation, what: &str, log_height: u32, of: &P::Domain) -> Result<()> {
    domain::<P>(op, of)?;
    let log_size = of.log_size();
    require!(log_height == log_size, op, "{what} has 2^{log_height} rows, its domain 2^{log_size}");
    Ok(())
}

pub(crate) fn basis<P: Protocol>(op: Operation, log_height: u32, basis: &Basis<P::Domain>) -> Result<()> {
    if let Basis::Evaluations { domain, order } = basis {
        height::<P>(op, "the table", log_height, domain)?;
        let has_order = *order == EvalOrder::Storage || domain.log_whole() == log_height;
        require!(has_order, op, "rows have an order on a whole domain, not on a prefix of one");
    }
    Ok(())
}

pub(crate) fn extension<P: Protocol>(
    op: Operation,
    log_height: u32,
    from: &Basis<P::Domain>,
    to: &P::Domain,
) -> Result<()> {
    basis::<P>(op, log_height, from)?;
    domain::<P>(op, to)?;
    let log_to = to.log_size();
    require!(log_to >= log_height, op, "a domain of 2^{log_to} points is smaller than the 2^{log_height} rows");
    if let Basis::Evaluations { domain, .. } = from {
        let is_same = domain.same_basis(to);
        require!(is_same, op, "polynomials on {domain:?} are not polynomials on {to:?}; use domains of one kind");
    }
    Ok(())
}

/// Log2 of the number of rows that [`OpenRequest::rows`] counts: the rows of the highest table, or the tree's leaves.
pub fn open_log_rows<T: Types>(request: &OpenRequest<'_, T>) -> u32 {
    request.columns.iter().map(|table| table.log_height).fold(request.tree.log_leaves(), u32::max)
}

pub(crate) fn inputs<P: Protocol, Buf: DeviceBuffer>(
    op: Operation,
    program: &ConstraintProgram<P>,
    tables: &[Columns<&Buf>],
    params: usize,
    log_height: u32,
) -> Result<()> {
    let (count, groups) = (tables.len(), program.groups().len());
    require!(count == groups, op, "{count} tables for a program of {groups} groups");
    for (index, table) in tables.iter().enumerate() {
        columns(op, table)?;
        let (width, log_table, base_width) = (table.width, table.log_height, program.base_width(index));
        require!(width == base_width, op, "group {index} has {base_width} base columns, its table {width}");
        let is_in = log_table <= log_height;
        require!(is_in, op, "the table of group {index} has 2^{log_table} rows, the domain 2^{log_height}");
    }
    require!(params == program.params(), op, "{params} parameters for a program of {}", program.params());
    Ok(())
}

pub(crate) fn output(op: Operation, outputs: usize, index: usize) -> Result<()> {
    require!(index < outputs, op, "output {index} of a program of {outputs} outputs");
    Ok(())
}

/// No table need have this height, so it is checked on its own: the result's bytes must be countable.
pub(crate) fn countable<T>(op: Operation, width: usize, log_height: u32) -> Result<()> {
    let bytes = 1usize.checked_shl(log_height).and_then(|height| height.checked_mul(width * size_of::<T>()));
    let is_countable = bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok());
    require!(is_countable, op, "{width} columns of 2^{log_height} rows are more than an address can reach");
    Ok(())
}

pub(crate) fn base_output<P: Protocol>(op: Operation, program: &ConstraintProgram<P>, index: usize) -> Result<()> {
    output(op, program.outputs().len(), index)?;
    let kind = program.nodes()[program.outputs()[index].index()].kind;
    require!(kind == Kind::Base, op, "output {index} is no base value");
    Ok(())
}
