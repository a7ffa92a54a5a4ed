//! Roots of unity on the device: points of domains in storage order.

use std::sync::{Arc, Mutex};

use field::{Field, Goldilocks, TwoAdicField};
use gpu_hal::Result;

use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::params::Params;
use crate::pool::Block;

/// Entries of each of the two tables, as in the kernel.
pub(crate) const ENTRIES: u64 = (1 << 16) + (1 << 15);

/// The tables of `kernels/points.h`, of twiddles and of their inverses. They serve domains of any size.
pub(crate) struct Twiddles<M> {
    pub(crate) forward: Block<M>,
    pub(crate) inverse: Block<M>,
}

/// The tables once they are made.
pub(crate) struct TwiddleCache<M>(Mutex<Option<Arc<Twiddles<M>>>>);

impl<M> TwiddleCache<M> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Whether the tables are made.
    pub(crate) fn is_made(&self) -> bool {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).is_some()
    }
}

/// The tables, made when they are first asked for.
pub(crate) fn twiddles<D: KernelDevice>(call: Call<'_, D>) -> Result<Arc<Twiddles<D::Memory>>> {
    let mut cache = call.runtime.twiddles.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(known) = cache.as_ref() {
        return Ok(Arc::clone(known));
    }
    let make = |root: fn(u32) -> Goldilocks| -> Result<Block<D::Memory>> {
        let table = call.alloc(ENTRIES)?;
        let roots = (0..32).map(|i| if i + 2 <= Goldilocks::TWO_ADICITY { root(i + 2) } else { Goldilocks::ONE });
        let params = roots.fold(Params::new(), Params::base);
        let entry = Entry { unit: &library::TABLES, name: "make_twiddles", defines: &[] };
        call.launch_items(entry, ENTRIES, 1, &[whole(&table)], params)?;
        Ok(table)
    };
    let made = Arc::new(Twiddles {
        forward: make(Goldilocks::two_adic_generator)?,
        inverse: make(|bits| Goldilocks::two_adic_generator(bits).inverse_or_zero())?,
    });
    *cache = Some(Arc::clone(&made));
    Ok(made)
}
