//! The types of tables, trees and programs on a device.

use std::marker::PhantomData;

use gpu_hal::Types;

use crate::buffer::{GpuBuffer, GpuTree};
use crate::device::KernelDevice;
use crate::program::GpuProgram;
use crate::protocol::GpuProtocol;

/// The types of [`crate::GpuBackend`].
pub struct GpuTypes<D, P>(PhantomData<(D, P)>);

impl<D: KernelDevice, P: GpuProtocol> Types for GpuTypes<D, P> {
    type P = P;
    type Buffer = GpuBuffer<D::Memory>;
    type Tree = GpuTree<D::Memory>;
    type Program = GpuProgram<P, D>;
}
