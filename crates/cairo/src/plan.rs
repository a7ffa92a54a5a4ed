//! What the proof of a run would take, known before any work.

use std::sync::Arc;
use std::time::Duration;

use circle_air::Statement;
use circle_proof::CircleOptions;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::circle::{Plan, ProveError, Prover};
use stwo_cairo_adapter::ProverInput;

use crate::estimate::estimate;
use crate::preprocessed::{self, Variant};
use crate::prove::Error;
use crate::statement::CairoStatement;
use crate::witness::schedule::Witness;

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

/// What the proof of a run takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPlan {
    /// The components in order.
    pub components: Vec<ComponentSize>,
    /// Memory on the device.
    pub device: Plan,
    /// How long it is likely to take, as a short trial on the backend says.
    pub duration: Duration,
}

/// Goes through the proof of a run without making it, and times a small table on the backend.
///
/// # Errors
/// A run that cannot be proven, options that do not fit, or what the backend reports.
pub fn plan<B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    input: &ProverInput,
    variant: Variant,
    options: &CircleOptions,
) -> Result<RunPlan, Error> {
    let witness = Witness::new(input, variant)?;
    let statement = Arc::new(CairoStatement::new(input, witness.sizes(), 0)?);
    let pow_bits = statement.interaction_pow_bits();
    let (device, recorded) = Prover::plan_made(backend, statement, options, &witness)?;
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
    let fixed: u64 = preprocessed::columns(variant).iter().map(|column| 1 << column.log_size).sum();
    let cells = fixed + components.iter().map(ComponentSize::cells).sum::<u64>();
    let duration = estimate(&**backend, cells, options, pow_bits).map_err(ProveError::from)?;
    Ok(RunPlan { components, device, duration })
}
