//! Factors of the layers of transforms on the device, which the points of all domains are made of.

use std::sync::{Arc, Mutex, MutexGuard};

use field::M31;
use field::circle::{CirclePoint, LOG_CIRCLE_ORDER};
use gpu_hal::{CircleDomain, CircleStark, Protocol, Result};

use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::params::Params;
use crate::pool::Block;

/// The tables of `kernels/circle_points.h`, of factors and of their inverses.
pub(crate) struct Factors<M> {
    pub(crate) forward: Block<M>,
    pub(crate) inverse: Block<M>,
    log_entries: u32,
}

/// The tables for the largest domain so far.
pub(crate) struct FactorCache<M>(Mutex<Option<Arc<Factors<M>>>>);

impl<M> FactorCache<M> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Factors<M>>>> {
        // One assignment is all that changes it, so a panic elsewhere leaves it whole.
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Log2 of the entries of each table, if they are made.
    pub(crate) fn log_entries(&self) -> Option<u32> {
        self.lock().as_ref().map(|factors| factors.log_entries)
    }
}

/// Log2 of the entries of each table that domains take which are part of a canonic one, or of a line, of `2^log_domain` points: all
/// T_m with m < log_domain, which a circle needs one less of.
fn log_entries(log_domain: u32) -> u32 {
    log_domain.max(1)
}

/// Log2 of the entries of each table that parts of canonic domains of `2^log_domain` points take, and lines of half as many.
pub(crate) fn canonic_log_entries(log_domain: u32) -> u32 {
    log_entries(log_domain.saturating_sub(1))
}

/// Words of one table.
pub(crate) fn table_words(log_entries: u32) -> u64 {
    (1u64 << log_entries).div_ceil(2)
}

/// Log2 of the points of the canonic domain that a domain is part of, or of a line: what kernels take.
pub(crate) fn log_domain(domain: &CircleDomain) -> u32 {
    CircleStark::log_whole(domain)
}

/// Tables that serve a domain.
pub(crate) fn factors<D: KernelDevice>(call: Call<'_, D>, domain: &CircleDomain) -> Result<Arc<Factors<D::Memory>>> {
    let wanted = match domain {
        CircleDomain::Circle { log_coset, .. } => canonic_log_entries(*log_coset),
        CircleDomain::Line { log_size } => log_entries(*log_size),
    };
    let mut cache = call.runtime.factors.lock();
    if let Some(known) = cache.as_ref().filter(|known| known.log_entries >= wanted) {
        return Ok(Arc::clone(known));
    }
    // Those that are too small go first.
    *cache = None;
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
    let entry = Entry { unit: &library::CIRCLE_TABLES, name: "make_factors", defines: &[] };
    call.launch_items(entry, count, 1, &[whole(&forward), whole(&inverse)], params.u32(count as u32))?;
    let made = Arc::new(Factors { forward, inverse, log_entries: wanted });
    *cache = Some(Arc::clone(&made));
    Ok(made)
}
