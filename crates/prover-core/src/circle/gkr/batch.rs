//! A proof of a batch, or its rehearsal.

use field::QM31;
use gpu_hal::{CircleStark, StarkBackend, TableRef};
use sumcheck::Channel;
use sumcheck::gkr::{Instance, Proven, prove_trees};

use super::GkrError;
use super::layers::Device;
use crate::mode::ModeOn;
use crate::observer::{Observer, Phase, begin, go_on};

/// A proof of trees of these shapes on a device, or on shapes.
pub(super) struct Run<'a, B: StarkBackend, M> {
    pub(super) mode: M,
    pub(super) on: &'a B,
    pub(super) instances: &'a [Instance],
    pub(super) observer: &'a dyn Observer<QM31>,
}

impl<B: StarkBackend<P = CircleStark>, M: ModeOn<B>> Run<'_, B, M> {
    /// Proves. `columns` has a function called with the table of a tree's columns, which is read once.
    pub(super) fn prove(
        &self,
        channel: &mut dyn Channel<QM31>,
        mut columns: impl FnMut(usize, Made<'_, B>) -> Result<(), GkrError>,
    ) -> Result<Proven<QM31>, GkrError> {
        let Self { mode, on, instances, observer } = *self;
        let layers = begin(mode, observer, Phase::Layers)?;
        let device = Device::new(on, instances, observer)?;
        let mut trees = Vec::with_capacity(instances.len());
        for (tree, Instance { kind, .. }) in instances.iter().enumerate() {
            go_on(observer, Phase::Layers)?;
            columns(tree, &mut |table| {
                trees.push(device.tree(*kind, table)?);
                Ok(())
            })?;
        }
        drop(layers);
        let _sumchecks = begin(mode, observer, Phase::Sumchecks)?;
        Ok(prove_trees(&device, instances, trees, channel)?)
    }
}

/// Makes a tree of its columns.
pub(super) type Made<'m, B> = &'m mut dyn for<'t> FnMut(TableRef<'t, <B as StarkBackend>::T>) -> Result<(), GkrError>;
