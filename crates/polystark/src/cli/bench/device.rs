//! Backends with their best clocks: events on a GPU, the host's clock elsewhere.

use std::sync::Arc;

use bench::{Events, Measurable, Stopwatch, Wall};
use polystark::hal::{CircleStark, StarkBackend};
use polystark::{Device, Goldilocks3, OwningTask, circle};

use super::Failure;
use crate::cli::arguments::DeviceArguments;

/// Something to be done with a backend of a protocol and its best clock.
pub(super) trait ClockedTask<P> {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run<B: StarkBackend<P = P>, S: Stopwatch<B>>(self, backend: Arc<B>, stopwatch: S) -> Self::Output;
}

/// A protocol whose backends are opened by name.
pub(super) trait Clocked: Measurable {
    /// Does something on the device that the arguments name.
    fn with_clock<T: ClockedTask<Self>>(device: &DeviceArguments, task: T) -> Result<T::Output, Failure>;
}

struct OnHost<T>(T);

impl<T: ClockedTask<Goldilocks3>> OwningTask for OnHost<T> {
    type Output = T::Output;

    fn run<B: StarkBackend<P = Goldilocks3>>(self, backend: Arc<B>) -> Self::Output {
        self.0.run(backend, Wall)
    }
}

impl<T: ClockedTask<CircleStark>> circle::OwningTask for OnHost<T> {
    type Output = T::Output;

    fn run<B: StarkBackend<P = CircleStark>>(self, backend: Arc<B>) -> Self::Output {
        self.0.run(backend, Wall)
    }
}

impl Clocked for Goldilocks3 {
    fn with_clock<T: ClockedTask<Self>>(device: &DeviceArguments, task: T) -> Result<T::Output, Failure> {
        Ok(match device.open()? {
            Device::Cuda(backend) => task.run(backend, Events),
            other => other.run_owning(OnHost(task)),
        })
    }
}

impl Clocked for CircleStark {
    fn with_clock<T: ClockedTask<Self>>(device: &DeviceArguments, task: T) -> Result<T::Output, Failure> {
        Ok(match device.open_circle()? {
            circle::Device::Cuda(backend) => task.run(backend, Events),
            other => other.run_owning(OnHost(task)),
        })
    }
}
