//! A batch of trees made ready on a backend.

use std::sync::Arc;

use circle_proof::gkr::{GkrFile, MAX_TREES, Trees, columns_of_gate, zero_denominator};
use field::{M31, QM31};
use gpu_hal::rehearsal::{PeakLocation, Step};
use gpu_hal::{CircleStark, Columns, Rehearse, Shape, StarkBackend};
use sumcheck::Channel;
use sumcheck::gkr::Instance;

use super::GkrError;
use super::arithmetic::DEGREE;
use super::batch::Run;
use super::check;
use crate::memory::{Need, reserve};
use crate::mode::{DryRun, ModeOn, OnDevice};
use crate::observer::{Observer, Placing};

/// The memory and the operations of proofs of a batch: those of a rehearsal of the very proof, its columns included.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Device memory at the peak.
    pub peak_bytes: u64,
    /// Where the peak is.
    pub peak_at: PeakLocation,
    /// Every operation, in order.
    pub steps: Vec<Step>,
}

/// Trees over columns with a digest, made ready on a backend. It serves any number of proofs.
pub struct Prover<B: StarkBackend<P = CircleStark>> {
    backend: Arc<B>,
    trees: Trees,
    plan: Plan,
}

impl<B: StarkBackend<P = CircleStark>> Prover<B> {
    /// Rehearses the proof. Nothing of the size of the trees is allocated, and nothing is refused for its size.
    ///
    /// # Errors
    /// Shapes that no trees have; more trees than a file has; the backend's errors.
    pub fn new(backend: Arc<B>, trees: Trees) -> Result<Self, GkrError> {
        check(&trees.instances)?;
        if trees.instances.len() > MAX_TREES {
            return Err(GkrError::Trees { found: trees.instances.len() });
        }
        let shapes = B::Shapes::of(Arc::clone(&backend));
        let run = Run { mode: DryRun, on: &shapes, instances: &trees.instances, observer: &Placing(&shapes) };
        run.prove(&mut Drawn, |tree, make| {
            let table = DryRun.upload_shape(&shapes, columns(&trees.instances[tree]))?;
            make(table.as_ref())
        })?;
        let found = shapes.finish();
        let plan = Plan { peak_bytes: found.peak_bytes, peak_at: found.peak_at, steps: found.steps };
        Ok(Self { backend, trees, plan })
    }

    /// The plan of a proof.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Proves the trees over these base columns, by tree, numerators first, and verifies the proof, claims on the
    /// columns included: a device that computes wrongly gives no proof. The caller has the digest of the columns from
    /// them.
    ///
    /// # Errors
    /// Columns of other shapes; a fraction over 0; the backend's errors; what a device computed wrongly. The proof's
    /// memory is reserved before any work; as long as others hold it, [`Observer::occupied`] decides whether this one
    /// waits.
    pub fn prove<C: AsRef<[M31]> + Sync>(
        &self,
        base: &[Vec<C>],
        observer: &dyn Observer<QM31>,
    ) -> Result<GkrFile, GkrError> {
        let (backend, instances) = (&*self.backend, &self.trees.instances);
        check_columns(instances, base)?;
        let need = Need { peak: self.plan.peak_bytes, held: 0, at: self.plan.peak_at };
        let reserved = reserve(backend, need, observer)??;
        let run = Run { mode: OnDevice::Proof, on: backend, instances, observer };
        let (proof, _) = run.prove(&mut self.trees.channel(), |tree, make| {
            let shape = columns(&instances[tree]);
            let table = backend.upload_made(&copied(&base[tree], shape.log_height), shape.width, shape.log_height)?;
            make(table.as_ref())
        })?;
        drop(reserved);
        let file = GkrFile { trees: self.trees.clone(), proof };
        file.verify_on(|tree| columns_of_gate(instances[tree].kind, &base[tree]))?;
        Ok(file)
    }
}

/// The shape of a tree's base columns.
fn columns(Instance { kind, variables }: &Instance) -> Shape {
    Columns::new((), kind.base_columns(DEGREE), *variables as u32)
}

/// Copies elements of columns, one column after the other.
fn copied<C: AsRef<[M31]> + Sync>(base: &[C], log_height: u32) -> impl Fn(usize, &mut [M31]) + Sync {
    move |first, mut out| {
        let mut at = first;
        while !out.is_empty() {
            let (column, row) = (at >> log_height, at & ((1 << log_height) - 1));
            let rows = &base[column].as_ref()[row..];
            let (now, rest) = out.split_at_mut(rows.len().min(out.len()));
            now.copy_from_slice(&rows[..now.len()]);
            at += now.len();
            out = rest;
        }
    }
}

/// Refuses columns of other shapes, and fractions over 0.
fn check_columns<C: AsRef<[M31]>>(instances: &[Instance], base: &[Vec<C>]) -> Result<(), GkrError> {
    let (given, expected) = (base.len(), instances.len());
    if given != expected {
        return Err(GkrError::Count { given, expected });
    }
    for (instance, (of, base)) in instances.iter().zip(base).enumerate() {
        let (kind, variables) = (of.kind, of.variables);
        let (expected, found) = (kind.base_columns(DEGREE), base.len());
        if found != expected {
            return Err(GkrError::Columns { instance, kind, expected, found });
        }
        let rows = base.iter().map(|column| column.as_ref().len());
        if let Some(found) = rows.into_iter().find(|rows| *rows != 1 << variables) {
            return Err(GkrError::Rows { instance, variables, found });
        }
        if let Some(row) = zero_denominator(kind, base) {
            return Err(GkrError::Denominator { instance, row });
        }
    }
    Ok(())
}

/// The transcript of a rehearsal: every draw is 2, of which no line has a root.
struct Drawn;

impl Channel<QM31> for Drawn {
    fn mix(&mut self, _: &[QM31]) {}

    fn draw(&mut self) -> QM31 {
        QM31::from(M31::reduce(2))
    }
}
