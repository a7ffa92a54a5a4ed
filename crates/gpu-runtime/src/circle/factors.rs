//! Factors of the layers of transforms on the device, which the points of all domains are made of.

use std::sync::Arc;

use field::M31;
use field::circle::{CirclePoint, LOG_CIRCLE_ORDER};
use gpu_hal::{CircleDomain, Domain, Result};

use super::kernels::Call;
use super::units;
use crate::cache::Factors;
use crate::call::{Entry, whole};
use crate::device::KernelDevice;
use crate::params::Params;

/// Log2 of the entries of each table that domains take which are part of a canonic one, or of a line, of `2^log_domain`
/// points: all T_m with m < log_domain, which a circle needs one less of.
fn log_entries(log_domain: u32) -> u32 {
    log_domain.max(1)
}

/// Log2 of the entries of each table that parts of canonic domains of `2^log_domain` points take, and lines of half as
/// many.
pub(super) fn canonic_log_entries(log_domain: u32) -> u32 {
    log_entries(log_domain.saturating_sub(1))
}

/// Words of one table.
pub(super) fn table_words(log_entries: u32) -> u64 {
    (1u64 << log_entries).div_ceil(2)
}

/// Log2 of the points of the canonic domain that a domain is part of, or of a line, as kernels take it.
pub(super) fn log_domain(domain: &CircleDomain) -> u32 {
    domain.log_whole()
}

/// The index of a domain's first point in the whole that it is a block of.
pub(super) fn first_of(domain: &CircleDomain) -> u32 {
    domain.block_index() << domain.log_size()
}

/// Tables that serve a domain.
pub(super) fn factors<D: KernelDevice>(call: Call<'_, D>, domain: &CircleDomain) -> Result<Arc<Factors<D::Memory>>> {
    let wanted = match domain {
        CircleDomain::Circle { log_coset, .. } => canonic_log_entries(*log_coset),
        CircleDomain::Line { log_coset, .. } => log_entries(*log_coset),
    };
    call.runtime.factors.get(|known| known.entries >= 1 << wanted, || make(call, wanted))
}

fn make<D: KernelDevice>(call: Call<'_, D>, wanted: u32) -> Result<Factors<D::Memory>> {
    let count = 1u64 << wanted;
    let (forward, inverse) = (call.alloc(table_words(wanted))?, call.alloc(table_words(wanted))?);
    let mut params = Params::new();
    let points = || {
        (0..LOG_CIRCLE_ORDER).scan(CirclePoint::GENERATOR, |point, _| {
            let current = *point;
            *point = point.double();
            Some(current)
        })
    };
    // The last of 32 places is not read.
    let padded = |coordinates: Vec<M31>| coordinates.into_iter().chain([M31::new(0)]);
    params = padded(points().map(|point| point.x).collect()).fold(params, Params::m31);
    params = padded(points().map(|point| point.y).collect()).fold(params, Params::m31);
    let entry = Entry { unit: &units::TABLES, name: "make_factors", defines: &[] };
    call.launch_items(entry, count, 1, &[whole(&forward), whole(&inverse)], params.u32(count as u32))?;
    Ok(Factors { forward, inverse, entries: count })
}
