//! A kernel of a row program's own.

use std::sync::atomic::AtomicBool;

use gpu_hal::Result;
use ir::text::Kernel;

use crate::device::KernelDevice;
use crate::library::Unit;

/// A kernel that was generated, and its module, which stays loaded as long.
pub(crate) struct Compiled<D: KernelDevice> {
    pub(super) kernel: D::Kernel,
    _module: D::Module,
    /// Whether it was compared with the interpreter.
    pub(super) is_checked: AtomicBool,
}

impl<D: KernelDevice> Compiled<D> {
    pub(super) fn new(device: &D, unit: &Unit, own: &Kernel) -> Result<Self> {
        let mut source = unit.source(&[]);
        source.text.push_str(&own.text);
        let module = device.build(&source)?;
        Ok(Self { kernel: device.kernel(&module, own.entry)?, _module: module, is_checked: AtomicBool::new(false) })
    }
}
