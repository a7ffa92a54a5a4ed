//! Components: stwo's `FrameworkEval` as an object.

use std::sync::Arc;

use field::QM31;
use stwo::core::air::Component;
use stwo_constraint_framework::{EvalAtRow, FrameworkComponent, FrameworkEval, TraceLocationAllocator};

use super::convert::secure;
use super::evaluator::Evaluator;
use super::recording::Recording;
use super::tape::Session;
use crate::names::ComponentNames;
use crate::template::Template;
use crate::{LOG_SIZES, RecordError, RecordedComponent};

/// One component. Implemented by every `FrameworkEval` that can be cloned; [`SharedComponent`] helps one that cannot,
/// [`crate::NamedComponent`] gives one names.
pub trait AirComponent: Send + Sync {
    /// Log2 of the number of rows.
    fn log_size(&self) -> u32;

    /// Its names, for reports of wrong traces. No proof depends on them.
    fn names(&self) -> ComponentNames {
        ComponentNames::default()
    }

    /// Runs `evaluate` once.
    ///
    /// # Errors
    /// Any error of the component.
    fn recording(&self) -> Result<Recording, RecordError>;

    /// Records the component by itself: every constant as it is, the claimed sum's share the only parameter.
    ///
    /// # Errors
    /// Any error of the component.
    fn record(&self) -> Result<RecordedComponent, RecordError> {
        let recording = self.recording()?;
        RecordedComponent::new(&Template::fixed(recording))
    }

    /// The component as stwo's verifier wants it. `allocator` gives the places of the columns; components must be taken
    /// in order. `claimed_sum` is zero for a component without lookups.
    fn verifier_component(&self, allocator: &mut TraceLocationAllocator, claimed_sum: QM31) -> Box<dyn Component>;

    /// The component as stwo's prover wants it, otherwise as [`Self::verifier_component`].
    #[cfg(feature = "stwo-prover")]
    fn prover_component(
        &self,
        allocator: &mut TraceLocationAllocator,
        claimed_sum: QM31,
    ) -> Box<dyn stwo::prover::ComponentProver<stwo::prover::backend::simd::SimdBackend>>;
}

impl<E: FrameworkEval + Clone + Send + Sync + 'static> AirComponent for E {
    fn log_size(&self) -> u32 {
        FrameworkEval::log_size(self)
    }

    fn recording(&self) -> Result<Recording, RecordError> {
        let (log_size, bound) = (FrameworkEval::log_size(self), self.max_constraint_log_degree_bound());
        if !LOG_SIZES.contains(&log_size) {
            return Err(RecordError::LogSize { log_size });
        }
        if bound != log_size + 1 {
            return Err(RecordError::DegreeBound { bound, log_size });
        }
        let session = Session::start();
        let evaluator = self.evaluate(Evaluator::new(log_size));
        evaluator.check();
        let entries = session.finish()?;
        let Evaluator { preprocessed, offsets, constraints, batches, fractions, .. } = evaluator;
        let Evaluator { batching, logup_constraint, logup_first, .. } = evaluator;
        let numerators = fractions.iter().map(|fraction| fraction.numerator).collect();
        let denominators = fractions.iter().map(|fraction| fraction.denominator).collect();
        Ok(Recording {
            log_size,
            entries,
            preprocessed,
            offsets,
            constraints,
            numerators,
            denominators,
            batches,
            batching,
            logup_constraint,
            logup_first,
        })
    }

    fn verifier_component(&self, allocator: &mut TraceLocationAllocator, claimed_sum: QM31) -> Box<dyn Component> {
        Box::new(FrameworkComponent::new(allocator, self.clone(), secure(claimed_sum)))
    }

    #[cfg(feature = "stwo-prover")]
    fn prover_component(
        &self,
        allocator: &mut TraceLocationAllocator,
        claimed_sum: QM31,
    ) -> Box<dyn stwo::prover::ComponentProver<stwo::prover::backend::simd::SimdBackend>> {
        Box::new(FrameworkComponent::new(allocator, self.clone(), secure(claimed_sum)))
    }
}

/// A `FrameworkEval` behind a shared pointer: an [`AirComponent`] even if it cannot be cloned.
#[derive(Debug)]
pub struct SharedComponent<E>(Arc<E>);

impl<E> SharedComponent<E> {
    /// The component of `eval`.
    pub fn new(eval: E) -> Self {
        Self(Arc::new(eval))
    }
}

impl<E> Clone for SharedComponent<E> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<E: FrameworkEval> FrameworkEval for SharedComponent<E> {
    fn log_size(&self) -> u32 {
        self.0.log_size()
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.0.max_constraint_log_degree_bound()
    }

    fn evaluate<V: EvalAtRow>(&self, eval: V) -> V {
        self.0.evaluate(eval)
    }
}
