//! The cost of a run's proof, known before any work.

use std::sync::Arc;
use std::time::Duration;

use cairo_run::Run;
use circle_proof::CircleOptions;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::circle::{Keep, Plan, ProveError, Prover};

use crate::estimate::estimate;
use crate::preprocessed::Variant;
use crate::prove::Error;
use crate::statement::CairoStatement;
use crate::version::AirVersion;
use crate::witness::Witness;

/// The rows and the columns of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentSize {
    /// Its name; that of a chunk of big memory values ends with its number: `memory_id_to_big[0]`.
    pub name: String,
    /// Log2 of its rows.
    pub log_rows: u32,
    /// Columns of the main trace.
    pub main: usize,
    /// Columns of the interaction trace, four for each of the extension.
    pub interaction: usize,
}

impl ComponentSize {
    /// Cells of both traces.
    pub fn cells(&self) -> u64 {
        ((self.main + self.interaction) as u64) << self.log_rows
    }
}

/// The cost of a run's proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPlan {
    /// The components in order.
    pub components: Vec<ComponentSize>,
    /// Memory on the device.
    pub device: Plan,
    /// Cells of the preprocessed columns.
    pub preprocessed_cells: u64,
    /// Bits of the proof of work before the lookup elements are drawn.
    pub interaction_pow_bits: u32,
}

impl RunPlan {
    /// How long the proof is likely to take with these options, as a short trial on the backend says.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn duration<B: StarkBackend<P = CircleStark>>(
        &self,
        backend: &B,
        options: &CircleOptions,
    ) -> Result<Duration, Error> {
        let cells = self.preprocessed_cells + self.components.iter().map(ComponentSize::cells).sum::<u64>();
        Ok(estimate(backend, cells, options, self.interaction_pow_bits).map_err(ProveError::from)?)
    }
}

/// Goes through the proof of a run without making it. It samples all preprocessed columns, or those alone that a
/// component reads. It keeps `keep` on the device, if it is given; else as much as the device's memory allows.
///
/// # Errors
/// A run that cannot be proven, options that do not fit, or the backend's errors.
pub fn plan<V: AirVersion, B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    input: &Run,
    variant: Variant,
    options: &CircleOptions,
    samples_all: bool,
    keep: Option<Keep>,
) -> Result<RunPlan, Error> {
    let witness = Witness::new::<V>(input, variant)?;
    let statement = Arc::new(CairoStatement::<V>::new(input, witness.sizes(), 0)?.sampling_all(samples_all));
    let (device, recorded) = Prover::plan_made(backend, statement, options, &witness, keep)?;
    let names = witness.sizes().components().iter().map(|size| size.name());
    let components: Vec<ComponentSize> = names
        .zip(&recorded.components)
        .map(|(name, component)| ComponentSize {
            name,
            log_rows: component.log_size,
            main: component.width(1),
            interaction: component.width(2),
        })
        .collect();
    let preprocessed_cells = V::preprocessed(variant).iter().map(|column| 1 << column.log_size).sum();
    Ok(RunPlan { components, device, preprocessed_cells, interaction_pow_bits: V::INTERACTION_POW_BITS })
}
