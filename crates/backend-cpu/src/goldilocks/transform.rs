//! Transforms of Goldilocks columns, in the words of the trait.

use field::{Field, Goldilocks, bit_reverse};
use gpu_hal::{Basis, Columns, CosetDomain, ErrorKind, EvalOrder, HalError, Operation, Result};
use rayon::prelude::*;

use crate::goldilocks::ntt::{self, LdeInput, NttError};
use crate::memory::{CpuBuffer, Memory};
use crate::simd::SimdLevel;

type Domain = CosetDomain<Goldilocks>;

fn order(order: EvalOrder) -> ntt::EvalOrder {
    match order {
        EvalOrder::Row => ntt::EvalOrder::Natural,
        EvalOrder::Storage => ntt::EvalOrder::BitReversed,
    }
}

fn failed(op: Operation, error: NttError) -> HalError {
    HalError::new(ErrorKind::Backend, op, "a checked transform was refused").with_source(error)
}

/// In place, from one basis to the other; the arguments are checked.
pub(crate) fn ntt(
    level: SimdLevel,
    table: Columns<&mut CpuBuffer<Goldilocks>>,
    from: &Basis<Domain>,
    to: &Basis<Domain>,
) -> Result<()> {
    let (width, log_height) = (table.width, table.log_height);
    let values = table.data.values_mut();
    if let (Basis::Evaluations { .. }, Basis::Evaluations { .. }) = (from, to) {
        values.par_chunks_exact_mut(1 << log_height).for_each(bit_reverse_rows);
        return Ok(());
    }
    if let Basis::Evaluations { domain, order: rows } = from {
        ntt::inverse(level, values, width, log_height, domain.shift, order(*rows))
            .map_err(|error| failed(Operation::Ntt, error))?;
    }
    if let Basis::Evaluations { domain, order } = to {
        ntt::forward(level, values, width, log_height, domain.shift).map_err(|error| failed(Operation::Ntt, error))?;
        if *order == EvalOrder::Row {
            values.par_chunks_exact_mut(1 << log_height).for_each(bit_reverse_rows);
        }
    }
    Ok(())
}

fn bit_reverse_rows(column: &mut [Goldilocks]) {
    let bits = column.len().ilog2();
    for i in 0..column.len() {
        let j = bit_reverse(i, bits);
        if i < j {
            column.swap(i, j);
        }
    }
}

/// Whether an extension takes a table of coefficients: from another coset it goes by way of them.
pub(crate) fn takes_coefficients(from: &Basis<Domain>) -> bool {
    matches!(from, Basis::Evaluations { domain, .. } if domain.shift != Goldilocks::ONE)
}

/// Evaluations on `to`; the arguments are checked.
pub(crate) fn lde(
    memory: &Memory,
    level: SimdLevel,
    table: &Columns<&CpuBuffer<Goldilocks>>,
    from: &Basis<Domain>,
    to: &Domain,
) -> Result<Columns<CpuBuffer<Goldilocks>>> {
    let (width, log_height) = (table.width, table.log_height);
    let op = Operation::Lde;
    let extend = |input: LdeInput<'_>| {
        let mut result = memory.columns(op, width, to.log_size)?;
        let out = result.data.values_mut();
        ntt::lde(level, input, width, log_height, to.log_size - log_height, to.shift, out)
            .map_err(|error| failed(op, error))?;
        Ok(result)
    };
    match from {
        Basis::Coefficients => extend(LdeInput::Coefficients(table.data.values())),
        Basis::Evaluations { order: rows, .. } if !takes_coefficients(from) => {
            extend(LdeInput::Evaluations(table.data.values(), order(*rows)))
        }
        Basis::Evaluations { domain, order: rows } => {
            let mut coefficients = memory.columns(op, width, log_height)?;
            coefficients.data.values_mut().copy_from_slice(table.data.values());
            let values = coefficients.data.values_mut();
            ntt::inverse(level, values, width, log_height, domain.shift, order(*rows))
                .map_err(|error| failed(op, error))?;
            extend(LdeInput::Coefficients(coefficients.data.values()))
        }
    }
}
