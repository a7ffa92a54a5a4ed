//! Roots of unity on the device: points of domains in storage order.

use std::sync::{Arc, Mutex};

use field::{Field, Goldilocks, TwoAdicField};
use gpu_hal::Result;

use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::params::Params;
use crate::pool::Block;

/// Tables smaller than this are not worth making anew for every size.
const MIN_LOG: u32 = 10;

/// The twiddle tables of `kernels/tables.h`: `2^log` entries each, and the inverses of the entries.
pub(crate) struct Twiddles<M> {
    log: u32,
    pub(crate) forward: Block<M>,
    pub(crate) inverse: Block<M>,
}

/// The largest tables made so far, kept.
pub(crate) struct TwiddleCache<M>(Mutex<Option<Arc<Twiddles<M>>>>);

impl<M> TwiddleCache<M> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }
}

/// Tables that reach for domains of `2^log_size` points.
pub(crate) fn twiddles<D: KernelDevice>(call: Call<'_, D>, log_size: u32) -> Result<Arc<Twiddles<D::Memory>>> {
    let log = log_size.saturating_sub(1).max(MIN_LOG);
    let mut cache = call.runtime.twiddles.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(known) = cache.as_ref().filter(|known| known.log >= log) {
        return Ok(Arc::clone(known));
    }
    // The smaller tables are a prefix of the new ones: free them first.
    *cache = None;
    let make = |root: fn(u32) -> Goldilocks| -> Result<Block<D::Memory>> {
        let table = call.alloc(1 << log)?;
        let roots = (0..32).map(|i| if i + 2 <= Goldilocks::TWO_ADICITY { root(i + 2) } else { Goldilocks::ONE });
        let params = roots.fold(Params::new(), Params::base).u64(1 << log);
        let entry = Entry { unit: &library::TABLES, name: "make_twiddles", defines: &[] };
        call.launch_items(entry, 1 << log, 1, &[whole(&table)], params)?;
        Ok(table)
    };
    let made = Twiddles {
        log,
        forward: make(Goldilocks::two_adic_generator)?,
        inverse: make(|bits| Goldilocks::two_adic_generator(bits).inverse_or_zero())?,
    };
    let made = Arc::new(made);
    *cache = Some(Arc::clone(&made));
    Ok(made)
}
