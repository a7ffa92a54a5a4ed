//! Multipliers of groups of constraints on circles.

use field::{M31, PrimeField};
use gpu_hal::{CircleDomain, Factor, HalError, Operation, Result};

use super::factors::{factors, first_of, log_domain};
use super::kernels::Call;
use super::units;
use crate::call::{Entry, whole};
use crate::device::KernelDevice;
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::MultiplierTable;

/// Rows of a thread, as in the kernel.
const ROWS: u64 = 8;

/// Two a factor: log2 of its power, with bit 32 set for an inverse one, and its constant.
pub(super) fn factor_words(wanted: &[MultiplierTable<M31>]) -> Vec<u64> {
    let words = |f: &Factor<M31>| [u64::from(f.log_power) | u64::from(f.inverse) << 32, f.constant.as_u64()];
    wanted.iter().flat_map(|wanted| &wanted.factors).flat_map(words).collect()
}

pub(super) fn make<D: KernelDevice>(
    call: Call<'_, D>,
    (domain, log_eval): (&CircleDomain, u32),
    wanted: &[MultiplierTable<M31>],
    factor_words: &Block<D::Memory>,
    values: &Block<D::Memory>,
) -> Result<()> {
    if matches!(domain, CircleDomain::Line { .. }) {
        return Err(HalError::unsupported(Operation::ConstraintEval, "a line: constraints are on circles"));
    }
    let table = factors(call, domain)?;
    let mut first_factor = 0;
    for MultiplierTable { factors, log_shared, start, .. } in wanted {
        let count = 1u64 << log_eval.saturating_sub(*log_shared);
        let threads = count.div_ceil(ROWS);
        let params = Params::new()
            .u64(count)
            .u64(threads)
            .u64(*start)
            .u32(first_factor)
            .u32(factors.len() as u32)
            .u32(*log_shared)
            .u32(log_domain(domain))
            .u32(first_of(domain))
            .u32(0);
        let entry = Entry { unit: &units::MULTIPLIERS, name: "make_multipliers", defines: &[] };
        let buffers = [whole(factor_words), whole(&table.forward), whole(values)];
        call.launch_items(entry, threads, 1, &buffers, params)?;
        first_factor += factors.len() as u32;
    }
    Ok(())
}
