//! A component with names.

use field::QM31;
use stwo::core::air::Component;
use stwo_constraint_framework::TraceLocationAllocator;

use super::component::AirComponent;
use super::recording::Recording;
use crate::RecordError;
use crate::names::ComponentNames;

/// A component with names: otherwise it is the component.
#[derive(Clone, Debug)]
pub struct NamedComponent<C> {
    component: C,
    names: ComponentNames,
}

impl<C> NamedComponent<C> {
    /// The component with these names.
    pub fn new(component: C, names: ComponentNames) -> Self {
        Self { component, names }
    }
}

impl<C: AirComponent> AirComponent for NamedComponent<C> {
    fn log_size(&self) -> u32 {
        self.component.log_size()
    }

    fn names(&self) -> ComponentNames {
        self.names.clone()
    }

    fn recording(&self) -> Result<Recording, RecordError> {
        self.component.recording()
    }

    fn verifier_component(&self, allocator: &mut TraceLocationAllocator, claimed_sum: QM31) -> Box<dyn Component> {
        self.component.verifier_component(allocator, claimed_sum)
    }

    #[cfg(feature = "stwo-prover")]
    fn prover_component(
        &self,
        allocator: &mut TraceLocationAllocator,
        claimed_sum: QM31,
    ) -> Box<dyn stwo::prover::ComponentProver<stwo::prover::backend::simd::SimdBackend>> {
        self.component.prover_component(allocator, claimed_sum)
    }
}
