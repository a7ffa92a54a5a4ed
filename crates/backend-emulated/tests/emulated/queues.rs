//! Uploads beside the work: their users wait for them, and they wait for earlier users of their memory.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use crate::wrapped::{Change, Wrapped};
use backend_emulated::{EmulatedDevice, EmulatedMemory, NAME, Options};
use field::Goldilocks;
use gpu_hal::{ErrorKind, GoldilocksStark, HalError, Operation, Result, StarkBackend};
use gpu_runtime::GpuBackend;
use hal_conformance::session;

type P = GoldilocksStark;

/// The order that a device with two queues would need, by memory.
#[derive(Default)]
struct Order {
    /// Uploads that nobody waited for yet: when they are done.
    pending: HashMap<String, Instant>,
    /// The last use of a memory.
    used: HashMap<String, Instant>,
    uploads: usize,
    broken: Vec<String>,
}

#[derive(Default)]
struct TwoQueues(Mutex<Order>);

impl TwoQueues {
    fn order(&self) -> MutexGuard<'_, Order> {
        self.0.lock().expect("no thread panics with it")
    }
}

/// Memory is told by where it starts, which its debug form has.
fn name(memory: &EmulatedMemory) -> String {
    format!("{memory:?}")
}

impl Change for TwoQueues {
    fn uses(&self, memory: &EmulatedMemory) -> Result<()> {
        let mut order = self.order();
        if order.pending.contains_key(&name(memory)) {
            order.broken.push("memory is used before its upload was waited for".into());
            return Err(HalError::new(ErrorKind::Backend, "device", "out of order"));
        }
        order.used.insert(name(memory), Instant::now());
        Ok(())
    }

    fn uploaded_beside(&self, memory: &EmulatedMemory, offset: u64, after: Instant, done: Instant) {
        let mut order = self.order();
        order.uploads += 1;
        // Parts after the first may come while the earlier ones are used.
        if offset == 0 && order.used.get(&name(memory)).is_some_and(|used| *used > after) {
            order.broken.push("an upload may overtake the last use of its memory".into());
        }
        order.pending.insert(name(memory), done);
    }

    fn waits(&self, moment: Instant) {
        self.order().pending.retain(|_, done| *done != moment);
    }
}

fn backend() -> GpuBackend<Wrapped<TwoQueues>, P> {
    let inner = EmulatedDevice::new(Options::default()).expect("a C++ compiler");
    GpuBackend::<_, P>::new(NAME, Wrapped { inner, change: TwoQueues::default() }).expect("a backend")
}

#[test]
fn what_uses_an_upload_waits_for_it_and_it_for_what_used_its_memory() {
    let backend = backend();
    for seed in 0..3 {
        session(&backend, seed, 6).expect("in order");
        let order = backend.device().change.order();
        assert_eq!(order.broken, Vec::<String>::new());
        assert!(order.pending.is_empty(), "an upload that nobody waits for");
    }
    assert!(backend.device().change.order().uploads > 6);
}

#[test]
fn an_element_that_is_not_canonical_is_named_and_leaves_nothing() {
    let backend = backend();
    let before = backend.memory().expect("counted").in_use;
    for at in [0, 17, 63] {
        let mut words: Vec<u64> = (0..64).collect();
        words[at] = u64::MAX;
        words[63] = u64::MAX;
        let data: Vec<Goldilocks> = bytemuck::cast_slice(&words).to_vec();
        let error = backend.upload(&data, 2, 5).err().expect("not canonical");
        assert_eq!((error.kind, error.op), (ErrorKind::InvalidArgument, Operation::Upload.into()));
        assert!(error.detail.contains(&format!("element {at} ")), "{error}");
        assert_eq!(backend.memory().expect("counted").in_use, before);
        assert!(backend.device().change.order().pending.is_empty());
    }
}
