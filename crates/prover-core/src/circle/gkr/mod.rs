//! GKR for grand products and LogUp on a device: gkr.md over any [`StarkBackend`].
//!
//! [`prove_batch`] makes the proofs of `sumcheck::gkr`, byte for byte, of tables on a device. A tree's layers are one
//! [`tree_map`](StarkBackend::tree_map), whose rows have the children of their nodes beside each other; a round is a
//! [`sum`](StarkBackend::sum) of the program of the gate, and a [`bind`](StarkBackend::bind). A gate is a program:
//! another one needs no kernel. Layers of few nodes are computed on the host.

mod arithmetic;
mod eq;
mod layers;
mod nodes;
mod programs;

use field::{M31, QM31};
use gpu_hal::{CircleStark, HalError, StarkBackend, Table, TableRef};
use sumcheck::gkr::{Instance, Kind, Layer, LayerError, Proven, prove_trees};
use sumcheck::{Channel, MAX_VARIABLES, ProveError};

use self::arithmetic::DEGREE;
use self::layers::Device;
use self::programs::TreePrograms;

/// The columns below a tree, on a device: one table, numerators first, each element as its coordinates.
pub struct DeviceLayer<'a, B: StarkBackend> {
    /// The gate of the tree, and its columns.
    pub kind: Kind,
    /// The columns: numerators, if the kind has any, then factors or denominators.
    pub columns: TableRef<'a, B::T>,
}

/// Why a device gives no proof of a batch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GkrError {
    /// The columns are no layers.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// A table has a wrong number of columns.
    #[error("tree {instance} is `{kind}`, which takes {expected} base columns; its table has {found}")]
    Columns {
        /// The tree.
        instance: usize,
        /// The gate of the tree.
        kind: Kind,
        /// Columns of the kind.
        expected: usize,
        /// Columns of the table.
        found: usize,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] HalError),
    /// The device computed something that is not so. No proof is returned.
    #[error("the device computed a wrong sum: {0}")]
    Wrong(ProveError<HalError>),
}

/// Uploads the columns below a tree.
///
/// # Errors
/// If they are no layer, or the device fails; `instance` is the tree's number in messages.
pub fn upload<B: StarkBackend<P = CircleStark>>(
    on: &B,
    layer: &Layer<M31, QM31>,
    instance: usize,
) -> Result<Table<B::T>, GkrError> {
    let Instance { kind, variables } = layer.instance(instance)?;
    let coordinates = |column: &[QM31]| -> Vec<M31> {
        (0..DEGREE).flat_map(|at| column.iter().map(move |value| value.0[at])).collect()
    };
    let values = match layer {
        Layer::GrandProduct(values) | Layer::LogUpSingles { denominators: values } => coordinates(values),
        Layer::LogUp { numerators, denominators } => [coordinates(numerators), coordinates(denominators)].concat(),
        Layer::LogUpMultiplicities { numerators, denominators } => {
            [numerators.clone(), coordinates(denominators)].concat()
        }
    };
    Ok(on.upload(&values, kind.base_columns(DEGREE), variables as u32)?)
}

/// Proves a batch of trees, as [`sumcheck::gkr::prove_batch`]. The columns are mixed, by their commitment, before.
///
/// The memory is that of all layers of all trees, several times that of their columns; it is not promised before.
///
/// # Errors
/// [`GkrError`].
pub fn prove_batch<B: StarkBackend<P = CircleStark>>(
    on: &B,
    batch: &[DeviceLayer<'_, B>],
    channel: &mut dyn Channel<QM31>,
) -> Result<Proven<QM31>, GkrError> {
    let mut instances = Vec::with_capacity(batch.len());
    for (instance, DeviceLayer { kind, columns }) in batch.iter().enumerate() {
        let (expected, found) = (kind.base_columns(DEGREE), columns.width);
        if found != expected {
            return Err(GkrError::Columns { instance, kind: *kind, expected, found });
        }
        let variables = columns.log_height as usize;
        if !(1..=MAX_VARIABLES).contains(&variables) {
            let length = 1usize.checked_shl(columns.log_height).unwrap_or(0);
            return Err(LayerError::Length { instance, length }.into());
        }
        instances.push(Instance { kind: *kind, variables });
    }
    if batch.is_empty() {
        return Err(LayerError::Empty.into());
    }
    let kinds: Vec<Kind> = batch.iter().map(|layer| layer.kind).collect();
    let device = Device::new(on, &kinds)?;
    let mut programs = Vec::new();
    for kind in Kind::ALL {
        let is_used = instances.iter().any(|instance| instance.kind == kind);
        programs.push(if is_used { Some(TreePrograms::new(on, kind)?) } else { None });
    }
    let mut trees = Vec::with_capacity(batch.len());
    for DeviceLayer { kind, columns } in batch {
        if let Some(programs) = &programs[*kind as usize] {
            trees.push(device.tree(*kind, programs, *columns)?);
        }
    }
    prove_trees(&device, &instances, trees, channel).map_err(|error| match error {
        ProveError::Polynomial(error) => error.into(),
        wrong => GkrError::Wrong(wrong),
    })
}
