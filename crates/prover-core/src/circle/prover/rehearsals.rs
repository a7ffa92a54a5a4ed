//! A statement's proofs without a device: their memory, and the columns that they keep.

use std::sync::Arc;

use field::M31;
use gpu_hal::rehearsal::Rehearsal;
use gpu_hal::{CircleStark, ErrorKind, Rehearse, StarkBackend};

use super::Ready;
use crate::circle::ProveError;
use crate::circle::keep::{Keep, KeepCost, Recomputed};
use crate::circle::plan::Plan;
use crate::circle::preprocessed::Preprocessed;
use crate::circle::programs::ColumnSource;
use crate::circle::witness::{FromMaker, Generator, MakeMain, TraceMaker, Witness};
use crate::memory::Need;
use crate::mode::DryRun;
use crate::observer::Placing;

/// The rehearsals of a prover, by parts.
pub(super) struct Rehearsals {
    /// While the preprocessed columns are committed to.
    pub(super) tree: Rehearsal,
    /// While the columns that components read are gathered.
    reads: Rehearsal,
    pub(super) proof: Rehearsal,
    /// The columns that the proof keeps, and the columns that it makes again.
    keep: Keep,
    remade: Recomputed,
}

impl Rehearsals {
    /// Bytes of the preprocessed columns, if they are on the device.
    fn held(&self, is_given: bool) -> u64 {
        if is_given { self.tree.live_bytes } else { 0 }
    }
}

impl<B: StarkBackend<P = CircleStark>> Ready<B> {
    pub(super) fn plan(&self, rehearsals: &Rehearsals) -> Plan {
        let Rehearsals { tree, reads, proof, keep, remade } = rehearsals;
        let preparation = if reads.peak_bytes > tree.peak_bytes { reads } else { tree };
        let columns = |c: &circle_air::RecordedComponent| (c.width(1) + c.host_columns().count()) as u64;
        let upload = |c: &circle_air::RecordedComponent| (columns(c) << c.log_size) * size_of::<M31>() as u64;
        Plan {
            peak_bytes: proof.peak_bytes,
            peak_at: proof.peak_at,
            spill: proof.spill,
            preparation_bytes: preparation.peak_bytes,
            preparation_at: preparation.peak_at,
            kept_bytes: reads.live_bytes,
            upload_bytes: self.shape.recorded.components.iter().map(upload).sum(),
            constraint_operations: proof.constraint_operations(),
            log_domain: self.shape.log_domain,
            keep: *keep,
            remade: *remade,
        }
    }

    /// Rehearsals of the cheapest proofs that the memory allows for one that is alone on it, or of proofs that take
    /// least. `is_given`: the preprocessed columns are on the device.
    pub(super) fn choose(
        &self,
        backend: &B,
        is_given: bool,
        rehearse: impl Fn(Keep) -> Result<Rehearsals, ProveError>,
    ) -> Result<Rehearsals, ProveError> {
        let room = backend.budget().room(backend.memory()?.available);
        let is_too_large =
            |error: &ProveError| matches!(error, ProveError::Hal(error) if error.kind == ErrorKind::OutOfMemory);
        Keep::choose(room, is_too_large, |keep| {
            let rehearsals = rehearse(keep)?;
            let need = Need { held: rehearsals.held(is_given), ..self.plan(&rehearsals).need() };
            let moved = rehearsals.proof.spill.map_or(0, |spill| spill.moved_bytes);
            let remade = rehearsals.remade.rows.saturating_add(rehearsals.remade.extended);
            Ok((KeepCost { bytes: need.missing(), moved, remade }, rehearsals))
        })
    }

    /// The proof that takes more: of a trace of the host, or of one of the device.
    pub(super) fn rehearse_all(&self, backend: &Arc<B>, keep: Keep) -> Result<Rehearsals, ProveError> {
        let mut rehearsals = self.rehearse(backend, false, keep)?;
        if self
            .generator(|program| &program.program)
            .is_ok_and(|made| Witness::<B>::Device(made).check_shape(&self.shape.recorded).is_ok())
        {
            let other = self.rehearse(backend, true, keep)?;
            let spills = rehearsals.proof.spill.zip(other.proof.spill);
            if other.proof.peak_bytes > rehearsals.proof.peak_bytes {
                rehearsals = other;
            }
            rehearsals.proof.spill = spills.map(|(one, other)| one.max(other));
        }
        Ok(rehearsals)
    }

    pub(super) fn rehearse(&self, backend: &Arc<B>, generated: bool, keep: Keep) -> Result<Rehearsals, ProveError> {
        let makings = self.shape.trace_programs.iter().flat_map(|(_, makings)| makings);
        let makings: Vec<_> = makings.map(|making| making.map(B::Shapes::program)).collect();
        let witness = match generated {
            true => {
                let Generator { tables, .. } = self.generator::<B>(|program| &program.program)?;
                Witness::Device(Generator { tables, programs: makings.iter().map(ColumnSource::as_ref).collect() })
            }
            false => Witness::Shape,
        };
        witness.check_shape(&self.shape.recorded)?;
        self.rehearse_from(backend, keep, &witness)
    }

    pub(super) fn rehearse_made(
        &self,
        backend: &Arc<B>,
        maker: &impl TraceMaker,
        keep: Keep,
    ) -> Result<Rehearsals, ProveError> {
        self.rehearse_from(backend, keep, &FromMaker(maker))
    }

    /// Making the preprocessed columns, then a proof, all without a device.
    fn rehearse_from(
        &self,
        backend: &Arc<B>,
        keep: Keep,
        main: &dyn MakeMain<B::Shapes, DryRun>,
    ) -> Result<Rehearsals, ProveError> {
        let rehearsed = B::Shapes::of(backend.clone());
        rehearsed.enter("preprocessed columns");
        let trace = self.preprocessed(DryRun, &rehearsed)?;
        let tree = rehearsed.finish();
        let preprocessed = Preprocessed::own(&rehearsed, trace, &self.shape.layout)?;
        let reads = rehearsed.finish();
        let programs: Vec<_> = self.shape.programs.iter().map(|programs| programs.map(B::Shapes::program)).collect();
        let programs = programs.iter().map(|programs| programs.map(|program| program));
        let observer = Placing(&rehearsed);
        let context = self.context(DryRun, &rehearsed, programs.collect(), &preprocessed, &observer, keep);
        context.prove(main)?;
        Ok(Rehearsals { tree, reads, proof: rehearsed.finish(), keep, remade: context.remade.get() })
    }
}
